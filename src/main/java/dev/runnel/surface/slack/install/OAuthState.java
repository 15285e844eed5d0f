package dev.runnel.surface.slack.install;

import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.slack.model.SlackClient;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/// The OAuth state of an installation, which prevents cross-site request forgery: the browser gets
/// a cookie, and Slack's page a state bound to that cookie. The state is signed, so nothing is
/// stored about installations that are never finished. It is valid once, for ten minutes.
public final class OAuthState {
  static final Duration LIFE = Duration.ofMinutes(10);

  private static final String PURPOSE = "runnel: state of a slack installation\n";
  private static final Pattern STATE = Pattern.compile("([0-9]{1,11})\\.([0-9a-f]{64})");
  private static final int COOKIE_BYTES = 32;

  private final List<String> secrets;
  private final InstallationRows rows;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();

  public OAuthState(SlackClient client, InstallationRows rows, InstantSource clock) {
    this.secrets = client.secrets();
    this.rows = rows;
    this.clock = clock;
  }

  /// A new random cookie value.
  String cookie() {
    var bytes = new byte[COOKIE_BYTES];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  String begin(String cookie) {
    var expires = Long.toString(clock.instant().plus(LIFE).getEpochSecond());
    return expires + "." + Hmac.hex(secrets.getFirst(), signed(expires, cookie));
  }

  private static byte[] signed(String expires, String cookie) {
    return (PURPOSE + expires + "\n" + cookie).getBytes(StandardCharsets.UTF_8);
  }

  /// Verifies the state and marks it as used.
  ///
  /// @return false when it belongs to another browser, has expired, or was used before
  boolean end(String state, String cookie) throws SQLException {
    var parts = STATE.matcher(state);
    if (!parts.matches() || cookie.isEmpty()) {
      return false;
    }
    var expires = Instant.ofEpochSecond(Long.parseLong(parts.group(1)));
    var now = clock.instant();
    return new Hmac(secrets).signs(parts.group(2), signed(parts.group(1), cookie))
        && now.isBefore(expires)
        && rows.use(parts.group(2), expires, now);
  }
}
