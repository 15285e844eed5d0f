package dev.runnel.core.model;

/// The run service's id of a run.
public record RunId(String value) {
  public RunId {
    NameCheck.require("run id", value);
  }

  @Override
  public String toString() {
    return value;
  }
}
