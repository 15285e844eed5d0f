package dev.runnel.core.model.run;

import dev.runnel.core.model.conversation.NameCheck;
import java.util.regex.Pattern;

/// The run service's id of a run.
public record RunId(String value) {
  private static final Pattern UUID =
      Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F-]{22,23}");
  private static final int SHOWN = 8;

  public RunId {
    NameCheck.require("run id", value);
  }

  /// The id as people see it and may type it: the first 8 characters of a UUID, any other id as it
  /// is.
  public String brief() {
    return UUID.matcher(value).matches() ? value.substring(0, SHOWN) : value;
  }

  @Override
  public String toString() {
    return value;
  }
}
