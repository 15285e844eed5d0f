package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A follow-up to a run (the API's `RunFollowupRequest`).
///
/// @param mode only has an effect if the message starts an execution
/// @param attachments at most 25; with them the message may be empty
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FollowUpMessage(
    @JsonProperty("message") @Nullable String message,
    @JsonProperty("mode") @Nullable RunMode mode,
    @JsonProperty("attachments") @Nullable List<FollowUpAttachment> attachments,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public FollowUpMessage {
    attachments = attachments == null ? null : Copies.list(attachments);
    more = Copies.map(more);
  }

  public static Builder builder() {
    return new Builder();
  }

  /// Returns a builder with the values of this record.
  public Builder toBuilder() {
    var builder = new Builder();
    builder.message = message;
    builder.mode = mode;
    builder.attachments = attachments;
    builder.more.putAll(more);
    return builder;
  }

  public static FollowUpMessage of(String message) {
    return builder().message(message).build();
  }

  /// Leaves out what people wrote.
  @Override
  public String toString() {
    return "FollowUpMessage[mode=" + mode + "]";
  }

  /// Not thread-safe.
  public static final class Builder {
    private @Nullable String message;
    private @Nullable RunMode mode;
    private @Nullable List<FollowUpAttachment> attachments;
    private final Map<String, JsonNode> more = new LinkedHashMap<>();

    private Builder() {}

    public Builder message(String message) {
      this.message = message;
      return this;
    }

    public Builder mode(RunMode mode) {
      this.mode = mode;
      return this;
    }

    public Builder attachments(List<FollowUpAttachment> attachments) {
      this.attachments = attachments;
      return this;
    }

    /// Sets any other member; a JSON null is sent as null.
    public Builder member(String name, JsonNode value) {
      more.put(name, value);
      return this;
    }

    /// @throws IllegalStateException if a required value is missing
    public FollowUpMessage build() {
      if ((message == null || message.isBlank())
          && (attachments == null || attachments.isEmpty())) {
        throw new IllegalStateException("A follow-up needs a message or attachments");
      }
      return new FollowUpMessage(message, mode, attachments, more);
    }
  }
}
