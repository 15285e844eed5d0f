package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// The category of an action. Open: unknown values are preserved.
public record ActionCategory(@JsonValue String value) {
  public static final ActionCategory COMMAND = new ActionCategory("command");
  public static final ActionCategory FILES = new ActionCategory("files");
  public static final ActionCategory SEARCH = new ActionCategory("search");
  public static final ActionCategory INTEGRATION = new ActionCategory("integration");
  public static final ActionCategory DOCUMENTS = new ActionCategory("documents");
  public static final ActionCategory COMPUTER = new ActionCategory("computer");
  public static final ActionCategory REVIEW = new ActionCategory("review");
  public static final ActionCategory SKILL = new ActionCategory("skill");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public ActionCategory {}

  @Override
  public String toString() {
    return value;
  }
}
