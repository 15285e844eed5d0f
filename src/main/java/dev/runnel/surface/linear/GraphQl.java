package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.JsonHttp.Answer;
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
  Answer read(Answer answer, String... path) {
    var data = answer.body().path("data");
    var asked = data.path(path[0]);
    var errors = answer.body().path("errors");
    var isThere = !asked.isMissingNode() && !asked.isNull();
    if (isThere && !isRefused(asked)) {
      if (!errors.isEmpty()) {
        log.warn("response incomplete query={} codes={}", path[0], codes(errors));
      }
      return new Answer(200, answer.headers(), at(asked, path));
    }
    if (!errors.isEmpty()) {
      return failed(answer, errors, path[0]);
    }
    if (isThere) {
      return with(answer, 422);
    }
    if (data.has(path[0])) {
      return with(answer, 404);
    }
    return answer.isGood() ? with(answer, NOT_GRAPHQL) : answer;
  }

  private static JsonNode at(JsonNode root, String... path) {
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

  private Answer failed(Answer answer, JsonNode errors, String query) {
    var codes = codes(errors);
    log.info("call failed query={} status={} codes={}", query, answer.status(), codes);
    if (codes.contains("RATELIMITED") || answer.status() == 429) {
      return new Answer(
          429,
          answer
              .headers()
              .newBuilder()
              .set("Retry-After", String.valueOf(pause(answer).toSeconds()))
              .build(),
          MissingNode.getInstance());
    }
    if (codes.contains("AUTHENTICATION_ERROR")) {
      return with(answer, 401);
    }
    if (codes.contains("FORBIDDEN")) {
      return with(answer, 403);
    }
    if (texts(errors).anyMatch(GraphQl::isAboutNothing)) {
      return with(answer, 404);
    }
    if (codes.contains("INTERNAL_SERVER_ERROR") || codes.contains("LOCK_TIMEOUT")) {
      return with(answer, 503);
    }
    return answer.isGood() ? with(answer, 400) : answer;
  }

  private static boolean isAboutNothing(String message) {
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
  private Duration pause(Answer answer) {
    var asked = answer.number("Retry-After").map(Duration::ofSeconds);
    return asked.orElseGet(
        () ->
            BUDGETS.stream()
                .filter(
                    budget ->
                        answer.number(budget + "Remaining").filter(left -> left == 0).isPresent())
                .flatMap(budget -> answer.number(budget + "Reset").stream())
                .map(reset -> Duration.between(clock.instant(), Instant.ofEpochMilli(reset)))
                .filter(Duration::isPositive)
                .max(Duration::compareTo)
                .map(pause -> pause.plusSeconds(1))
                .orElse(Duration.ofMinutes(1)));
  }

  private static Answer with(Answer answer, int status) {
    return new Answer(status, answer.headers(), MissingNode.getInstance());
  }
}
