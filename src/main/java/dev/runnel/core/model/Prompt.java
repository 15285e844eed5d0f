package dev.runnel.core.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// All that a start hands to the run service.
///
/// @param text the words, background included
/// @param metadata at most 20 short entries; `runnel.delivery` makes the run findable
/// @param base shapes how the agent behaves, whatever it is asked
public record Prompt(
    String text,
    String title,
    RunOptions options,
    Map<String, String> metadata,
    List<Attachment> attachments,
    Optional<String> base) {
  public Prompt {
    attachments = List.copyOf(attachments);
    metadata = Map.copyOf(metadata);
  }

  public Prompt(String text, String title, RunOptions options, Map<String, String> metadata) {
    this(text, title, options, metadata, List.of(), Optional.empty());
  }
}
