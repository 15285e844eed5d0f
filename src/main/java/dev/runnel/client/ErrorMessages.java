package dev.runnel.client;

import dev.runnel.wire.Problem;
import java.util.ArrayList;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Builds the messages of failed requests: `Could not read run 7: Run not found (404
/// resource_not_found)`.
final class ErrorMessages {
  private static final int MAX = 300;

  private ErrorMessages() {}

  static String of(HttpRequest call, HttpResponse httpResponse) {
    return "Could not %s: %s (%s)"
        .formatted(
            call.action(), reason(call, httpResponse), withoutKey(call, details(httpResponse)));
  }

  /// Removes the API key, since a service may echo the request's headers.
  static String withoutKey(HttpRequest call, String text) {
    var authorization = call.headers().get("Authorization");
    if (authorization == null) {
      return text;
    }
    var key = authorization.substring(authorization.indexOf(' ') + 1);
    return key.isEmpty() ? text : text.replace(key, "…");
  }

  /// Text from outside as one line of limited length.
  static String clean(@Nullable String text) {
    if (text == null) {
      return "";
    }
    var line = text.replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
    return line.length() > MAX ? line.substring(0, MAX) + "…" : line;
  }

  private static String reason(HttpRequest call, HttpResponse httpResponse) {
    var message =
        httpResponse.problem().stream()
            .flatMap(ErrorMessages::text)
            .map(text -> clean(withoutKey(call, text)))
            .filter(text -> !text.isEmpty())
            .distinct()
            .collect(Collectors.joining(": "));
    if (!message.isEmpty()) {
      return clean(message);
    }
    return httpResponse.status() >= 300 && httpResponse.status() < 400
        ? "the address of the run service leads somewhere else"
        : "the run service answered with an error";
  }

  private static Stream<String> text(Problem problem) {
    var title = problem.title() == null ? problem.error() : problem.title();
    return Stream.of(title, problem.detail()).filter(Objects::nonNull);
  }

  private static String details(HttpResponse httpResponse) {
    var details = new ArrayList<String>();
    details.add(Integer.toString(httpResponse.status()));
    httpResponse
        .problem()
        .ifPresent(
            problem -> {
              if (!problem.code().value().isEmpty()) {
                details.set(0, httpResponse.status() + " " + clean(problem.code().value()));
              }
              if (problem.traceId() != null) {
                details.add("trace " + clean(problem.traceId()));
              }
            });
    var requestId = httpResponse.headers().get("X-Request-Id");
    if (requestId != null) {
      details.add("request " + clean(requestId));
    }
    return String.join(", ", details);
  }
}
