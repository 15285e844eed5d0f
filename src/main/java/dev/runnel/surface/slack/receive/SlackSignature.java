package dev.runnel.surface.slack.receive;

import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.kit.Hmac;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;

/// Verifies Slack's request signatures: `v0=` and an HMAC-SHA256 over `v0:`, the timestamp, `:` and
/// the raw body.
///
/// See [Verifying requests](https://docs.slack.dev/authentication/verifying-requests-from-slack).
public final class SlackSignature {
  public static final String SIGNATURE = "X-Slack-Signature";
  public static final String TIMESTAMP = "X-Slack-Request-Timestamp";

  private static final Duration MAX_AGE = Duration.ofMinutes(5);
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,11}");
  private static final String VERSION = "v0=";

  private final Hmac hmac;

  public SlackSignature(Hmac hmac) {
    this.hmac = hmac;
  }

  /// Whether the signature is valid and the timestamp within five minutes of the arrival.
  public boolean proves(RawRequest request) {
    var timestamp = request.header(TIMESTAMP).orElse("");
    var signature = request.header(SIGNATURE).orElse("");
    return SECONDS.matcher(timestamp).matches()
        && signature.startsWith(VERSION)
        && isFresh(Instant.ofEpochSecond(Long.parseLong(timestamp)), request.arrivedAt())
        && hmac.signs(
            signature.substring(VERSION.length()),
            ("v0:" + timestamp + ":").getBytes(StandardCharsets.US_ASCII),
            request.body());
  }

  private static boolean isFresh(Instant sent, Instant arrived) {
    return Duration.between(sent, arrived).abs().compareTo(MAX_AGE) <= 0;
  }
}
