package dev.runnel.client;

import dev.runnel.wire.Problem;
import java.util.ArrayList;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The messages of failed requests: `Could not read run 7: Run not found (404
/// resource_not_found)`.
final class Sentences {
  private static final int LONGEST = 300;

  private Sentences() {}

  static String of(HttpCall call, Answer answer) {
    return "Could not %s: %s (%s)"
        .formatted(call.action(), withoutKey(call, why(answer)), facts(answer));
  }

  /// A service may quote the request's headers back.
  private static String withoutKey(HttpCall call, String words) {
    var authorization = call.headers().get("Authorization");
    return authorization == null
        ? words
        : words.replace(authorization.substring(authorization.indexOf(' ') + 1), "…");
  }

  private static String why(Answer answer) {
    var said =
        answer.problem().stream()
            .flatMap(Sentences::words)
            .distinct()
            .collect(Collectors.joining(": "));
    if (!said.isEmpty()) {
      return said.length() > LONGEST ? said.substring(0, LONGEST) + "…" : said;
    }
    return answer.status() >= 300 && answer.status() < 400
        ? "the address of the run service leads somewhere else"
        : "the run service answered with an error";
  }

  private static Stream<String> words(Problem problem) {
    var title = problem.title() == null ? problem.error() : problem.title();
    return Stream.of(title, problem.detail())
        .filter(Objects::nonNull)
        .map(words -> words.replaceAll("[\\s\\p{Cntrl}]+", " ").strip())
        .filter(words -> !words.isEmpty());
  }

  private static String facts(Answer answer) {
    var facts = new ArrayList<String>();
    facts.add(Integer.toString(answer.status()));
    answer
        .problem()
        .ifPresent(
            problem -> {
              if (!problem.code().value().isEmpty()) {
                facts.set(0, answer.status() + " " + problem.code());
              }
              if (problem.traceId() != null) {
                facts.add("trace " + problem.traceId());
              }
            });
    var requestId = answer.headers().get("X-Request-Id");
    if (requestId != null) {
      facts.add("request " + requestId);
    }
    return String.join(", ", facts);
  }
}
