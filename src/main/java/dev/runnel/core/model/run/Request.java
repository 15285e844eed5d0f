package dev.runnel.core.model.run;

/// The text for the agent, and the options to run it with.
public record Request(String text, RunOptions options) {
  public static Request of(String text) {
    return new Request(text, RunOptions.NONE);
  }
}
