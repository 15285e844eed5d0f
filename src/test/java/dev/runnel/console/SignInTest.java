package dev.runnel.console;

import static dev.runnel.testkit.Samples.DANA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.console.access.ConsoleAuthentication;
import dev.runnel.console.access.SignInProviders;
import dev.runnel.console.transcript.Transcripts.Kind;
import dev.runnel.console.view.About;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Rule;
import dev.runnel.signin.GitHubSignIn;
import dev.runnel.signin.OpenIdSignIn;
import dev.runnel.testkit.Browser;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.SimulatedProvider;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Signing in with accounts, against a simulated provider.
class SignInTest {
  private static final Conversation SLACK = Conversation.parse("slack:T1/C1/1700000000.000100");
  private static final Set<Permission> READ = EnumSet.of(Permission.READ);
  private static final Set<Permission> ALL = EnumSet.allOf(Permission.class);

  @TempDir Path folder;
  private final SettableClock clock = new SettableClock();
  private final HttpClient client = HttpClient.newHttpClient();
  private final SimulatedProvider provider = new SimulatedProvider(clock);
  private final OkHttpClient http = new OkHttpClient();
  private Streams streams;
  private Site site;

  @BeforeEach
  void open() throws Exception {
    open(URI.create("http://localhost"));
    provider.claims.putAll(
        Map.of(
            "https://slack.com/team_id", "T1",
            "https://slack.com/user_id", "U1",
            "name", "Ann",
            "email", "Ann@example.com",
            "email_verified", true));
    provider.user.putAll(Map.of("login", "ann", "id", 7, "name", "Ann"));
  }

  private void open(URI public_) throws Exception {
    var port = freePort();
    var url =
        public_.getHost().equals("localhost") ? URI.create("http://localhost:" + port) : public_;
    streams = Site.streams(3, Duration.ofMillis(20), Duration.ofMillis(60));
    site =
        new Site(
            folder,
            clock,
            null,
            new About("claude -p", List.of(Site.slack(true))),
            streams,
            new SignInProviders(
                List.of(
                    OpenIdSignIn.slack(
                        provider.uri(),
                        SimulatedProvider.CLIENT,
                        SimulatedProvider.SECRET,
                        http,
                        clock),
                    OpenIdSignIn.generic(
                        provider.uri(),
                        SimulatedProvider.CLIENT,
                        SimulatedProvider.SECRET,
                        http,
                        clock),
                    new GitHubSignIn(
                        provider.uri(), SimulatedProvider.CLIENT, SimulatedProvider.SECRET, http)),
                url,
                UnaryOperator.identity()),
            port);
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @AfterEach
  void close() {
    site.close();
    provider.close();
    client.close();
  }

  private static Rule rule(String who, String where, Set<Permission> may) {
    return new Rule("policy.rules[0]", List.of(who), List.of(where), may, true, Set.of(), Set.of());
  }

  private void permits(Rule... rules) {
    site.policy = new Policy(Map.of(), List.of(rules), List.of(), List.of());
  }

  private HttpResponse<String> get(URI address, String... headers) throws Exception {
    var request = HttpRequest.newBuilder(address);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private static String location(HttpResponse<?> answer) {
    return answer.headers().firstValue("Location").orElseThrow();
  }

  private static String cookie(HttpResponse<?> answer, String name) {
    return answer.headers().allValues("Set-Cookie").stream()
        .filter(it -> it.startsWith(name + "="))
        .map(it -> it.substring(0, it.indexOf(';')))
        .findFirst()
        .orElseThrow();
  }

  /// Goes to the provider and comes back, without the last step.
  private URI callback(String with, List<String> cookies) throws Exception {
    var left = get(site.at("/enter/" + with + "?to=/numbers"));
    assertThat(left.statusCode()).isEqualTo(303);
    cookies.add(cookie(left, "runnel-sign-in"));
    return URI.create(location(get(URI.create(location(left)))));
  }

  private HttpResponse<String> signsIn(String with) throws Exception {
    var cookies = new ArrayList<String>();
    var callback = callback(with, cookies);
    return get(callback, "Cookie", cookies.getFirst());
  }

  private String signedIn(String with) throws Exception {
    var answer = signsIn(with);
    assertThat(answer.statusCode()).isEqualTo(303);
    return cookie(answer, "runnel-console");
  }

  @Nested
  @Tag("slow")
  @EnabledIf("dev.runnel.testkit.Browser#isInstalled")
  class InABrowser {
    @Test
    void accountSignInByKeyboardOpensTheRequestedPage() throws Exception {
      permits(rule("slack:T1/U1", "console", READ));
      try (var browser = Browser.open()) {
        browser.go(site.at("/numbers"));
        for (var name = ""; !name.equals("Sign in with Slack"); ) {
          browser.press("Tab");
          name = browser.eval("document.activeElement.textContent");
          assertThat(name).as("the end of the page").isNotEmpty();
        }
        browser.press("Enter");

        await()
            .until(
                () ->
                    browser
                        .eval("location.pathname + location.search + document.readyState")
                        .equals("/numberscomplete"));
        assertThat(browser.eval("document.querySelector('.account summary').textContent"))
            .isEqualTo("Ann");
        assertThat(browser.eval("document.cookie")).isEmpty();
      }
    }
  }

  @Nested
  class APersonWhomARulePermits {
    @Test
    void slackSignInShowsTheirNameAndOpensTheRequestedPage() throws Exception {
      permits(rule("slack:T1/U1", "console", READ));

      var answer = signsIn("slack");

      assertThat(answer.statusCode()).isEqualTo(303);
      assertThat(location(answer)).isEqualTo("/numbers");
      assertThat(get(site.at("/"), "Cookie", cookie(answer, "runnel-console")).body())
          .contains("<summary>Ann</summary>");
    }

    @Test
    void signInWorksWithGitHubAndOpenIdConnect() throws Exception {
      permits(rule("github:ann", "console", READ), rule("oidc:ann@example.com", "console", READ));

      assertThat(signsIn("github").statusCode()).isEqualTo(303);
      assertThat(signsIn("oidc").statusCode()).isEqualTo(303);
    }

    @Test
    void signInWorksWithAGroupFromTheUserInfoEndpoint() throws Exception {
      permits(rule("oidc:group:platform", "console", READ));
      provider.claims.keySet().removeAll(Set.of("email", "email_verified"));
      provider.claims.put("sub", "s1");
      provider.userInfoAddress = Optional.of(provider.uri() + "/userinfo");
      provider.userInfo.putAll(
          Map.of(
              "sub",
              "s1",
              "email",
              "ann@example.com",
              "email_verified",
              true,
              "groups",
              List.of("platform")));

      assertThat(signsIn("oidc").statusCode()).isEqualTo(303);
    }

    @Test
    void sessionLastsHalfADayAndOnlyWhileTheRulePermitsIt() throws Exception {
      permits(rule("slack:U1", "console", READ));
      var session = signedIn("slack");

      permits(rule("slack:U2", "console", READ));
      assertThat(get(site.at("/"), "Cookie", session).statusCode()).isEqualTo(403);
      permits(rule("slack:U1", "console", READ));
      assertThat(get(site.at("/"), "Cookie", session).statusCode()).isEqualTo(200);
      clock.advance(Duration.ofHours(13));
      assertThat(get(site.at("/"), "Cookie", session).statusCode()).isEqualTo(401);
    }

    @Test
    void openPageReceivesNothingMoreWhenTheRuleIsRemoved() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      permits(rule("slack:U1", "console", READ));
      var session = signedIn("slack");

      try (var live = new OpenPage(site.at("/runs/" + run.id() + "/live"), "Cookie", session)) {
        await().until(() -> !live.events("head").isEmpty());
        permits(rule("slack:U2", "console", READ));
        site.says(run, Kind.SAID, "What I earn");
        await().until(() -> streams.open() == 0);

        assertThat(live.sent("lines")).doesNotContain("What I earn");
      }
    }

    @Test
    void readerCannotSeeTheAuditLogOrEndOtherSessions() throws Exception {
      permits(rule("slack:U1", "console", READ));
      var session = signedIn("slack");

      assertThat(get(site.at("/audit"), "Cookie", session).statusCode()).isEqualTo(403);
      assertThat(get(site.at("/audit.jsonl"), "Cookie", session).statusCode()).isEqualTo(403);
      assertThat(posts("/leave", session, Map.of("action", "everywhere")).statusCode())
          .isEqualTo(403);
      assertThat(get(site.at("/"), "Cookie", session).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void parkedItemsAreVisibleOnlyWithPermissionToRetryThem() throws Exception {
    site.givesUp(
        dev.runnel.testkit.Samples.delivery(
            "1", dev.runnel.testkit.Samples.say("What I earn"), SLACK),
        "No network");
    permits(rule("slack:U1", "console", READ));
    var session = signedIn("slack");

    assertThat(get(site.at("/attention"), "Cookie", session).body()).doesNotContain("What I earn");
    assertThat(get(site.at("/"), "Cookie", session).body()).doesNotContain("needs attention");
    permits(rule("slack:U1", "console", ALL));
    assertThat(get(site.at("/attention"), "Cookie", session).body()).contains("What I earn");
  }

  private HttpResponse<String> posts(String path, String session, Map<String, String> fields)
      throws Exception {
    var form =
        fields.entrySet().stream()
            .map(it -> it.getKey() + "=" + URLEncoder.encode(it.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    return client.send(
        HttpRequest.newBuilder(site.at(path))
            .header("Cookie", session)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header("Sec-Fetch-Site", "same-origin")
            .POST(HttpRequest.BodyPublishers.ofString(form))
            .build(),
        BodyHandlers.ofString());
  }

  private static String key(String page) {
    var key = Pattern.compile("name=\"page\" value=\"([^\"]+)\"").matcher(page);
    assertThat(key.find()).isTrue();
    return key.group(1);
  }

  private HttpResponse<String> acts(String session, Map<String, String> fields) throws Exception {
    var all = new java.util.HashMap<>(fields);
    all.put("page", key(get(site.at("/"), "Cookie", session).body()));
    all.put("turn", "1");
    return posts("/webhooks/console", session, all);
  }

  @Nested
  class WhatAPersonDoes {
    @Test
    void permittedStartRunsInTheNameOfThePersonWhoSignedIn() throws Exception {
      permits(rule("slack:U1", "console", ALL));
      acts(signedIn("slack"), Map.of("action", "start", "text", "Fix the test"));

      site.settles();

      assertThat(site.accepted.getFirst().actor())
          .matches(it -> it.id().equals("slack:T1/U1") && it.name().equals("Ann"));
      assertThat(site.runs.starts()).hasSize(1);
    }

    @Test
    void startHasNoEffectWithoutPermission() throws Exception {
      permits(rule("slack:U1", "console", READ));
      acts(signedIn("slack"), Map.of("action", "start", "text", "Fix the test"));

      site.settles();

      assertThat(site.accepted).hasSize(1);
      assertThat(site.runs.starts()).isEmpty();
    }

    @Test
    void actionOnARunOfAnotherPlaceRequiresPermissionThere() throws Exception {
      Run run = site.binds(SLACK, DANA, "Fix the test", null);
      permits(rule("slack:U1", "console", ALL));
      var session = signedIn("slack");
      var stop =
          Map.of("action", "stop", "conversation", SLACK.id(), "run", run.id().value(), "link", "");

      acts(session, stop);
      acts(
          session,
          Map.of(
              "action",
              "stop",
              "conversation",
              "console:runs/mine",
              "run",
              run.id().value(),
              "link",
              ""));
      acts(
          session,
          Map.of(
              "action",
              "say",
              "text",
              "And the docs",
              "conversation",
              "console:runs/mine",
              "run",
              run.id().value(),
              "link",
              ""));
      site.settles();
      assertThat(site.runs.cancels()).isEmpty();
      assertThat(site.runs.followUps()).isEmpty();

      permits(rule("slack:U1", "console", READ), rule("slack:U1", "slack:T1/C1", ALL));
      acts(session, stop);
      site.settles();
      assertThat(site.runs.cancels()).containsExactly(run.id());
    }
  }

  /// Each asks the provider and stores a row, before anybody proved anything.
  @Test
  void signInAttemptsAreLimitedForAMinute() throws Exception {
    for (int i = 0; i < ConsoleAuthentication.MAX_ATTEMPTS; i++) {
      assertThat(get(site.at("/enter/github")).statusCode()).isEqualTo(303);
    }

    var refused = get(site.at("/enter/github"));

    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.headers().firstValue("Retry-After")).contains("60");
    clock.advance(Duration.ofMinutes(1));
    assertThat(get(site.at("/enter/github")).statusCode()).isEqualTo(303);
  }

  @Test
  void signInReplacesAPlantedSessionCookie() throws Exception {
    permits(rule(Rule.ANY, "console", READ));
    var planted = "runnel-console=" + "p".repeat(32);
    var cookies = new ArrayList<String>();
    var callback = callback("slack", cookies);

    var answer = get(callback, "Cookie", planted + "; " + cookies.getFirst());

    assertThat(answer.statusCode()).isEqualTo(303);
    assertThat(cookie(answer, "runnel-console")).isNotEqualTo(planted);
    assertThat(get(site.at("/"), "Cookie", planted).statusCode()).isEqualTo(401);
  }

  @Test
  void cookiesAreInaccessibleToScriptsAndOtherSites() throws Exception {
    permits(rule(Rule.ANY, "console", READ));
    var left = get(site.at("/enter/slack"));

    for (var answer : List.of(left, signsIn("slack"))) {
      assertThat(answer.headers().allValues("Set-Cookie"))
          .isNotEmpty()
          .allMatch(it -> it.contains("HttpOnly") && it.contains("SameSite=Lax"))
          .noneMatch(it -> it.contains("Domain="));
    }
  }

  @Nested
  class NobodyEnters {
    private void isRefused(HttpResponse<String> answer, int status) {
      assertThat(answer.statusCode()).isEqualTo(status);
      assertThat(answer.headers().allValues("Set-Cookie"))
          .noneMatch(it -> it.startsWith("runnel-console="));
    }

    @Test
    void signInIsRefusedIfNoRuleNamesThePerson() throws Exception {
      isRefused(signsIn("slack"), 403);
      permits(rule("slack:U2", "console", READ), rule("slack:U1", "slack:T1", ALL));
      assertThat(signsIn("slack").body()).contains("your name in a policy is", "slack:T1/U1");
    }

    @Test
    void signInIsRefusedFromAnotherBrowserOrTwiceOrTooLate() throws Exception {
      permits(rule(Rule.ANY, "console", READ));
      var cookies = new ArrayList<String>();
      var callback = callback("slack", cookies);

      isRefused(get(callback), 401);
      var other = callback("slack", cookies);
      isRefused(get(other, "Cookie", cookies.getFirst()), 401);

      var again = callback("slack", cookies);
      assertThat(get(again, "Cookie", cookies.getLast()).statusCode()).isEqualTo(303);
      provider.received.clear();
      isRefused(get(again, "Cookie", cookies.getLast()), 401);
      // Not every provider refuses a code that comes twice.
      assertThat(provider.received).isEmpty();

      var late = callback("slack", cookies);
      clock.advance(Duration.ofMinutes(11));
      isRefused(get(late, "Cookie", cookies.getLast()), 401);
    }

    @Test
    void signInWithACodeOfAnotherProviderIsRefused() throws Exception {
      permits(rule(Rule.ANY, "console", READ));
      var cookies = new ArrayList<String>();
      var callback = callback("slack", cookies).toString().replace("/slack/", "/oidc/");

      isRefused(get(URI.create(callback), "Cookie", cookies.getFirst()), 401);
    }

    @Test
    void signInWithATokenForAnotherAttemptIsRefused() throws Exception {
      permits(rule(Rule.ANY, "console", READ));
      for (var claim :
          Map.<String, Object>of(
                  "iss", "https://evil.example",
                  "aud", "another",
                  "exp", 1,
                  "nonce", "another")
              .entrySet()) {
        provider.wrong.clear();
        provider.wrong.put(claim.getKey(), claim.getValue());
        isRefused(signsIn("slack"), 401);
      }
      provider.wrong.clear();
      provider.algorithm = "none";
      isRefused(signsIn("slack"), 401);
      provider.algorithm = "HS256";
      isRefused(signsIn("slack"), 401);
      provider.algorithm = "RS256";
      provider.signsWithAnotherKey();
      isRefused(signsIn("slack"), 401);
    }

    @Test
    void signInWithAnUnverifiedAddressIsRefused() throws Exception {
      permits(rule(Rule.ANY, "console", READ));
      provider.claims.put("email_verified", false);

      isRefused(signsIn("oidc"), 401);
    }

    /// The first contains KELVIN SIGN, whose small letter is that of ASCII.
    @ParameterizedTest
    @ValueSource(
        strings = {
          "\u212Aay@example.com",
          "x@example.com\nslack:U1",
          "group:staff@example.com",
          "kay@example.com kay@example.com",
          "@example.com"
        })
    void emailThatCouldBeMistakenForAnotherNameIsRefused(String address) throws Exception {
      permits(
          rule("oidc:kay@example.com", "console", READ),
          rule("slack:U1", "console", READ),
          rule("oidc:group:staff@example.com", "console", READ));
      provider.claims.put("email", address);

      isRefused(signsIn("oidc"), 401);
    }

    /// What the provider says is signed or comes from its own address, and still may be nonsense.
    @Test
    void signInIsRefusedAfterAMalformedProviderResponse() throws Exception {
      permits(rule(Rule.ANY, "console", READ));
      for (var wrong :
          Map.<String, Object>of(
                  "exp", Long.MIN_VALUE,
                  "aud", List.of(SimulatedProvider.CLIENT, "another"),
                  "email", Map.of("a", "b"),
                  "nonce", List.of())
              .entrySet()) {
        provider.wrong.clear();
        provider.wrong.put(wrong.getKey(), wrong.getValue());
        isRefused(signsIn("oidc"), 401);
      }
      provider.wrong.clear();
      for (var answer :
          List.of(
              "", "null", "[]", "{", "\"x\"", "{\"id_token\": \"a.b.c\"}", "{\"id_token\": {}}")) {
        provider.answersTokens = Optional.of(answer);
        isRefused(signsIn("oidc"), 401);
        isRefused(signsIn("github"), 401);
      }
      provider.answersTokens = Optional.empty();
      for (var address : List.of("ftp://127.0.0.1/", "nowhere", "mailto:a@b", "http:///x")) {
        provider.tokenAddress = Optional.of(address);
        isRefused(signsIn("oidc"), 401);
      }
    }

    @Test
    void groupNameThatContainsAnotherNameDoesNotMatchIt() throws Exception {
      permits(rule("platform", "console", READ), rule("oidc:group:staff", "console", READ));
      provider.claims.put("groups", List.of("x\nplatform"));
      isRefused(signsIn("oidc"), 403);

      provider.claims.put("groups", List.of("x\nplatform", "staff"));
      var session = signedIn("oidc");
      permits(rule("platform", "console", READ));
      assertThat(get(site.at("/"), "Cookie", session).statusCode()).isEqualTo(403);
    }

    @Test
    void gitHubLoginDoesNotCountAsAGroupName() throws Exception {
      permits(rule("github:members", "console", READ));
      provider.user.put("login", "members");

      isRefused(signsIn("github"), 403);
    }

    @Test
    void signInDoesNotRedirectToAnotherSite() throws Exception {
      permits(rule(Rule.ANY, "console", READ));
      var left = get(site.at("/enter/slack?to=https://evil.example/"));
      var back = get(URI.create(location(left)));

      var answer = get(URI.create(location(back)), "Cookie", cookie(left, "runnel-sign-in"));

      assertThat(location(answer)).isEqualTo("/");
    }
  }

  @Test
  void signInAddressesContainNoSecrets() throws Exception {
    permits(rule(Rule.ANY, "console", READ));
    signsIn("slack");

    var queries = provider.received.stream().filter(it -> it.contains("redirect_uri=")).toList();
    assertThat(queries.getFirst())
        .contains("code_challenge_method=S256", "nonce=", "state=")
        .doesNotContain(SimulatedProvider.SECRET, "code_verifier");
  }

  @Nested
  class ALinkToARun {
    private Run run() {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      site.says(run, dev.runnel.console.transcript.Transcripts.Kind.SAID, "I look at it.");
      return run;
    }

    private HttpResponse<String> shares(Run run) throws Exception {
      var session = site.signedIn();
      var page = get(site.at("/runs/" + run.id()), "Cookie", session).body();
      return posts("/runs/" + run.id() + "/share", session, Map.of("page", key(page)));
    }

    @Test
    void shareLinkShowsItsRunWithoutAnAccountUntilItExpires() throws Exception {
      site.close();
      open(URI.create("https://runnel.example"));
      var run = run();

      var made = shares(run).body();
      var path =
          Pattern.compile("https://runnel\\.example(/shared/[\\w-]+)")
              .matcher(made)
              .results()
              .findFirst()
              .map(it -> it.group(1))
              .orElseThrow();
      var shown = get(site.at(path));

      assertThat(shown.statusCode()).isEqualTo(200);
      assertThat(shown.body())
          .contains("Fix the test", "I look at it.")
          .doesNotContain("data-form", "/runs/", "claude -p", "name=\"page\"", "data-live");
      assertThat(shown.headers().firstValue("Referrer-Policy")).contains("no-referrer");
      assertThat(get(site.at("/audit.jsonl?verb=read"), "Cookie", site.signedIn()).body().lines())
          .filteredOn(it -> it.contains("somebody with a link"))
          .hasSize(1)
          .allMatch(it -> it.contains(run.id().value()));
      assertThat(get(site.at("/shared/" + "x".repeat(32))).statusCode()).isEqualTo(404);
      clock.advance(Duration.ofDays(8));
      assertThat(get(site.at(path)).statusCode()).isEqualTo(404);
    }

    @Test
    void shareLinkIsRefusedWithoutAPublicUrl() throws Exception {
      var answer = shares(run());

      assertThat(answer.statusCode()).isEqualTo(409);
      assertThat(answer.body()).contains("RUNNEL_PUBLIC_URL").doesNotContain("/shared/");
    }

    @Test
    void shareLinkRequiresSignIn() throws Exception {
      site.close();
      open(URI.create("https://runnel.example"));
      var run = run();
      assertThat(posts("/runs/" + run.id() + "/share", "", Map.of()).statusCode()).isEqualTo(401);
    }
  }

  @Test
  void thePageToSignInHasAButtonForEachProvider() throws Exception {
    assertThat(get(site.at("/runs/x")).body())
        .contains("href=\"/enter/slack?to=%2Fruns%2Fx\"", "Sign in with GitHub");
    assertThat(get(site.at("/enter/nobody")).statusCode()).isEqualTo(404);
  }
}
