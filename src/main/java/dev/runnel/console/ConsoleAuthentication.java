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

/// Who may see the console, and who may act from it: who has a session, or the token. No address
/// is trusted, since agents and proxies have this machine's, too. A session begins with a link that
/// works once, or with the token. For any thread.
public final class ConsoleAuthentication {
  static final String COOKIE = "runnel-console";

  /// How long somebody stays signed in.
  static final Duration SESSION = Duration.ofDays(14);

  /// How long a link works.
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

  /// The path and query of a new link.
  public String newLink() {
    var link = secret();
    sessions.offer(link, clock.instant().plus(LINK));
    return ENTRANCE + "?link=" + link;
  }

  boolean hasToken() {
    return token != null;
  }

  /// Who may see and do what the console offers.
  ///
  /// @param secret what only this visitor and we know
  record Visitor(String secret) {
    /// A new key for a page: what is posted with it was posted by somebody who could see the page.
    String pageKey() {
      var page = UUID.randomUUID().toString();
      return page + "." + sign(page);
    }

    /// Whether the key was made for this visitor.
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

    /// Never the secret.
    @Override
    public String toString() {
      return "Visitor[]";
    }
  }

  /// Who sends a request, by its headers.
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

  /// What came of a try to enter.
  sealed interface Entry {
    /// @param session what the cookie holds
    record Entered(String session) implements Entry {}

    record Wrong() implements Entry {}

    /// Too many wrong tokens came: this one was not looked at.
    record Later(Duration after) implements Entry {}
  }

  Entry enterWithToken(String given) {
    return refusal(given).orElseGet(this::begin);
  }

  /// @return empty when it is the token
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

  /// Ends the session that the cookie holds.
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
