package dev.runnel.surface.github;

import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.JsonHttp;
import dev.runnel.surface.kit.JsonHttp.JsonResponse;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.OkHttpClient;

/// Caches the installation access tokens of a GitHub App, one per account that installed it, and
/// renews them before they expire. Thread-safe; two threads may request the same token at once,
/// without harm.
///
/// See https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app
final class InstallationTokens {
  private static final Duration RENEW_BEFORE_EXPIRY = Duration.ofMinutes(5);
  private static final int MAX_REMEMBERED = 10_000;

  private final AppKey key;
  private final URI api;
  private final OkHttpClient http;
  private final InstantSource clock;
  // Keyed by repository, in lower case.
  private final Map<String, Long> installations = new ConcurrentHashMap<>();
  private final Map<Long, Token> tokens = new ConcurrentHashMap<>();

  private record Token(String value, Instant expiresAt) {}

  InstallationTokens(AppKey key, URI api, OkHttpClient http, InstantSource clock) {
    this.key = key;
    this.api = api;
    this.http = http;
    this.clock = clock;
  }

  /// GitHub issued no token.
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1;
    private final transient JsonResponse response;

    Refused(JsonResponse response) {
      super("GitHub issued no token: status " + response.status());
      this.response = response;
    }

    JsonResponse response() {
      return response;
    }
  }

  /// Remembers a repository's installation, as named by a delivery. Makes no call.
  void learn(String repository, long installation) {
    if (installations.size() < MAX_REMEMBERED) {
      installations.put(repository.toLowerCase(Locale.ROOT), installation);
    }
  }

  /// A token that stays valid for at least a few minutes.
  String of(String repository) throws IOException, Refused {
    var name = repository.toLowerCase(Locale.ROOT);
    var known = Optional.ofNullable(installations.get(name));
    if (known.isEmpty()) {
      return token(lookUpInstallation(name)).value();
    }
    try {
      return token(known.get()).value();
    } catch (Refused refused) {
      if (refused.response().status() != 404) {
        throw refused;
      }
      // The app was uninstalled, and perhaps installed again.
      installations.remove(name, known.get());
      return token(lookUpInstallation(name)).value();
    }
  }

  /// Removes a token that GitHub no longer accepts.
  void drop(String token) {
    tokens.values().removeIf(each -> each.value().equals(token));
  }

  private long lookUpInstallation(String repository) throws IOException, Refused {
    var response = asApp().get("/repos/" + repository + "/installation");
    var id = Json.id(response.body(), "id");
    if (!response.isGood() || id.isEmpty()) {
      throw new Refused(response);
    }
    learn(repository, id.get());
    return id.get();
  }

  private Token token(long installation) throws IOException, Refused {
    var cached = tokens.get(installation);
    if (cached != null && clock.instant().plus(RENEW_BEFORE_EXPIRY).isBefore(cached.expiresAt())) {
      return cached;
    }
    var response =
        asApp().post("/app/installations/" + installation + "/access_tokens", Json.object());
    var value = Json.text(response.body(), "token");
    var expiresAt = Json.instant(response.body(), "expires_at");
    if (!response.isGood() || value.isEmpty() || expiresAt.isEmpty()) {
      throw new Refused(response);
    }
    var token = new Token(value.get(), expiresAt.get());
    tokens.put(installation, token);
    return token;
  }

  private JsonHttp asApp() {
    return new JsonHttp(http, api, GitHubApi.headers(key.token(clock.instant())));
  }
}
