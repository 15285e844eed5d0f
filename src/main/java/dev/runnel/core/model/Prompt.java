package dev.runnel.core.model;

import java.util.Map;

/// All that a start hands to the run service.
///
/// @param text the words, background included
/// @param metadata at most 20 short entries; `runnel.delivery` makes the run findable
public record Prompt(String text, String title, RunOptions options, Map<String, String> metadata) {
  public Prompt {
    metadata = Map.copyOf(metadata);
  }
}
