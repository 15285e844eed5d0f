package dev.runnel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/// Stands between an emulated Slack and the app, both ways, and does what the emulator does not, as
/// Slack's documentation has it: `oauth.v2.access`, tokens that expire and are revoked, limits with
/// `Retry-After`, and events that are sent again. All else it passes on.
public final class SlackInFrontOf implements AutoCloseable {
  public static final String CLIENT_ID = "1234567890.0987654321";
  public static final String CLIENT_SECRET = "slack-client-secret";

  private static final int MAX_RETRIES = 3;

  private final MockWebServer server = MockServers.create();
  private @Nullable ForwardingProxy slack;
  private @Nullable ForwardingProxy app;
  private final Duration tokenLife;

  private final AtomicInteger count = new AtomicInteger();
  private final Map<String, String> codes = new ConcurrentHashMap<>();
  private final Map<String, Instant> tokens = new ConcurrentHashMap<>();
  private final Set<String> refreshTokens = ConcurrentHashMap.newKeySet();
  private final Map<String, Queue<Duration>> limits = new ConcurrentHashMap<>();
  private final Map<String, Instant> limited = new ConcurrentHashMap<>();
  private final AtomicInteger disobeyed = new AtomicInteger();
  private final AtomicInteger lost = new AtomicInteger();
  private final List<String> retries = new CopyOnWriteArrayList<>();
  private final List<String> called = new CopyOnWriteArrayList<>();

  /// @param tokenLife how long a token is good; it can be renewed
  public SlackInFrontOf(Duration tokenLife) throws IOException {
    this.tokenLife = tokenLife;
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            return answer(request);
          }
        });
    server.start();
  }

  /// Where Slack's API is for the app, and where Slack sends events.
  public URI uri(String path) {
    return server.url(path).uri();
  }

  /// Begins to pass on.
  public void between(URI slack, URI app) {
    this.slack = new ForwardingProxy(slack);
    this.app = new ForwardingProxy(app);
  }

  /// The settings of an app that workspaces install.
  public Map<String, String> settings() {
    return Map.of(
        "SLACK_CLIENT_ID",
        CLIENT_ID,
        "SLACK_CLIENT_SECRET",
        CLIENT_SECRET,
        "SLACK_SIGNING_SECRET",
        LocalSlack.SIGNING_SECRET,
        "SLACK_API_URL",
        uri("/api/").toString(),
        "SLACK_INSTALLATIONS",
        LocalSlack.TEAM);
  }

  /// The settings of an app that workspaces install, and that opens a socket to Slack. What goes
  /// over the socket does not pass here.
  public Map<String, String> socketSettings() {
    var settings = new HashMap<>(settings());
    settings.remove("SLACK_SIGNING_SECRET");
    settings.put("SLACK_APP_TOKEN", LocalSlack.APP_TOKEN);
    return settings;
  }

  /// Somebody presses "Allow" on the page that a browser was sent to.
  ///
  /// @return where the browser is sent then
  public URI allows(URI authorize) {
    var asked = Optional.ofNullable(HttpUrl.get(authorize)).orElseThrow();
    assertThat(asked.encodedPath()).isEqualTo("/oauth/v2/authorize");
    assertThat(asked.queryParameter("client_id")).isEqualTo(CLIENT_ID);
    var code = "code-" + count.incrementAndGet();
    codes.put(code, Optional.ofNullable(asked.queryParameter("redirect_uri")).orElseThrow());
    return back(asked, "code", code);
  }

  /// Somebody presses "Cancel".
  public URI cancels(URI authorize) {
    return back(
        Optional.ofNullable(HttpUrl.get(authorize)).orElseThrow(), "error", "access_denied");
  }

  private static URI back(HttpUrl asked, String name, String value) {
    return Optional.ofNullable(
            HttpUrl.get(Optional.ofNullable(asked.queryParameter("redirect_uri")).orElseThrow()))
        .orElseThrow()
        .newBuilder()
        .addQueryParameter(name, value)
        .addQueryParameter("state", asked.queryParameter("state"))
        .build()
        .uri();
  }

  /// From now on no token is good that was given so far.
  public void revokes() {
    tokens.replaceAll((_, _) -> Instant.MIN);
  }

  /// The next call of the method is told to slow down.
  public void slowsDown(String method, Duration pause) {
    limits.computeIfAbsent(method, _ -> new ConcurrentLinkedQueue<>()).add(pause);
  }

  /// How many calls came before their pause was over.
  public int disobeyed() {
    return disobeyed.get();
  }

  /// Loses the app's answers to the next events, and sends them again.
  public void losesAnswers(int events) {
    lost.set(events);
  }

  /// The numbers of the retries that were sent.
  public List<String> retries() {
    return retries;
  }

  /// The methods that the app called, in their order.
  public List<String> called() {
    return called;
  }

  /// All that nobody may see.
  public Set<String> secrets() {
    return Stream.of(tokens.keySet(), refreshTokens, Set.of(CLIENT_SECRET))
        .flatMap(Set::stream)
        .collect(Collectors.toSet());
  }

  @Override
  public void close() {
    server.close();
    Stream.of(Optional.ofNullable(slack), Optional.ofNullable(app))
        .flatMap(Optional::stream)
        .forEach(ForwardingProxy::close);
  }

  private MockResponse answer(RecordedRequest request) {
    var path = request.getUrl().encodedPath();
    try {
      if (!path.startsWith("/api/")) {
        return event(request);
      }
      var method = path.substring("/api/".length());
      called.add(method);
      return method.equals("oauth.v2.access") ? access(request) : call(method, request);
    } catch (IOException unreachable) {
      return new MockResponse.Builder().onResponseStart(new SocketEffect.CloseSocket()).build();
    }
  }

  private MockResponse event(RecordedRequest request) throws IOException {
    var to = Optional.ofNullable(app).orElseThrow();
    var answer = to.pass(request);
    for (var retry = 1; retry <= MAX_RETRIES; retry++) {
      var good = answer.getStatus().contains(" 2");
      if (good && lost.getAndUpdate(it -> Math.max(0, it - 1)) == 0) {
        break;
      }
      retries.add(Integer.toString(retry));
      answer =
          to.pass(
              request,
              request
                  .getHeaders()
                  .newBuilder()
                  .set("X-Slack-Retry-Num", Integer.toString(retry))
                  .set("X-Slack-Retry-Reason", good ? "http_timeout" : "http_error")
                  .build());
    }
    return answer;
  }

  private MockResponse call(String method, RecordedRequest request) throws IOException {
    var now = Instant.now();
    var pause = limits.getOrDefault(method, new ConcurrentLinkedQueue<>()).poll();
    if (pause != null) {
      limited.put(method, now.plus(pause));
      return new MockResponse.Builder()
          .code(429)
          .setHeader("Retry-After", Long.toString(pause.toSeconds()))
          .body("{\"ok\":false,\"error\":\"ratelimited\"}")
          .build();
    }
    if (now.isBefore(limited.getOrDefault(method, Instant.MIN))) {
      disobeyed.incrementAndGet();
    }
    var bearer = Optional.ofNullable(request.getHeaders().get("Authorization")).orElse("");
    if (method.equals("apps.connections.open")) {
      return Optional.ofNullable(slack).orElseThrow().pass(request);
    }
    var expiresAt = tokens.get(bearer.replace("Bearer ", ""));
    if (expiresAt == null) {
      return error("invalid_auth");
    }
    if (!now.isBefore(expiresAt)) {
      return error(expiresAt.equals(Instant.MIN) ? "account_inactive" : "token_expired");
    }
    return Optional.ofNullable(slack)
        .orElseThrow()
        .pass(
            request,
            request
                .getHeaders()
                .newBuilder()
                .set("Authorization", "Bearer " + LocalSlack.BOT_TOKEN)
                .build());
  }

  private MockResponse access(RecordedRequest request) {
    var form = form(request);
    var basic = Optional.ofNullable(request.getHeaders().get("Authorization")).orElse("");
    var client =
        basic.startsWith("Basic ")
            ? new String(Base64.getDecoder().decode(basic.substring(6)), StandardCharsets.UTF_8)
            : form.get("client_id") + ":" + form.get("client_secret");
    if (!client.equals(CLIENT_ID + ":" + CLIENT_SECRET)) {
      return error("bad_client_secret");
    }
    if ("refresh_token".equals(form.get("grant_type"))) {
      return refreshTokens.remove(form.getOrDefault("refresh_token", ""))
          ? granted()
          : error("invalid_refresh_token");
    }
    var redirect = codes.remove(form.getOrDefault("code", ""));
    if (redirect == null) {
      return error("invalid_code");
    }
    return redirect.equals(form.get("redirect_uri")) ? granted() : error("bad_redirect_uri");
  }

  private MockResponse granted() {
    var number = count.incrementAndGet();
    var token = "xoxe.xoxb-1-secret-" + number;
    var refreshToken = "xoxe-1-secret-" + number;
    tokens.put(token, Instant.now().plus(tokenLife));
    refreshTokens.add(refreshToken);
    return json(
        """
        {"ok": true, "app_id": "A0RUNNEL", "authed_user": {"id": "%s"}, "scope": "chat:write,commands",
         "token_type": "bot", "access_token": "%s", "bot_user_id": "%s", "expires_in": %d,
         "refresh_token": "%s", "team": {"id": "%s", "name": "Acme"}, "enterprise": null,
         "is_enterprise_install": false}
        """
            .formatted(
                LocalSlack.ANN,
                token,
                LocalSlack.BOT,
                tokenLife.toSeconds(),
                refreshToken,
                LocalSlack.TEAM));
  }

  private static Map<String, String> form(RecordedRequest request) {
    var body = request.getBody();
    return Pattern.compile("&")
        .splitAsStream(body == null ? "" : body.utf8())
        .map(pair -> pair.split("=", 2))
        .filter(pair -> pair.length == 2)
        .collect(
            Collectors.toMap(
                pair -> pair[0], pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
  }

  private static MockResponse error(String code) {
    return json("{\"ok\":false,\"error\":\"" + code + "\"}");
  }

  private static MockResponse json(String body) {
    return new MockResponse.Builder()
        .setHeader("Content-Type", "application/json; charset=utf-8")
        .body(body)
        .build();
  }
}
