package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.JsonHttp.JsonResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Maps GraphQL responses, which report failures in the body, to HTTP-like status codes. See
/// https://linear.app/developers/graphql and https://linear.app/developers/rate-limiting.
record GraphQl(InstantSource clock) {
  private static final Logger log = LoggerFactory.getLogger(GraphQl.class);
  // Linear's rate limits, each with the remaining amount and the reset time in milliseconds.
  private static final List<String> BUDGETS =
      List.of("X-RateLimit-Requests-", "X-RateLimit-Complexity-", "X-RateLimit-Endpoint-Requests-");
  private static final int NOT_GRAPHQL = 502;

  /// The value at the path below `data`, with a status for the result.
  ///
  /// @param path the requested field, from its outermost name
  JsonResponse read(JsonResponse response, String... path) {
    var data = response.body().path("data");
    var field = data.path(path[0]);
    var errors = response.body().path("errors");
    var isPresent = !field.isMissingNode() && !field.isNull();
    if (isPresent && !isRefused(field)) {
      if (!errors.isEmpty()) {
        log.warn("response incomplete query={} codes={}", path[0], codes(errors));
      }
      return new JsonResponse(200, response.headers(), nested(field, path));
    }
    if (!errors.isEmpty()) {
      return failed(response, errors, path[0]);
    }
    if (isPresent) {
      return with(response, 422);
    }
    if (data.has(path[0])) {
      return with(response, 404);
    }
    return response.isGood() ? with(response, NOT_GRAPHQL) : response;
  }

  private static JsonNode nested(JsonNode root, String... path) {
    var node = root;
    for (var depth = 1; depth < path.length; depth++) {
      node = node.path(path[depth]);
    }
    return node;
  }

  /// Whether a mutation reports that it failed.
  private static boolean isRefused(JsonNode payload) {
    return payload.path("success").isBoolean() && !payload.path("success").asBoolean();
  }

  private JsonResponse failed(JsonResponse response, JsonNode errors, String query) {
    var codes = codes(errors);
    log.info("call failed query={} status={} codes={}", query, response.status(), codes);
    if (codes.contains("RATELIMITED") || response.status() == 429) {
      return new JsonResponse(
          429,
          response
              .headers()
              .newBuilder()
              .set("Retry-After", String.valueOf(pause(response).toSeconds()))
              .build(),
          MissingNode.getInstance());
    }
    if (codes.contains("AUTHENTICATION_ERROR")) {
      return with(response, 401);
    }
    if (codes.contains("FORBIDDEN")) {
      return with(response, 403);
    }
    if (texts(errors).anyMatch(GraphQl::isNotFound)) {
      return with(response, 404);
    }
    if (codes.contains("INTERNAL_SERVER_ERROR") || codes.contains("LOCK_TIMEOUT")) {
      return with(response, 503);
    }
    return response.isGood() ? with(response, 400) : response;
  }

  private static boolean isNotFound(String message) {
    var text = message.toLowerCase(Locale.ROOT);
    return text.contains("not found") || text.contains("could not find");
  }

  private static List<String> codes(JsonNode errors) {
    return errors
        .valueStream()
        .flatMap(each -> Json.text(each.path("extensions"), "code").stream())
        .toList();
  }

  private static Stream<String> texts(JsonNode errors) {
    return errors.valueStream().flatMap(each -> Json.text(each, "message").stream());
  }

  /// The time until all exhausted limits are reset. If none is given, one minute, because the
  /// limits refill continuously.
  private Duration pause(JsonResponse response) {
    var retryAfter = response.number("Retry-After").map(Duration::ofSeconds);
    return retryAfter.orElseGet(
        () ->
            BUDGETS.stream()
                .filter(
                    budget ->
                        response.number(budget + "Remaining").filter(left -> left == 0).isPresent())
                .flatMap(budget -> response.number(budget + "Reset").stream())
                .map(reset -> Duration.between(clock.instant(), Instant.ofEpochMilli(reset)))
                .filter(Duration::isPositive)
                .max(Duration::compareTo)
                .map(pause -> pause.plusSeconds(1))
                .orElse(Duration.ofMinutes(1)));
  }

  private static JsonResponse with(JsonResponse response, int status) {
    return new JsonResponse(status, response.headers(), MissingNode.getInstance());
  }
}
