package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// Whose credentials a run uses. Open: unknown values are preserved.
public record CredentialStrategy(@JsonValue String value) {
  public static final CredentialStrategy CREATOR = new CredentialStrategy("CREATOR");
  public static final CredentialStrategy EXECUTOR = new CredentialStrategy("EXECUTOR");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public CredentialStrategy {}

  @Override
  public String toString() {
    return value;
  }
}
