package dev.runnel.surface.kit;

import dev.runnel.core.port.CredentialRefused;
import dev.runnel.core.port.ProxyRefused;
import dev.runnel.surface.kit.JsonHttp.JsonResponse;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// Calls a tracker, and maps the status and headers of its responses to results. Thread-safe.
public final class TrackerCalls {
  private static final List<String> REMAINING =
      List.of("x-ratelimit-remaining", "ratelimit-remaining");
  private static final List<String> RESET = List.of("x-ratelimit-reset", "ratelimit-reset");

  private final String platform;
  private final Credential credential;
  private final String urlSetting;
  private final InstantSource clock;
  private final Call probe;
  private final LimitBackoff backoff = new LimitBackoff();

  /// @param platform the display name
  /// @param credential the credential for calls
  /// @param urlSetting the variable that contains the URL
  /// @param probe a request that every valid credential may make
  public TrackerCalls(
      String platform, Credential credential, String urlSetting, InstantSource clock, Call probe) {
    this.platform = platform;
    this.credential = credential;
    this.urlSetting = urlSetting;
    this.clock = clock;
    this.probe = probe;
  }

  @FunctionalInterface
  public interface Call {
    JsonResponse send() throws IOException;
  }

  public String platform() {
    return platform;
  }

  public InstantSource clock() {
    return clock;
  }

  /// @param place the subject of the call, for people
  /// @throws CredentialRefused when the tracker rejects our credential
  public ApiResult make(Object place, Call call) {
    try {
      return result(place, call.send());
    } catch (IOException unreachable) {
      return new ApiResult.Busy(
          Optional.empty(),
          platform
              + " cannot be reached: "
              + ProxyRefused.in(unreachable).orElseGet(unreachable::toString));
    }
  }

  /// Sends the probe.
  ///
  /// @return one sentence on what to do if the response is not good; empty if it is
  public Optional<String> check() {
    try {
      var status = probe.send().status();
      return switch (status) {
        case 401 -> Optional.of(credentialRefused());
        default ->
            status < 500
                ? Optional.empty()
                : Optional.of(
                    "%s has a problem (status %d). Try again later.".formatted(platform, status));
      };
    } catch (IOException unreachable) {
      return Optional.of(
          ProxyRefused.in(unreachable)
              .map(why -> "cannot be reached: " + why + ".")
              .orElse("cannot be reached. Check " + urlSetting + " and the network."));
    }
  }

  /// Whether the tracker responds to the probe.
  ///
  /// @throws CredentialRefused when it rejects our credential
  public boolean isAvailable() {
    try {
      var status = probe.send().status();
      if (status == 401) {
        throw new CredentialRefused(credentialRefused());
      }
      return status < 500 && status != 429;
    } catch (IOException unreachable) {
      return false;
    }
  }

  private String credentialRefused() {
    return "%s does not accept %s. %s".formatted(platform, credential.name(), credential.remedy());
  }

  private ApiResult result(Object place, JsonResponse response) {
    var status = response.status();
    if (response.isGood()) {
      return new ApiResult.Done(response.body());
    }
    if (isRateLimited(response)) {
      return new ApiResult.Busy(Optional.of(pause(response)), platform + " rate limit exceeded");
    }
    if (status >= 500 || status == 408 || status < 400) {
      return new ApiResult.Busy(Optional.empty(), platform + " answered with status " + status);
    }
    return switch (status) {
      case 401 -> throw new CredentialRefused(credentialRefused());
      case 403 ->
          new ApiResult.Refused(
              ("%s does not let us comment on %s. Give %s permission to read and"
                      + " write issues there, and check whether the conversation is locked or the"
                      + " repository archived.")
                  .formatted(platform, place, credential.place()));
      case 404, 410 ->
          new ApiResult.Gone(
              "%s does not exist, or %s has no access to it. Give %s permission to read and write issues there."
                  .formatted(place, credential.place(), credential.name()));
      default ->
          new ApiResult.Refused(
              "%s refused to comment on %s (status %d).".formatted(platform, place, status));
    };
  }

  /// Whether the call was rate limited: 429, on Jira also 503 with Retry-After, on GitHub also 403
  /// with a rate limit header or message. See
  /// https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
  private static boolean isRateLimited(JsonResponse response) {
    return response.status() == 429
        || (response.status() == 503 && response.header("Retry-After").isPresent())
        || (response.status() == 403
            && (response.header("Retry-After").isPresent()
                || isExhausted(response)
                || Json.text(response.body(), "message")
                    .filter(text -> text.toLowerCase(Locale.ROOT).contains("rate limit"))
                    .isPresent()));
  }

  private static boolean isExhausted(JsonResponse response) {
    return numbers(response, REMAINING).anyMatch(left -> left == 0);
  }

  private Duration pause(JsonResponse response) {
    var retryAfter = response.number("Retry-After").map(Duration::ofSeconds);
    if (retryAfter.isPresent()) {
      return retryAfter.get();
    }
    var now = clock.instant();
    return resets(response)
        .map(reset -> Duration.between(now, reset))
        .filter(Duration::isPositive)
        .findFirst()
        .orElseGet(() -> backoff.pause(now));
  }

  /// When the limit is reset. GitHub sends seconds with every response, which count only if nothing
  /// remains; Jira sends a time such as `2026-01-05T09:15Z`, only with a 429.
  private static Stream<Instant> resets(JsonResponse response) {
    return Stream.concat(
        numbers(response, RESET).filter(_ -> isExhausted(response)).map(Instant::ofEpochSecond),
        RESET.stream()
            .flatMap(header -> response.header(header).stream())
            .flatMap(text -> time(text).stream()));
  }

  private static Optional<Instant> time(String text) {
    try {
      return Optional.of(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeException anotherForm) {
      return Optional.empty();
    }
  }

  private static Stream<Long> numbers(JsonResponse response, List<String> headers) {
    return headers.stream().flatMap(header -> response.number(header).stream());
  }
}
