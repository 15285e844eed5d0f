package dev.runnel.service.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.Optional;

/// What an agent's model took.
///
/// @param input tokens that were read, those from a cache included
/// @param output tokens that were written
/// @param dollars empty where the agent does not know
/// @param ofSession whether the session's earlier executions are counted in it
public record Usage(long input, long output, Optional<BigDecimal> dollars, boolean ofSession) {
  public static final Usage NONE = new Usage(0, 0, Optional.empty(), false);

  /// Adds what was used later.
  public Usage plus(Usage later) {
    if (later.ofSession) {
      return later;
    }
    var sum =
        dollars.isPresent() || later.dollars.isPresent()
            ? Optional.of(
                dollars.orElse(BigDecimal.ZERO).add(later.dollars.orElse(BigDecimal.ZERO)))
            : Optional.<BigDecimal>empty();
    return new Usage(input + later.input, output + later.output, sum, ofSession);
  }

  public boolean isNothing() {
    return input == 0 && output == 0;
  }

  /// As a run's `request_usage` has it.
  public String toJson() {
    var json = Json.newObject();
    json.put("input_tokens", input).put("output_tokens", output);
    json.put("total_tokens", input + output);
    dollars.ifPresent(amount -> json.put("inference_cost_usd", amount));
    return json.toString();
  }

  public static Usage fromJson(String text) {
    var json = Json.read(text);
    return new Usage(
        json.path("input_tokens").asLong(),
        json.path("output_tokens").asLong(),
        // By the name that it was kept under before.
        dollars(json.path("inference_cost_usd")).or(() -> dollars(json.path("total_cost_usd"))),
        false);
  }

  /// A price, where there is one: agents without a price list say 0.
  public static Optional<BigDecimal> dollars(JsonNode amount) {
    return Optional.of(amount)
        .filter(JsonNode::isNumber)
        .map(JsonNode::decimalValue)
        .filter(value -> value.signum() > 0);
  }
}
