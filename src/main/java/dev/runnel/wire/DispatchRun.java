package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A request to dispatch work to a factory.
///
/// @param prompt passed to the agent unchanged
/// @param ticketRef `source:id`, such as `linear:PAY-123`; default: generated
/// @param more members unknown to this version, unchanged
@GenerateBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DispatchRun(
    @JsonProperty("prompt") String prompt,
    @JsonProperty("title") @Nullable String title,
    @JsonProperty("ticket_ref") @Nullable String ticketRef,
    @JsonProperty("ticket_url") @Nullable String ticketUrl,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public DispatchRun {
    DefensiveCopies.requireText(prompt, "prompt");
    more = DefensiveCopies.map(more);
  }

  public static DispatchRunBuilder builder() {
    return DispatchRunBuilder.builder();
  }

  /// Returns a builder with the values of this record.
  public DispatchRunBuilder toBuilder() {
    return DispatchRunBuilder.builder(this);
  }

  /// Leaves out what people wrote.
  @Override
  public String toString() {
    return "DispatchRun[ticketRef=" + ticketRef + "]";
  }
}
