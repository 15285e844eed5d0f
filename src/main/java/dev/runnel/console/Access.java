package dev.runnel.console;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Who may see the console, and who may act from it.
///
/// From the machine itself the console is open; from elsewhere it takes the token, once, and then a
/// cookie. Each page carries a key that only this console can have made: what is posted with it was
/// posted by somebody who could see the page. Immutable, for any thread.
public final class Access {
  static final String COOKIE = "runnel-console";

  // A page of a foreign site may have its name point here, but it cannot have it read "localhost".
  private static final Pattern THIS_MACHINE =
      Pattern.compile("(?:localhost|127\\.0\\.0\\.1|\\[::1])(?::\\d+)?", Pattern.CASE_INSENSITIVE);
  private static final String ALGORITHM = "HmacSHA256";

  private final @Nullable String token;
  private final SecretKeySpec secret;

  /// @param token `RUNNEL_CONSOLE_TOKEN`; null closes the console to all but this machine
  public Access(@Nullable String token) {
    this.token = token;
    this.secret =
        new SecretKeySpec(
            token == null ? random() : ("runnel-console:" + token).getBytes(StandardCharsets.UTF_8),
            ALGORITHM);
  }

  private static byte[] random() {
    var bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    return bytes;
  }

  /// A look at a page.
  ///
  /// @param remoteAddress of the connection, as the socket says
  /// @param host the `Host` header
  /// @param forwarded whether a proxy says that it passes on somebody else's request
  record Visit(
      String remoteAddress,
      @Nullable String host,
      boolean forwarded,
      @Nullable String token,
      @Nullable String cookie) {}

  enum Verdict {
    OPEN,
    /// The token is right: hand out the cookie, and take the token out of the address.
    ENTERED,
    TOKEN_NEEDED,
    /// There is no token that would open it.
    ONLY_HERE
  }

  Verdict of(Visit visit) {
    if (token != null && visit.token() != null && same(token, visit.token())) {
      return Verdict.ENTERED;
    }
    if (isHere(visit)) {
      return Verdict.OPEN;
    }
    if (token == null) {
      return Verdict.ONLY_HERE;
    }
    return visit.cookie() != null && same(cookie(), visit.cookie())
        ? Verdict.OPEN
        : Verdict.TOKEN_NEEDED;
  }

  private static boolean isHere(Visit visit) {
    return !visit.forwarded()
        && visit.host() != null
        && THIS_MACHINE.matcher(visit.host()).matches()
        && isLoopback(visit.remoteAddress());
  }

  private static boolean isLoopback(String address) {
    try {
      return InetAddress.ofLiteral(address.replaceAll("^\\[|]$", "")).isLoopbackAddress();
    } catch (IllegalArgumentException notAnAddress) {
      return false;
    }
  }

  /// What the cookie holds: proof of the token, not the token.
  String cookie() {
    return sign("cookie");
  }

  /// A new key for a page.
  String pageKey() {
    var page = UUID.randomUUID().toString();
    return page + "." + sign("page:" + page);
  }

  /// Whether the key was made here, or by a console with the same token.
  boolean isPageKey(String key) {
    int dot = key.indexOf('.');
    return dot > 0 && same(sign("page:" + key.substring(0, dot)), key.substring(dot + 1));
  }

  private String sign(String text) {
    try {
      var mac = Mac.getInstance(ALGORITHM);
      mac.init(secret);
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every JDK has " + ALGORITHM, e);
    }
  }

  private static boolean same(String expected, String given) {
    return MessageDigest.isEqual(
        expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
  }
}
