package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.runnel.surface.kit.JsonHttp;
import dev.runnel.surface.kit.JsonHttp.Answer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import okhttp3.OkHttpClient;

/// GitHub's REST API, as far as Runnel calls it. Thread-safe; blocks.
final class GitHubApi {
  /// The most comments a page can have.
  static final int PAGE = 100;

  // What GitHub asks for where a refusal for haste does not say how long.
  private static final Duration A_MINUTE = Duration.ofMinutes(1);

  private final JsonHttp http;
  private final InstantSource clock;

  GitHubApi(GitHubConfig config, OkHttpClient http, InstantSource clock) {
    this.http =
        new JsonHttp(
            http,
            config.apiUrl(),
            Map.of(
                "Authorization", "Bearer " + config.token(),
                "Accept", "application/vnd.github+json",
                "X-GitHub-Api-Version", "2022-11-28",
                "User-Agent", "runnel"));
    this.clock = clock;
  }

  /// What became of a call.
  sealed interface Result {
    record Done(JsonNode body) implements Result {}

    /// Not now, or nobody knows whether it happened.
    record Busy(Optional<Duration> after, String why) implements Result {}

    /// It is not there, or the token may not see it.
    record Gone(String why) implements Result {}

    /// A final no.
    ///
    /// @param why one plain sentence with what to do
    record Refused(String why) implements Result {}
  }

  /// Asks GitHub for something that every token may ask.
  ///
  /// @return what to do when it does not answer, in a sentence
  Optional<String> check() {
    try {
      var status = http.get("/rate_limit").status();
      return switch (status) {
        case 401 ->
            Optional.of(
                "GitHub does not accept the token. Put a valid one into "
                    + GitHubConfig.TOKEN
                    + ".");
        default ->
            status < 500
                ? Optional.empty()
                : Optional.of("GitHub is in trouble (status " + status + "). Try again later.");
      };
    } catch (IOException unreachable) {
      return Optional.of("not reached. Look at " + GitHubConfig.API_URL + " and the network.");
    }
  }

  Result comment(IssueKey issue, String body) {
    return call(issue, () -> http.post(issue.issuePath() + "/comments", body(body)));
  }

  Result edit(IssueKey issue, long comment, String body) {
    return call(issue, () -> http.patch(issue.commentPath(comment), body(body)));
  }

  Result issue(IssueKey issue) {
    return call(issue, () -> http.get(issue.issuePath()));
  }

  /// A page of comments, oldest first; the first page is 1.
  Result comments(IssueKey issue, int page) {
    return call(issue, () -> http.get(commentsPath(issue, page)));
  }

  /// The same, only what was said or edited since.
  Result comments(IssueKey issue, Instant since, int page) {
    return call(issue, () -> http.get(commentsPath(issue, page) + since(since)));
  }

  /// A page of a repository's issues and pull requests that changed since, oldest change first.
  Result issues(String repository, Instant since, int page) {
    var list = "/repos/%s/issues?state=all&sort=updated&direction=asc&per_page=%d&page=%d";
    return call(repository, () -> http.get(list.formatted(repository, PAGE, page) + since(since)));
  }

  /// A page of what happened to an issue, oldest first.
  Result events(IssueKey issue, int page) {
    return call(
        issue, () -> http.get(issue.issuePath() + "/events?per_page=" + PAGE + "&page=" + page));
  }

  private static String since(Instant since) {
    return "&since=" + since.truncatedTo(ChronoUnit.SECONDS);
  }

  Result react(IssueKey issue, long comment, String emoji) {
    var reaction = JsonNodeFactory.instance.objectNode().put("content", emoji);
    return call(issue, () -> http.post(issue.commentPath(comment) + "/reactions", reaction));
  }

  private static String commentsPath(IssueKey issue, int page) {
    return issue.issuePath() + "/comments?per_page=" + PAGE + "&page=" + page;
  }

  private static JsonNode body(String text) {
    return JsonNodeFactory.instance.objectNode().put("body", text);
  }

  @FunctionalInterface
  private interface Call {
    Answer send() throws IOException;
  }

  private Result call(Object place, Call call) {
    try {
      return result(place, call.send());
    } catch (IOException unreachable) {
      return new Result.Busy(Optional.empty(), "GitHub cannot be reached: " + unreachable);
    }
  }

  /// @param place what the call is about
  private Result result(Object place, Answer answer) {
    var status = answer.status();
    if (answer.isGood()) {
      return new Result.Done(answer.body());
    }
    if (isForHaste(answer)) {
      return new Result.Busy(Optional.of(pause(answer)), "GitHub asks to slow down");
    }
    if (status >= 500 || status == 408 || status < 400) {
      return new Result.Busy(Optional.empty(), "GitHub answered with status " + status);
    }
    return switch (status) {
      case 401 ->
          new Result.Refused(
              "GitHub does not accept the token. Put a valid one into %s."
                  .formatted(GitHubConfig.TOKEN));
      case 403 ->
          new Result.Refused(
              ("GitHub does not let us comment on %s. Give the token in %s the right to read and"
                      + " write issues there, and look whether the conversation is locked or the"
                      + " repository archived.")
                  .formatted(place, GitHubConfig.TOKEN));
      case 404, 410 ->
          new Result.Gone(
              ("%s is gone, or the token in %s may not see it. Give the token the right to read"
                      + " and write issues there.")
                  .formatted(place, GitHubConfig.TOKEN));
      default ->
          new Result.Refused(
              "GitHub refused to comment on %s (status %d).".formatted(place, status));
    };
  }

  /// GitHub says "too much" with 429, or with 403 and a hint.
  /// See https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
  private static boolean isForHaste(Answer answer) {
    return answer.status() == 429
        || (answer.status() == 403
            && (answer.header("Retry-After").isPresent()
                || isSpent(answer)
                || Json.text(answer.body(), "message")
                    .filter(text -> text.toLowerCase(Locale.ROOT).contains("rate limit"))
                    .isPresent()));
  }

  private static boolean isSpent(Answer answer) {
    return answer.number("x-ratelimit-remaining").equals(Optional.of(0L));
  }

  private Duration pause(Answer answer) {
    var asked = answer.number("Retry-After").map(Duration::ofSeconds);
    if (asked.isPresent()) {
      return asked.get();
    }
    return answer
        .number("x-ratelimit-reset")
        .filter(_ -> isSpent(answer))
        .map(reset -> Duration.between(clock.instant(), Instant.ofEpochSecond(reset)))
        .filter(Duration::isPositive)
        .orElse(A_MINUTE);
  }
}
