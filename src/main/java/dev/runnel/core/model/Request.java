package dev.runnel.core.model;

/// The words for the agent, and how it should be run.
public record Request(String text, RunOptions options) {
  public static Request of(String text) {
    return new Request(text, RunOptions.NONE);
  }
}
