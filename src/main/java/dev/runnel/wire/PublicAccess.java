package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// What anybody with the link may do in a session. Open: a value that this version does not know
/// is kept as it came.
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
