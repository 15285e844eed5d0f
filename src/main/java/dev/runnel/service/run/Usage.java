package dev.runnel.service.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.Optional;

/// Token usage of an agent's model.
///
/// @param input input tokens, including those read from a cache
/// @param output output tokens
/// @param dollars cost in US dollars; empty if the agent does not report it
/// @param ofSession whether the numbers include earlier executions of the session
public record Usage(long input, long output, Optional<BigDecimal> dollars, boolean ofSession) {
  public static final Usage NONE = new Usage(0, 0, Optional.empty(), false);

  /// More than any agent uses. What a tool of the agent prints may look like a report.
  private static final long MAX_TOKENS = 1_000_000_000_000L;

  private static final BigDecimal MAX_DOLLARS = BigDecimal.valueOf(1_000_000_000);

  public Usage {
    input = Math.clamp(input, 0, MAX_TOKENS);
    output = Math.clamp(output, 0, MAX_TOKENS);
  }

  /// Adds later usage. A total of the session replaces the earlier numbers.
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

  /// The difference to an earlier total; no value is negative.
  public Usage since(Usage earlier) {
    return new Usage(
        Math.max(0, input - earlier.input),
        Math.max(0, output - earlier.output),
        dollars
            .map(now -> now.subtract(earlier.dollars.orElse(BigDecimal.ZERO)))
            .filter(added -> added.signum() > 0),
        false);
  }

  public boolean isEmpty() {
    return input == 0 && output == 0;
  }

  /// Formats it as the `request_usage` of a run.
  public String toJson() {
    var json = ServiceJson.newObject();
    json.put("input_tokens", input).put("output_tokens", output);
    json.put("total_tokens", input + output);
    dollars.ifPresent(amount -> json.put("inference_cost_usd", amount));
    return json.toString();
  }

  public static Usage fromJson(String text) {
    var json = ServiceJson.read(text);
    return new Usage(
        json.path("input_tokens").asLong(),
        json.path("output_tokens").asLong(),
        // The former name of the member, in rows of older versions.
        dollars(json.path("inference_cost_usd")).or(() -> dollars(json.path("total_cost_usd"))),
        false);
  }

  /// The cost, if there is one: agents without a price list report 0.
  public static Optional<BigDecimal> dollars(JsonNode amount) {
    return Optional.of(amount)
        .filter(JsonNode::isNumber)
        .map(JsonNode::decimalValue)
        .map(MAX_DOLLARS::min)
        .filter(value -> value.signum() > 0);
  }
}
