package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// What anyone with the link may do in a session. Open: unknown values are preserved.
public record PublicAccess(@JsonValue String value) {
  public static final PublicAccess VIEWER = new PublicAccess("VIEWER");
  public static final PublicAccess EDITOR = new PublicAccess("EDITOR");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public PublicAccess {}

  @Override
  public String toString() {
    return value;
  }
}
