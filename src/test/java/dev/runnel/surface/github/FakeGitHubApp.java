package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.runnel.testkit.MockServers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;

/// GitHub as an app sees it, over HTTP, after https://docs.github.com/rest/apps: it takes the app's
/// proof only if the signature, the issuer and the time are right, and a call about a repository
/// only with a token of that repository's installation which has not ended.
final class FakeGitHubApp implements AutoCloseable {
  static final String APP = "4711";

  private static final Duration LIFE = Duration.ofHours(1);
  private static final JsonMapper JSON = new JsonMapper();

  private record Token(long installation, Instant until) {}

  private final MockWebServer server = MockServers.create();
  private final KeyPair keys;
  private final InstantSource clock;
  private final Map<String, Long> installations = new HashMap<>();
  private final Map<String, Token> tokens = new HashMap<>();
  private final Map<String, JsonNode> answers = new HashMap<>();
  private final List<String> calls = new ArrayList<>();
  private Optional<MockResponse> noTokens = Optional.empty();

  FakeGitHubApp(InstantSource clock) {
    this.clock = clock;
    try {
      var generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2_048);
      keys = generator.generateKeyPair();
      server.setDispatcher(
          new Dispatcher() {
            @Override
            public MockResponse dispatch(RecordedRequest request) {
              return handle(request);
            }
          });
      server.start();
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /// As on an Enterprise Server, below a path.
  URI address() {
    return URI.create("http://127.0.0.1:" + server.getPort() + "/api/v3");
  }

  /// In the form of PKCS #8.
  String key() {
    return pem("PRIVATE KEY", keys.getPrivate().getEncoded());
  }

  /// Bare, as GitHub hands it out.
  String bareKey() {
    var wrapped = keys.getPrivate().getEncoded();
    var bare = Arrays.copyOfRange(wrapped, 26, wrapped.length);
    return pem("RSA PRIVATE KEY", bare);
  }

  private static String pem(String kind, byte[] der) {
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
        .formatted(
            kind,
            Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(der));
  }

  synchronized void install(String repository, long installation) {
    installations.put(repository, installation);
  }

  /// From now on no token is taken that was given so far.
  synchronized void revokeAll() {
    tokens.clear();
  }

  /// From now on whoever wants a token is answered so; empty makes it well again.
  synchronized void answersTokens(Optional<MockResponse> answer) {
    noTokens = answer;
  }

  /// @param call method and path: `GET /app/hook/deliveries`
  synchronized void answers(String call, JsonNode answer) {
    answers.put(call, answer);
  }

  /// Method and path below the base, and as whom: `app`, or the installation's number.
  synchronized List<String> calls() {
    return List.copyOf(calls);
  }

  private synchronized MockResponse handle(RecordedRequest request) {
    var target = request.getTarget();
    if (!target.startsWith("/api/v3/")) {
      return status(404);
    }
    var path = target.substring("/api/v3".length()).replaceFirst("\\?.*", "");
    var bearer =
        Optional.ofNullable(request.getHeaders().get("Authorization"))
            .orElse("")
            .replaceFirst("^Bearer ", "");
    var isApp = isProof(bearer);
    var as =
        isApp
            ? "app"
            : Optional.ofNullable(tokens.get(bearer))
                .filter(token -> clock.instant().isBefore(token.until()))
                .map(token -> String.valueOf(token.installation()))
                .orElse("nobody");
    calls.add(request.getMethod() + " " + path + " " + as);
    if (as.equals("nobody")) {
      return status(401);
    }
    if (path.endsWith("/access_tokens") && isApp) {
      return noTokens.orElseGet(() -> token(Long.parseLong(path.replaceAll("[^0-9]", ""))));
    }
    if (path.endsWith("/installation") && isApp) {
      var id = installations.get(path.replaceFirst("/repos/", "").replace("/installation", ""));
      return id == null ? status(404) : ok(JsonNodeFactory.instance.objectNode().put("id", id));
    }
    var repository = path.replaceFirst("^/repos/([^/]+/[^/]+)/.*", "$1");
    if (path.startsWith("/repos/") && !String.valueOf(installations.get(repository)).equals(as)) {
      return status(404);
    }
    var answer = answers.get(request.getMethod() + " " + path);
    return answer != null
        ? ok(answer)
        : ok(JsonNodeFactory.instance.objectNode().put("id", 42).put("slug", "runnel"));
  }

  private MockResponse token(long installation) {
    if (!installations.containsValue(installation)) {
      return status(404);
    }
    var value = "ghs_" + installation + "_" + calls.size();
    var until = clock.instant().plus(LIFE);
    tokens.put(value, new Token(installation, until));
    return ok(
        JsonNodeFactory.instance
            .objectNode()
            .put("token", value)
            .put("expires_at", until.toString()));
  }

  private boolean isProof(String bearer) {
    var parts = bearer.split("\\.", -1);
    if (parts.length != 3) {
      return false;
    }
    try {
      var signature = Signature.getInstance("SHA256withRSA");
      signature.initVerify(keys.getPublic());
      signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
      var head = JSON.readTree(Base64.getUrlDecoder().decode(parts[0]));
      var claims = JSON.readTree(Base64.getUrlDecoder().decode(parts[1]));
      var now = clock.instant().getEpochSecond();
      return signature.verify(Base64.getUrlDecoder().decode(parts[2]))
          && head.path("alg").asText().equals("RS256")
          && claims.path("iss").asText().equals(APP)
          && claims.path("iat").asLong() <= now
          && claims.path("exp").asLong() > now
          && claims.path("exp").asLong() - claims.path("iat").asLong() <= 600;
    } catch (GeneralSecurityException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static MockResponse status(int code) {
    return new MockResponse.Builder().code(code).body("{\"message\": \"no\"}").build();
  }

  private static MockResponse ok(JsonNode body) {
    return new MockResponse.Builder().code(200).body(body.toString()).build();
  }

  @Override
  public void close() {
    server.close();
  }
}
