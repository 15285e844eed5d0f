package dev.runnel.core.model;

/// The id the run service gave a run.
public record RunId(String value) {
  public RunId {
    NameCheck.require("run id", value);
  }

  @Override
  public String toString() {
    return value;
  }
}
