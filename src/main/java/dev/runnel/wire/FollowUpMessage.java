package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A follow-up to a run (the API's `RunFollowupRequest`).
///
/// @param message may be empty with attachments, and if the run continues a saved conversation
/// @param mode only has an effect if the message starts an execution
/// @param attachments at most 25
/// @param more members unknown to this version, unchanged
@GenerateBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FollowUpMessage(
    @JsonProperty("message") @Nullable String message,
    @JsonProperty("mode") @Nullable RunMode mode,
    @JsonProperty("attachments") @Nullable List<FollowUpAttachment> attachments,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public FollowUpMessage {
    attachments = attachments == null ? null : DefensiveCopies.list(attachments);
    more = DefensiveCopies.map(more);
  }

  public static FollowUpMessageBuilder builder() {
    return FollowUpMessageBuilder.builder();
  }

  /// Returns a builder with the values of this record.
  public FollowUpMessageBuilder toBuilder() {
    return FollowUpMessageBuilder.builder(this);
  }

  /// Whether it has something for the agent: a message or attachments.
  public boolean hasContent() {
    return (message != null && !message.isBlank())
        || (attachments != null && !attachments.isEmpty());
  }

  /// @throws IllegalArgumentException if the message is blank
  public static FollowUpMessage of(String message) {
    DefensiveCopies.requireText(message, "message");
    return builder().message(message).build();
  }

  /// Leaves out what people wrote.
  @Override
  public String toString() {
    return "FollowUpMessage[mode=" + mode + "]";
  }
}
