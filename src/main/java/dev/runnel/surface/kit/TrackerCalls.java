package dev.runnel.surface.kit;

import dev.runnel.core.port.CredentialRefused;
import dev.runnel.surface.kit.JsonHttp.Answer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// Makes calls to a tracker, and derives their results from status and headers.
///
/// @param platform the display name
/// @param credential the credential for calls
/// @param urlSetting the variable that contains the URL
/// @param probe a request that every valid credential may make
public record TrackerCalls(
    String platform, Credential credential, String urlSetting, InstantSource clock, Call probe) {
  // The delay if a rate limit response names none.
  private static final Duration A_MINUTE = Duration.ofMinutes(1);
  private static final List<String> REMAINING =
      List.of("x-ratelimit-remaining", "ratelimit-remaining");
  private static final List<String> RESET = List.of("x-ratelimit-reset", "ratelimit-reset");

  /// Sends one request.
  @FunctionalInterface
  public interface Call {
    Answer send() throws IOException;
  }

  /// @param place the subject of the call, for people
  /// @throws CredentialRefused when the tracker rejects our credential
  public ApiResult make(Object place, Call call) {
    try {
      return result(place, call.send());
    } catch (IOException unreachable) {
      return new ApiResult.Busy(Optional.empty(), platform + " cannot be reached: " + unreachable);
    }
  }

  /// Makes the probe.
  ///
  /// @return one sentence on what to do if the response is not good; empty if it is
  public Optional<String> check() {
    try {
      var status = probe.send().status();
      return switch (status) {
        case 401 -> Optional.of(notAccepted());
        default ->
            status < 500
                ? Optional.empty()
                : Optional.of(
                    "%s is in trouble (status %d). Try again later.".formatted(platform, status));
      };
    } catch (IOException unreachable) {
      return Optional.of("not reached. Look at " + urlSetting + " and the network.");
    }
  }

  /// Whether the tracker responds to the probe.
  ///
  /// @throws CredentialRefused when it rejects our credential
  public boolean isAvailable() {
    try {
      var status = probe.send().status();
      if (status == 401) {
        throw new CredentialRefused(notAccepted());
      }
      return status < 500 && status != 429;
    } catch (IOException unreachable) {
      return false;
    }
  }

  private String notAccepted() {
    return "%s does not accept %s. %s".formatted(platform, credential.name(), credential.mend());
  }

  private ApiResult result(Object place, Answer answer) {
    var status = answer.status();
    if (answer.isGood()) {
      return new ApiResult.Done(answer.body());
    }
    if (isForHaste(answer)) {
      return new ApiResult.Busy(Optional.of(pause(answer)), platform + " asks to slow down");
    }
    if (status >= 500 || status == 408 || status < 400) {
      return new ApiResult.Busy(Optional.empty(), platform + " answered with status " + status);
    }
    return switch (status) {
      case 401 -> throw new CredentialRefused(notAccepted());
      case 403 ->
          new ApiResult.Refused(
              ("%s does not let us comment on %s. Give %s the right to read and"
                      + " write issues there, and look whether the conversation is locked or the"
                      + " repository archived.")
                  .formatted(platform, place, credential.place()));
      case 404, 410 ->
          new ApiResult.Gone(
              "%s is gone, or %s may not see it. Give %s the right to read and write issues there."
                  .formatted(place, credential.place(), credential.name()));
      default ->
          new ApiResult.Refused(
              "%s refused to comment on %s (status %d).".formatted(platform, place, status));
    };
  }

  /// Whether the call was rate limited: 429, on Jira also 503 with Retry-After, on GitHub also 403
  /// with a rate limit header or message. See
  /// https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
  private static boolean isForHaste(Answer answer) {
    return answer.status() == 429
        || (answer.status() == 503 && answer.header("Retry-After").isPresent())
        || (answer.status() == 403
            && (answer.header("Retry-After").isPresent()
                || isSpent(answer)
                || Json.text(answer.body(), "message")
                    .filter(text -> text.toLowerCase(Locale.ROOT).contains("rate limit"))
                    .isPresent()));
  }

  private static boolean isSpent(Answer answer) {
    return numbers(answer, REMAINING).anyMatch(left -> left == 0);
  }

  private Duration pause(Answer answer) {
    var asked = answer.number("Retry-After").map(Duration::ofSeconds);
    if (asked.isPresent()) {
      return asked.get();
    }
    return numbers(answer, RESET)
        .filter(_ -> isSpent(answer))
        .map(reset -> Duration.between(clock.instant(), Instant.ofEpochSecond(reset)))
        .filter(Duration::isPositive)
        .findFirst()
        .orElse(A_MINUTE);
  }

  private static Stream<Long> numbers(Answer answer, List<String> headers) {
    return headers.stream().flatMap(header -> answer.number(header).stream());
  }
}
