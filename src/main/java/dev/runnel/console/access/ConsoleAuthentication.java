package dev.runnel.console.access;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Sessions;
import dev.runnel.core.port.Sessions.Attempt;
import dev.runnel.core.port.SignInProvider;
import dev.runnel.core.port.SignInProvider.Exchange;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Authenticates the console's visitors by a session or the token. No address is trusted, because
/// agents and proxies share the address of this machine. A session begins with a single-use link or
/// the token. Thread-safe.
public final class ConsoleAuthentication {
  public static final String COOKIE = "runnel-console";

  /// Contains the secret of a browser that was redirected to a provider.
  public static final String ATTEMPT_COOKIE = "runnel-sign-in";

  /// How long a visitor may stay at a provider.
  public static final Duration ATTEMPT_LIFETIME = Duration.ofMinutes(10);

  /// Maximum number of redirects to a provider per minute: each costs a row and perhaps a request,
  /// before the visitor is authenticated.
  public static final int MAX_ATTEMPTS = 120;

  public static final Duration ATTEMPTS_WINDOW = Duration.ofMinutes(1);

  /// How long a session of a person lasts. A change of the person's groups takes effect at the next
  /// sign-in.
  public static final Duration PERSON_SESSION_LIFETIME = Duration.ofHours(12);

  /// How long a link shows a run.
  static final Duration SHARE_LIFETIME = Duration.ofDays(7);

  /// The path of links that show a run.
  public static final String SHARED_PATH = "/shared/";

  public static final Duration SESSION_LIFETIME = Duration.ofDays(14);

  /// How long a link is valid.
  public static final Duration LINK_LIFETIME = Duration.ofHours(1);

  /// Where links and the token are exchanged for a session.
  public static final String SIGN_IN_PATH = "/enter";

  private static final String BEARER = "Bearer ";
  private static final int SECRET_BYTES = 24;
  private static final Pattern SECRET = Pattern.compile("[A-Za-z0-9_-]{32}");
  private static final String ALGORITHM = "HmacSHA256";

  private final @Nullable String token;
  private final Sessions sessions;
  private final InstantSource clock;
  private final Backoff backoff = new Backoff();
  private final SecureRandom random = new SecureRandom();
  // Guarded by this.
  private Instant attemptsSince = Instant.EPOCH;
  private int attempts;

  /// @param token `RUNNEL_CONSOLE_TOKEN`; null where only links open the console
  public ConsoleAuthentication(@Nullable String token, Sessions sessions, InstantSource clock) {
    this.token = token;
    this.sessions = sessions;
    this.clock = clock;
  }

  /// Creates a link; returns its path and query.
  public String newLink() {
    var link = secret();
    sessions.offer(link, clock.instant().plus(LINK_LIFETIME));
    return SIGN_IN_PATH + "?link=" + link;
  }

  public boolean hasToken() {
    return token != null;
  }

  /// An authenticated visitor.
  ///
  /// @param secret a secret shared by this visitor and us: the session's, or the token
  /// @param person the person who signed in with an account of a provider; empty for an operator,
  ///   who used a link or the token
  public record Visitor(String secret, Optional<SignedInPerson> person) {
    Visitor(String secret) {
      this(secret, Optional.empty());
    }

    /// As the sender of deliveries.
    public Actor actor() {
      return person.map(SignedInPerson::actor).orElse(ConsoleSurface.PERSON);
    }

    /// Creates a page key, which proves that a form was posted by somebody who could see the page.
    public String pageKey() {
      var page = UUID.randomUUID().toString();
      return page + "." + sign(page);
    }

    /// Whether the key was created for this visitor.
    public boolean isPageKey(String key) {
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
  public Optional<Visitor> visitor(Optional<String> cookies, Optional<String> authorization) {
    var bearer =
        authorization
            .filter(text -> text.regionMatches(true, 0, BEARER, 0, BEARER.length()))
            .map(text -> text.substring(BEARER.length()).strip());
    if (bearer.isPresent()) {
      return refusal(bearer.get()).isEmpty() ? bearer.map(Visitor::new) : Optional.empty();
    }
    return session(cookies).flatMap(secret -> openSession(secret, clock.instant()));
  }

  /// Reads the person first: a session that ends between the two reads must not become one without
  /// a person, which is an operator's.
  private Optional<Visitor> openSession(String secret, Instant now) {
    var person = sessions.person(secret, now);
    return sessions.isOpen(secret, now)
        ? Optional.of(new Visitor(secret, person))
        : Optional.empty();
  }

  /// The result of an attempt to sign in.
  public sealed interface Entry {
    /// @param session the value of the session cookie
    record Entered(String session) implements Entry {}

    record Wrong() implements Entry {}

    /// Too many wrong tokens were tried: this one was not checked.
    record Later(Duration after) implements Entry {}
  }

  public Entry enterWithToken(String given) {
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

  public Entry enterWithLink(String link) {
    return SECRET.matcher(link).matches() && sessions.redeem(link, clock.instant())
        ? begin()
        : new Entry.Wrong();
  }

  /// Begins an attempt to sign in with a provider.
  ///
  /// @param to the path to go to afterwards
  /// @return empty if there were too many attempts lately
  public Optional<SignInRedirect> beginSignIn(SignInProvider provider, URI callback, String to) {
    if (!mayBeginAttempt(clock.instant())) {
      return Optional.empty();
    }
    var state = secret();
    var browser = secret();
    var exchange = new Exchange(secret(), secret() + secret(), callback);
    sessions.expect(
        state,
        new Attempt(provider.id(), hash(browser), exchange.nonce(), exchange.verifier(), to),
        clock.instant().plus(ATTEMPT_LIFETIME));
    return Optional.of(new SignInRedirect(provider.authorization(state, exchange), browser));
  }

  private synchronized boolean mayBeginAttempt(Instant now) {
    if (!now.isBefore(attemptsSince.plus(ATTEMPTS_WINDOW))) {
      attemptsSince = now;
      attempts = 0;
    }
    return ++attempts <= MAX_ATTEMPTS;
  }

  /// @param to where the browser goes
  /// @param browser the value of its cookie, which identifies it when it returns
  public record SignInRedirect(URI to, String browser) {
    /// Leaves out the secrets.
    @Override
    public String toString() {
      return "Departure[]";
    }
  }

  /// The attempt of a browser that returns from a provider; empty if there is no recent attempt of
  /// this browser with the provider.
  ///
  /// @param cookies the header `Cookie`
  Optional<Attempt> pendingAttempt(String provider, String state, Optional<String> cookies) {
    var browser = cookie(ATTEMPT_COOKIE, cookies);
    if (browser.isEmpty() || !SECRET.matcher(state).matches()) {
      return Optional.empty();
    }
    return sessions
        .take(state, clock.instant())
        .filter(it -> it.provider().equals(provider) && same(it.browser(), hash(browser.get())));
  }

  /// Begins the session of a person; returns the value of the session cookie.
  public String enter(SignedInPerson person) {
    var session = secret();
    sessions.begin(session, clock.instant().plus(PERSON_SESSION_LIFETIME), person);
    return session;
  }

  /// The names of a signed-in person in rules; empty for a person who is not signed in.
  Set<String> names(String person) {
    return sessions.names(person, clock.instant());
  }

  /// Creates a link that shows one run; returns its path.
  public String share(RunId run) {
    var link = secret();
    sessions.share(link, run, clock.instant().plus(SHARE_LIFETIME));
    return SHARED_PATH + link;
  }

  /// The run that a link shows.
  public Optional<RunId> shared(String link) {
    return SECRET.matcher(link).matches()
        ? sessions.shared(link, clock.instant())
        : Optional.empty();
  }

  private static String hash(String secret) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(secret.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("Every JDK has SHA-256", impossible);
    }
  }

  private Entry begin() {
    var session = secret();
    sessions.begin(session, clock.instant().plus(SESSION_LIFETIME));
    return new Entry.Entered(session);
  }

  /// Ends the cookie's session.
  public void leave(Optional<String> cookies) {
    session(cookies).ifPresent(sessions::end);
  }

  public void leaveEverywhere() {
    sessions.endAll();
  }

  private static Optional<String> session(Optional<String> cookies) {
    return cookie(COOKIE, cookies);
  }

  private static Optional<String> cookie(String name, Optional<String> cookies) {
    return cookies.stream()
        .flatMap(header -> Arrays.stream(header.split(";")))
        .map(String::strip)
        .filter(pair -> pair.startsWith(name + "="))
        .map(pair -> pair.substring(name.length() + 1))
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
