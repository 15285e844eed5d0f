package dev.runnel.core.model;

/// A place where people talk to Runnel: `slack`, `github`. Lower case, as in the addresses.
public record SurfaceId(String value) {
  public SurfaceId {
    NameCheck.require("surface id", value);
  }

  @Override
  public String toString() {
    return value;
  }
}
