package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A request to dispatch work to a factory.
///
/// @param prompt passed to the agent unchanged
/// @param ticketRef `source:id`, such as `linear:PAY-123`; default: generated
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DispatchRun(
    @JsonProperty("prompt") String prompt,
    @JsonProperty("title") @Nullable String title,
    @JsonProperty("ticket_ref") @Nullable String ticketRef,
    @JsonProperty("ticket_url") @Nullable String ticketUrl,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public DispatchRun {
    Copies.requireText(prompt, "prompt");
    more = Copies.map(more);
  }

  public static Builder builder() {
    return new Builder();
  }

  /// Returns a builder with the values of this record.
  public Builder toBuilder() {
    var builder = new Builder();
    builder.prompt = prompt;
    builder.title = title;
    builder.ticketRef = ticketRef;
    builder.ticketUrl = ticketUrl;
    builder.more.putAll(more);
    return builder;
  }

  /// Leaves out what people wrote.
  @Override
  public String toString() {
    return "DispatchRun[ticketRef=" + ticketRef + "]";
  }

  /// Not thread-safe.
  public static final class Builder {
    private @Nullable String prompt;
    private @Nullable String title;
    private @Nullable String ticketRef;
    private @Nullable String ticketUrl;
    private final Map<String, JsonNode> more = new LinkedHashMap<>();

    private Builder() {}

    public Builder prompt(String prompt) {
      this.prompt = prompt;
      return this;
    }

    public Builder title(String title) {
      this.title = title;
      return this;
    }

    public Builder ticketRef(String ticketRef) {
      this.ticketRef = ticketRef;
      return this;
    }

    public Builder ticketUrl(String ticketUrl) {
      this.ticketUrl = ticketUrl;
      return this;
    }

    /// Sets any other member; a JSON null is sent as null.
    public Builder member(String name, JsonNode value) {
      more.put(name, value);
      return this;
    }

    /// @throws IllegalStateException if a required value is missing
    public DispatchRun build() {
      if (prompt == null || prompt.isBlank()) {
        throw new IllegalStateException("A dispatch needs its prompt");
      }
      return new DispatchRun(prompt, title, ticketRef, ticketUrl, more);
    }
  }
}
