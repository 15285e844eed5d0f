package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// The type of an artifact. Open: unknown values are preserved.
public record ArtifactType(@JsonValue String value) {
  public static final ArtifactType PLAN = new ArtifactType("PLAN");
  public static final ArtifactType PULL_REQUEST = new ArtifactType("PULL_REQUEST");
  public static final ArtifactType SCREENSHOT = new ArtifactType("SCREENSHOT");
  public static final ArtifactType FILE = new ArtifactType("FILE");
  public static final ArtifactType EXTERNAL_REFERENCE = new ArtifactType("EXTERNAL_REFERENCE");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public ArtifactType {}

  @Override
  public String toString() {
    return value;
  }
}
