package dev.runnel.console;

import dev.runnel.core.port.Sessions;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Authenticates the console's visitors by a session or the token. No address is trusted, since
/// agents and proxies share this machine's. A session begins with a single-use link or the token.
/// Thread-safe.
public final class ConsoleAuthentication {
  static final String COOKIE = "runnel-console";

  /// How long a session lasts.
  static final Duration SESSION = Duration.ofDays(14);

  /// How long a link is valid.
  public static final Duration LINK = Duration.ofHours(1);

  /// Where links and the token are exchanged for a session.
  public static final String ENTRANCE = "/enter";

  private static final String BEARER = "Bearer ";
  private static final int SECRET_BYTES = 24;
  private static final Pattern SECRET = Pattern.compile("[A-Za-z0-9_-]{32}");
  private static final String ALGORITHM = "HmacSHA256";

  private final @Nullable String token;
  private final Sessions sessions;
  private final InstantSource clock;
  private final Backoff backoff = new Backoff();
  private final SecureRandom random = new SecureRandom();

  /// @param token `RUNNEL_CONSOLE_TOKEN`; null where only links open the console
  public ConsoleAuthentication(@Nullable String token, Sessions sessions, InstantSource clock) {
    this.token = token;
    this.sessions = sessions;
    this.clock = clock;
  }

  /// Creates a link; returns its path and query.
  public String newLink() {
    var link = secret();
    sessions.offer(link, clock.instant().plus(LINK));
    return ENTRANCE + "?link=" + link;
  }

  boolean hasToken() {
    return token != null;
  }

  /// An authenticated visitor.
  ///
  /// @param secret a secret shared by this visitor and us: the session's, or the token
  record Visitor(String secret) {
    /// Creates a page key, which proves that a form was posted by somebody who could see the page.
    String pageKey() {
      var page = UUID.randomUUID().toString();
      return page + "." + sign(page);
    }

    /// Whether the key was created for this visitor.
    boolean isPageKey(String key) {
      int dot = key.indexOf('.');
      return dot > 0 && same(sign(key.substring(0, dot)), key.substring(dot + 1));
    }

    private String sign(String page) {
      try {
        var mac = Mac.getInstance(ALGORITHM);
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM));
        return HexFormat.of()
            .formatHex(mac.doFinal(("page:" + page).getBytes(StandardCharsets.UTF_8)));
      } catch (GeneralSecurityException impossible) {
        throw new IllegalStateException("Every JDK has " + ALGORITHM, impossible);
      }
    }

    /// Omits the secret.
    @Override
    public String toString() {
      return "Visitor[]";
    }
  }

  /// The sender of a request, by its headers; empty if not authenticated.
  ///
  /// @param cookies the header `Cookie`
  /// @param authorization the header `Authorization`
  Optional<Visitor> visitor(Optional<String> cookies, Optional<String> authorization) {
    var bearer =
        authorization
            .filter(text -> text.regionMatches(true, 0, BEARER, 0, BEARER.length()))
            .map(text -> text.substring(BEARER.length()).strip());
    if (bearer.isPresent()) {
      return refusal(bearer.get()).isEmpty() ? bearer.map(Visitor::new) : Optional.empty();
    }
    return session(cookies)
        .filter(secret -> sessions.isOpen(secret, clock.instant()))
        .map(Visitor::new);
  }

  /// The result of an attempt to sign in.
  sealed interface Entry {
    /// @param session the value of the session cookie
    record Entered(String session) implements Entry {}

    record Wrong() implements Entry {}

    /// Too many wrong tokens were tried: this one was not checked.
    record Later(Duration after) implements Entry {}
  }

  Entry enterWithToken(String given) {
    return refusal(given).orElseGet(this::begin);
  }

  /// @return empty if it is the token
  private Optional<Entry> refusal(String given) {
    synchronized (backoff) {
      var now = clock.instant();
      if (backoff.left(now).isPositive()) {
        return Optional.of(new Entry.Later(backoff.left(now)));
      }
      if (token != null && same(token, given)) {
        backoff.right();
        return Optional.empty();
      }
      backoff.wrong(now);
      return Optional.of(new Entry.Wrong());
    }
  }

  Entry enterWithLink(String link) {
    return SECRET.matcher(link).matches() && sessions.redeem(link, clock.instant())
        ? begin()
        : new Entry.Wrong();
  }

  private Entry begin() {
    var session = secret();
    sessions.begin(session, clock.instant().plus(SESSION));
    return new Entry.Entered(session);
  }

  /// Ends the cookie's session.
  void leave(Optional<String> cookies) {
    session(cookies).ifPresent(sessions::end);
  }

  /// Ends all sessions.
  void leaveEverywhere() {
    sessions.endAll();
  }

  private static Optional<String> session(Optional<String> cookies) {
    return cookies.stream()
        .flatMap(header -> Arrays.stream(header.split(";")))
        .map(String::strip)
        .filter(pair -> pair.startsWith(COOKIE + "="))
        .map(pair -> pair.substring(COOKIE.length() + 1))
        .filter(secret -> SECRET.matcher(secret).matches())
        .findFirst();
  }

  private String secret() {
    var bytes = new byte[SECRET_BYTES];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static boolean same(String expected, String given) {
    return MessageDigest.isEqual(
        expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
  }
}
