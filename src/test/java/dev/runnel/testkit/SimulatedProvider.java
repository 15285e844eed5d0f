package dev.runnel.testkit;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.javalin.Javalin;
import io.javalin.http.Context;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// A simulated provider of identities: OpenID Connect with discovery, and the addresses of GitHub's
/// OAuth. It asks nobody, but checks what a provider checks: client, redirect, PKCE, codes that are
/// used once.
public final class SimulatedProvider implements AutoCloseable {
  public static final String CLIENT = "client-1";
  public static final String SECRET = "client-secret-of-the-simulation";

  /// The claims of the next ID token, besides those that every token has.
  public final Map<String, Object> claims = new ConcurrentHashMap<>();

  /// Overrides claims that every token has.
  public final Map<String, Object> wrong = new ConcurrentHashMap<>();

  /// The claims at the userinfo endpoint.
  public final Map<String, Object> userInfo = new ConcurrentHashMap<>();

  /// The userinfo endpoint in the discovery document; empty if the provider has none.
  public volatile Optional<String> userInfoAddress = Optional.empty();

  /// The status and the content type of the userinfo endpoint.
  public volatile int userInfoStatus = 200;

  public volatile String userInfoType = "application/json";

  /// The access token for the userinfo endpoint, which expects `access-simulated`.
  public volatile String accessToken = "access-simulated";

  /// The scopes in the discovery document.
  public volatile List<String> scopes = List.of("openid", "profile", "email");

  /// What GitHub says about the person.
  public final Map<String, Object> user = new ConcurrentHashMap<>();

  /// All queries and bodies that came.
  public final List<String> received = new CopyOnWriteArrayList<>();

  /// The algorithm that tokens name.
  public volatile String algorithm = "RS256";

  /// Instead of tokens.
  public volatile Optional<String> answersTokens = Optional.empty();

  /// The address for tokens in the discovery document, instead of the right one.
  public volatile Optional<String> tokenAddress = Optional.empty();

  private final ObjectMapper json = new ObjectMapper();
  private final InstantSource clock;
  private final KeyPair keys = keys();
  private volatile KeyPair signing = keys;
  private final Map<String, Map<String, String>> codes = new ConcurrentHashMap<>();
  private final Javalin server;

  public SimulatedProvider(InstantSource clock) {
    this.clock = clock;
    this.server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  config.routes.get("/.well-known/openid-configuration", this::discovery);
                  config.routes.get("/keys", this::publishKeys);
                  config.routes.get("/authorize", this::authorize);
                  config.routes.post("/token", this::token);
                  config.routes.get("/userinfo", this::userInfo);
                  config.routes.get("/login/oauth/authorize", this::authorize);
                  config.routes.post("/login/oauth/access_token", this::accessToken);
                  config.routes.get("/api/v3/user", this::user);
                })
            .start("127.0.0.1", 0);
  }

  public URI uri() {
    return URI.create("http://127.0.0.1:" + server.port());
  }

  /// Signs with a key that is not published.
  public void signsWithAnotherKey() {
    signing = keys();
  }

  private static KeyPair keys() {
    try {
      var generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private void discovery(Context ctx) throws Exception {
    var document = new HashMap<String, Object>();
    document.put("issuer", uri().toString());
    document.put("authorization_endpoint", uri() + "/authorize");
    document.put("token_endpoint", tokenAddress.orElse(uri() + "/token"));
    document.put("jwks_uri", uri() + "/keys");
    document.put("scopes_supported", scopes);
    userInfoAddress.ifPresent(it -> document.put("userinfo_endpoint", it));
    answer(ctx, document);
  }

  private void userInfo(Context ctx) throws Exception {
    received.add("userinfo");
    var isRight = "Bearer access-simulated".equals(ctx.header("Authorization"));
    ctx.status(isRight ? userInfoStatus : 401)
        .header("Location", uri() + "/elsewhere")
        .contentType(userInfoType)
        .result(json.writeValueAsString(userInfo));
  }

  private void publishKeys(Context ctx) throws Exception {
    var key = (RSAPublicKey) keys.getPublic();
    answer(
        ctx,
        Map.of(
            "keys",
            List.of(
                Map.of(
                    "kty",
                    "RSA",
                    "kid",
                    "k1",
                    "n",
                    encode(key.getModulus().toByteArray()),
                    "e",
                    encode(key.getPublicExponent().toByteArray())))));
  }

  private void authorize(Context ctx) {
    received.add(String.valueOf(ctx.queryString()));
    var query = new HashMap<String, String>();
    ctx.queryParamMap().forEach((name, values) -> query.put(name, values.getFirst()));
    var code = UUID.randomUUID().toString();
    codes.put(code, query);
    ctx.status(302)
        .header(
            "Location",
            query.get("redirect_uri")
                + "?code="
                + code
                + "&state="
                + URLEncoder.encode(query.get("state"), StandardCharsets.UTF_8));
  }

  /// What was asked for with the code; empty if the request is refused.
  private Map<String, String> redeem(Context ctx) throws GeneralSecurityException {
    received.add(ctx.body());
    var code = String.valueOf(ctx.formParam("code"));
    var asked = codes.getOrDefault(code, Map.of());
    codes.remove(code);
    var verifier = String.valueOf(ctx.formParam("code_verifier"));
    var isRight =
        CLIENT.equals(ctx.formParam("client_id"))
            && SECRET.equals(ctx.formParam("client_secret"))
            && asked.getOrDefault("redirect_uri", "").equals(ctx.formParam("redirect_uri"))
            && "S256".equals(asked.get("code_challenge_method"))
            && asked
                .getOrDefault("code_challenge", "")
                .equals(
                    encode(
                        MessageDigest.getInstance("SHA-256")
                            .digest(verifier.getBytes(StandardCharsets.US_ASCII))));
    return isRight ? asked : Map.of();
  }

  private void token(Context ctx) throws Exception {
    var asked = redeem(ctx);
    if (asked.isEmpty()) {
      ctx.status(400).json(Map.of("error", "invalid_grant"));
      return;
    }
    var all = new HashMap<String, Object>(claims);
    all.put("iss", uri().toString());
    all.put("aud", CLIENT);
    all.put("exp", clock.instant().plusSeconds(60).getEpochSecond());
    all.put("nonce", asked.get("nonce"));
    all.putAll(wrong);
    var head =
        encode(json.writeValueAsBytes(Map.of("alg", algorithm, "kid", "k1", "typ", "JWT")))
            + "."
            + encode(json.writeValueAsBytes(all));
    var signature = Signature.getInstance("SHA256withRSA");
    signature.initSign(signing.getPrivate());
    signature.update(head.getBytes(StandardCharsets.US_ASCII));
    answerTokens(
        ctx,
        Map.of(
            "id_token",
            head + "." + encode(signature.sign()),
            "access_token",
            accessToken,
            "token_type",
            "Bearer"));
  }

  private void accessToken(Context ctx) throws Exception {
    answerTokens(
        ctx,
        redeem(ctx).isEmpty()
            ? Map.of("error", "bad_verification_code")
            : Map.of("access_token", "gho_simulated"));
  }

  private void user(Context ctx) throws Exception {
    if ("Bearer gho_simulated".equals(ctx.header("Authorization"))) {
      answer(ctx, user);
    } else {
      ctx.status(401);
    }
  }

  private void answerTokens(Context ctx, Object tokens) throws Exception {
    if (answersTokens.isPresent()) {
      ctx.contentType("application/json").result(answersTokens.get());
    } else {
      answer(ctx, tokens);
    }
  }

  private void answer(Context ctx, Object body) throws Exception {
    ctx.contentType("application/json").result(json.writeValueAsString(body));
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  @Override
  public void close() {
    server.stop();
  }
}
