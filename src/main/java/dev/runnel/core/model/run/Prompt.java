package dev.runnel.core.model.run;

import dev.runnel.core.model.conversation.Attachment;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Everything that the run service gets to start a run.
///
/// @param text the full prompt text, background included
/// @param metadata at most 20 short entries; `runnel.delivery` makes the run findable after a crash
/// @param base system instructions for the agent, independent of the request
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
