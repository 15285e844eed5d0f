package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The usage of a run. Its members change between versions of the service, so the original JSON is
/// kept; stable members have accessors, which return null if the member is absent.
public record RequestUsage(@JsonValue JsonNode json) {
  /// @param usageType how the model was accessed: `warp`, `byok`, `custom_endpoint`
  public record ModelTokens(String modelId, long totalTokens, @Nullable String usageType) {}

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public RequestUsage {}

  /// In credits.
  public @Nullable BigDecimal inferenceCost() {
    return amount("inference_cost");
  }

  /// In credits.
  public @Nullable BigDecimal computeCost() {
    return amount("compute_cost");
  }

  /// In credits.
  public @Nullable BigDecimal platformCost() {
    return amount("platform_cost");
  }

  public @Nullable BigDecimal inferenceCostUsd() {
    return amount("inference_cost_usd");
  }

  public @Nullable BigDecimal computeCostUsd() {
    return amount("compute_cost_usd");
  }

  public @Nullable BigDecimal platformCostUsd() {
    return amount("platform_cost_usd");
  }

  public @Nullable Long totalTokens() {
    var tokens = json.path("total_tokens");
    return tokens.isIntegralNumber() ? tokens.longValue() : null;
  }

  /// Tokens by model; only for the service's own agents.
  public List<ModelTokens> modelTokens() {
    var models = new ArrayList<ModelTokens>();
    for (var each : json.path("model_token_usage")) {
      if (each.path("model_id").isTextual()) {
        models.add(
            new ModelTokens(
                each.path("model_id").textValue(),
                each.path("total_tokens").asLong(),
                each.path("usage_type").textValue()));
      }
    }
    return List.copyOf(models);
  }

  private @Nullable BigDecimal amount(String member) {
    var amount = json.path(member);
    return amount.isNumber() ? amount.decimalValue() : null;
  }
}
