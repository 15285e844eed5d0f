package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The agent that executes a run, and its settings (a member of [AgentConfig]).
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Harness(
    @JsonProperty("type") @Nullable HarnessType type,
    @JsonProperty("model_id") @Nullable String modelId,
    @JsonProperty("reasoning_level") @Nullable String reasoningLevel,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public Harness {
    more = Copies.map(more);
  }

  public static Builder builder() {
    return new Builder();
  }

  /// Returns a builder with the values of this record.
  public Builder toBuilder() {
    var builder = new Builder();
    builder.type = type;
    builder.modelId = modelId;
    builder.reasoningLevel = reasoningLevel;
    builder.more.putAll(more);
    return builder;
  }

  /// Not thread-safe.
  public static final class Builder {
    private @Nullable HarnessType type;
    private @Nullable String modelId;
    private @Nullable String reasoningLevel;
    private final Map<String, JsonNode> more = new LinkedHashMap<>();

    private Builder() {}

    public Builder type(HarnessType type) {
      this.type = type;
      return this;
    }

    public Builder modelId(String modelId) {
      this.modelId = modelId;
      return this;
    }

    public Builder reasoningLevel(String reasoningLevel) {
      this.reasoningLevel = reasoningLevel;
      return this;
    }

    /// Sets any other member; a JSON null is sent as null.
    public Builder member(String name, JsonNode value) {
      more.put(name, value);
      return this;
    }

    public Harness build() {
      return new Harness(type, modelId, reasoningLevel, more);
    }
  }
}
