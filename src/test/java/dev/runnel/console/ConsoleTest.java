package dev.runnel.console;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.THREAD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.runnel.console.transcript.Transcripts.Kind;
import dev.runnel.console.view.About;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.database.DatabaseException;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.MemorySpentException;
import dev.runnel.testkit.SettableClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConsoleTest {
  private static final String NASTY = "<script>alert(\"1\")</script> 'it' & \"that\" ✓";
  private static final Conversation SLACK = Conversation.parse("slack:T1/C1/1700000000.000100");
  private static final String SLACK_LINK = "https://acme.slack.com/archives/C1/p1";

  @TempDir private Path folder;

  private final SettableClock clock = new SettableClock();
  private final HttpClient browser = HttpClient.newHttpClient();
  private final Streams streams = Site.streams(3, Duration.ofMillis(20), Duration.ofMillis(60));
  private Site site;
  private String cookie;

  @BeforeEach
  void open() {
    site =
        new Site(
            folder, clock, "sesame", new About("claude -p", List.of(Site.slack(true))), streams, 0);
    cookie = site.signedIn();
  }

  @AfterEach
  void close() {
    site.close();
    browser.close();
  }

  private HttpResponse<String> get(String path, String... headers)
      throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(site.at(path)).header("Cookie", cookie);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return browser.send(request.build(), BodyHandlers.ofString());
  }

  private String page(String path) throws IOException, InterruptedException {
    var response = get(path);
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body();
  }

  private static String path(Run run) {
    return "/runs/" + run.id();
  }

  private OpenPage live(String path, String... headers) throws IOException, InterruptedException {
    var all = new ArrayList<>(List.of("Cookie", cookie));
    all.addAll(List.of(headers));
    return new OpenPage(site.at(path), all.toArray(String[]::new));
  }

  @Nested
  class ThePageOfRuns {
    @Test
    void runsPageExplainsHowToStartWhileThereAreNoRuns() throws Exception {
      assertThat(page("/")).contains("No runs yet", "/agent fix the flaky test", "claude -p");
    }

    @Test
    void runsPageExplainsWhatToInstallOnlyWithTheDemoAgent() throws Exception {
      assertThat(page("/")).doesNotContain("No coding agent found");
      site.close();
      site = new Site(folder, clock, "sesame", new About("rehearsal", List.of()), streams, 0);
      cookie = site.signedIn();

      assertThat(page("/"))
          .contains("No coding agent found", "only repeats requests", "RUNNEL_AGENT_COMMAND")
          .contains("<dd>demo agent</dd>");
    }

    @Test
    void runsPageShowsStateTitlePersonPlaceAndArtifacts() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", SLACK_LINK);
      site.runs.makes(
          run.id(), new Artifact("Pull request #7", URI.create("https://git.example/7"), true));
      site.sees(site.runs.moves(run.id(), RunState.BLOCKED, "May I?"));

      assertThat(page("/"))
          .contains("Fix the test", "waiting for you", "for dana", SLACK_LINK)
          .contains("Pull request #7", "https://git.example/7", path(run))
          .doesNotContain("No runs yet");
    }

    @Test
    void runListPageUpdatesLive() throws Exception {
      try (var live = live("/live")) {
        await().until(() -> live.sent("list").contains("No runs yet"));
        var run = site.binds(SLACK, DANA, "Fix the test ✓", SLACK_LINK);
        await().until(() -> live.sent("list").contains("Fix the test ✓"));
        site.sees(site.runs.moves(run.id(), RunState.SUCCEEDED, "Done"));
        await().until(() -> live.sent("row").contains("badge succeeded"));
      }
    }

    @Test
    void runsPageReceivesOnlyChangedRows() throws Exception {
      site.binds(SLACK, DANA, "Fix the test", SLACK_LINK);
      try (var live = live("/live");
          var other = live("/live")) {
        await().until(() -> live.events("list").size() == 1 && other.events("list").size() == 1);
        clock.advance(Duration.ofMinutes(5));
        var another = site.binds(THREAD, DANA, "Another", null);
        await().until(() -> live.sent("order").contains(another.id().value()));
        assertThat(live.events("list")).hasSize(1);
        assertThat(live.events("row")).singleElement().matches(it -> it.data().contains("Another"));
      }
    }
  }

  @Nested
  class ThePageOfARun {
    @Test
    void runPageShowsTheTranscriptAndThePossibleActions() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", SLACK_LINK);
      site.says(run, Kind.ASKED, "Fix the test, please");
      site.says(run, Kind.SAID, "I look at https://git.example/8.");
      site.says(run, Kind.ERROR, "warning: slow");

      assertThat(page(path(run)))
          .contains("Fix the test, please", "I look at ", "warning: slow")
          .contains("href=\"https://git.example/8\"")
          .contains("value=\"stop\"", "value=\"say\"", "value=\"" + SLACK.id() + "\"")
          .doesNotContain("value=\"retry\"");
    }

    @Test
    void pageOfAnEndedRunOffersARetry() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      site.sees(site.runs.moves(run.id(), RunState.CANCELLED, "Stopped"));
      assertThat(page(path(run))).contains("value=\"retry\"").doesNotContain("value=\"stop\"");
    }

    @Test
    void runPageReceivesOnlyLinesAfterTheLastOneItHas() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      site.says(run, Kind.SAID, "line one");
      site.says(run, Kind.SAID, "line two");
      try (var live = live(path(run) + "/live?after=1")) {
        await().until(() -> live.sent("lines").contains("line two"));
        site.says(run, Kind.SAID, "line three ✓");
        await().until(() -> live.sent("lines").contains("line three ✓"));
        assertThat(live.sent("lines")).doesNotContain("line one").containsOnlyOnce("line two");
        assertThat(live.events("lines").getLast().id()).isEqualTo("3");
      }
      try (var again = live(path(run) + "/live?after=1", "Last-Event-ID", "2")) {
        await().until(() -> again.sent("lines").contains("line three"));
        assertThat(again.sent("lines")).doesNotContain("line two");
      }
    }

    @Test
    void aTranscriptOfManyPagesArrivesWholeAndInOrder() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      for (int i = 1; i <= 2500; i++) {
        site.says(run, Kind.SAID, "line " + i);
      }
      try (var live = live(path(run) + "/live?after=0")) {
        await().until(() -> live.sent("lines").contains("line 2500<"));
        assertThat(
                Pattern.compile("data-line=\"(\\d+)\"")
                    .matcher(live.sent("lines"))
                    .results()
                    .map(match -> Integer.parseInt(match.group(1))))
            .hasSize(2500)
            .isSorted();
      }
    }

    @Test
    void hugeLineIsTruncatedOnThePageButCompleteInTheDownload() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      var endless = "<".repeat(10_000_000);
      site.says(run, Kind.ASKED, "Draw a wall");
      site.says(run, Kind.SAID, endless);
      site.sees(site.runs.moves(run.id(), RunState.SUCCEEDED, endless));

      assertThat(page(path(run)).length()).isLessThan(500_000);
      assertThat(page(path(run))).contains("9995000 more characters", path(run) + "/transcript");
      try (var live = live(path(run) + "/live?after=0")) {
        await().until(() -> live.sent("lines").contains("more characters"));
        assertThat(live.sent("lines").length()).isLessThan(500_000);
      }
      var download = get(path(run) + "/transcript");
      assertThat(download.headers().firstValue("Content-Disposition").orElseThrow())
          .startsWith("attachment");
      assertThat(download.body().equals("Prompt: Draw a wall\n" + endless + "\n")).isTrue();
    }

    @Test
    void manyLongLinesArriveWholeInPiecesThatABrowserCanHold() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      for (int i = 1; i <= 200; i++) {
        site.says(run, Kind.SAID, "<".repeat(64 * 1024));
      }
      site.sees(site.runs.moves(run.id(), RunState.SUCCEEDED, "Done"));

      assertThat(page(path(run)).length()).isLessThan(3_000_000);
      try (var live = live(path(run) + "/live?after=0")) {
        await().until(() -> live.sent("lines").contains("data-line=\"200\""));
        assertThat(live.events("lines")).allMatch(event -> event.data().length() < 3_000_000);
      }
    }

    /// A link is on the page twice, and a quotation mark takes six characters.
    @Test
    void pageHasAsManyLinesAsFitWhateverIsInThem() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      for (int i = 1; i <= 400; i++) {
        site.says(run, Kind.SAID, (i % 2 == 0 ? "https://h/\"'& " : "\"").repeat(500));
      }

      var page = page(path(run));
      assertThat(page.length()).isLessThan(600_000);
      assertThat(page).contains("id=\"L400\"").doesNotContain("id=\"L1\"");
    }

    @Test
    void runPageUpdatesLiveAfterTheRunIsReopened() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      site.sees(site.runs.moves(run.id(), RunState.SUCCEEDED, "Done"));
      try (var live = live(path(run) + "/live?after=0")) {
        await().until(() -> live.sent("head").contains("badge succeeded"));
        site.sees(site.runs.moves(run.id(), RunState.RUNNING, "On it again"));
        await().until(() -> live.sent("head").contains("On it again"));
        site.says(run, Kind.SAID, "one more thing");
        await().until(() -> live.sent("lines").contains("one more thing"));
      }
    }

    @Test
    void runPageAnnouncesANewerRunOfItsThread() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      try (var live = live(path(run) + "/live?after=0")) {
        await().until(() -> !live.events("head").isEmpty());
        var newer = site.binds(SLACK, DANA, "Fix the test again", null);
        await().until(() -> live.sent("moved").contains(path(newer)));
      }
    }

    @Test
    void pageOfAnApiRunShowsItsSourceAndLinksToItsSession() throws Exception {
      var run = site.runs.addsStranger("Started by hand");
      assertThat(page(path(run)))
          .contains("Started by hand", "started through the API")
          .contains("https://runs.example/sessions/" + run.id());
    }

    @Test
    void pageOfAnUnknownRunIsNotFoundWithALinkToAllRuns() throws Exception {
      var response = get("/runs/nope");
      assertThat(response.statusCode()).isEqualTo(404);
      assertThat(response.body()).contains("There is no such run", "All runs");
    }

    @Test
    void pageOfAnUnknownRunIsUnavailableWhileTheRunServiceIsDown() throws Exception {
      site.runs.isDown(Optional.empty());
      var response = get("/runs/0190e6a1-9f50-7c3e-8a43-000000000009");
      assertThat(response.statusCode()).isEqualTo(503);
      assertThat(response.body()).contains("cannot be reached");
    }
  }

  @Nested
  class WhatOthersWrote {
    @Test
    void textFromOthersIsEscapedEverywhere() throws Exception {
      var run = site.binds(SLACK, new Actor("U1", NASTY), NASTY, null);
      site.says(run, Kind.ASKED, NASTY);
      site.says(run, Kind.SAID, NASTY);
      site.says(run, Kind.ERROR, NASTY);
      site.runs.makes(run.id(), new Artifact(NASTY, URI.create("https://git.example/7"), true));
      site.sees(site.runs.moves(run.id(), RunState.BLOCKED, NASTY));

      assertIsText(page("/"));
      assertIsText(page(path(run)));
      try (var list = live("/live");
          var live = live(path(run) + "/live?after=0")) {
        await().until(() -> !live.events("lines").isEmpty() && !list.events("list").isEmpty());
        assertIsText(list.sent("list"));
        assertIsText(live.sent("head"));
        assertIsText(live.sent("lines"));
      }
    }

    private void assertIsText(String html) {
      assertThat(html).contains("&lt;script&gt;alert(").doesNotContain("<script>alert");
      assertThat(Pattern.compile("=\"[^\"]*\"that\"").matcher(html).find()).isFalse();
    }

    @Test
    void linkFromOthersIsHiddenUnlessItIsAWebAddress() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", "javascript:alert(1)");
      site.runs.makes(run.id(), new Artifact("Trap", URI.create("javascript:alert(2)"), true));
      site.sees(site.runs.run(run.id()));
      assertThat(page(path(run))).doesNotContain("javascript:");
      assertThat(page("/")).doesNotContain("javascript:");
    }
  }

  @Nested
  class APersonAtThePage {
    private HttpResponse<String> posts(String from, Map<String, String> fields)
        throws IOException, InterruptedException {
      var key = Pattern.compile("name=\"page\" value=\"([^\"]+)\"").matcher(from);
      assertThat(key.find()).isTrue();
      var form =
          fields.entrySet().stream()
              .map(
                  field ->
                      field.getKey()
                          + "="
                          + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
              .collect(Collectors.joining("&"));
      var request =
          HttpRequest.newBuilder(site.at("/webhooks/console"))
              .header("Cookie", cookie)
              .header("Content-Type", "application/x-www-form-urlencoded")
              .header("Sec-Fetch-Site", "same-origin")
              .POST(
                  HttpRequest.BodyPublishers.ofString(
                      form + "&turn=1&page=" + key.group(1), StandardCharsets.UTF_8));
      return browser.send(request.build(), BodyHandlers.ofString());
    }

    @Test
    void repeatedStartClicksStartOneRunAndLeadToItsPage() throws Exception {
      var home = page("/");
      var start = Map.of("action", "start", "text", "Fix the test");
      var reply = posts(home, start);
      assertThat(reply.statusCode()).isEqualTo(200);
      assertThat(posts(home, start).body()).isEqualTo(reply.body());

      try (var live = live("/live?awaiting=" + reply.body())) {
        assertThat(live.events("started")).isEmpty();
        site.settles();
        assertThat(site.runs.starts()).hasSize(1);
        var run = site.runs.runs().getFirst();
        await().until(() -> live.sent("started").contains(path(run)));
        assertThat(page(path(run))).contains("Fix the test", "from the console");
      }
    }

    @Test
    void reasonForARefusedStartIsShownOnThePage() throws Exception {
      var reply = posts(page("/"), Map.of("action", "start", "text", "Fix the test"));
      site.runs.answersNext(
          new Outcome.Refused("quota", "There are no credits left.", Optional.empty()));
      try (var live = live("/live?awaiting=" + reply.body())) {
        site.settles();
        await().until(() -> live.sent("notes").contains("There are no credits left."));
      }
    }

    @Test
    void pageOfARetriedRunShowsThatItIsAnEarlierRunOfItsThread() throws Exception {
      var home = posts(page("/"), Map.of("action", "start", "text", "Fix the test"));
      site.settles();
      var first = site.runs.runs().getFirst();
      site.sees(site.runs.moves(first.id(), RunState.FAILED, "No"));
      posts(
          page(path(first)),
          Map.of("action", "retry", "conversation", home.body(), "run", first.id().value()));
      site.settles();
      assertThat(site.runs.runs()).hasSize(2);
      assertThat(page(path(first))).contains("an earlier run in this thread");
      assertThat(page(path(site.runs.runs().getLast()))).contains("from the console");
    }

    @Test
    void personCanReplyToARunAndStopItOnItsPage() throws Exception {
      posts(page("/"), Map.of("action", "start", "text", "Fix the test"));
      site.settles();
      var run = site.runs.runs().getFirst();
      var conversation = site.accepted.getFirst().conversation().id();

      posts(
          page(path(run)),
          Map.of(
              "action",
              "say",
              "text",
              "And the docs",
              "conversation",
              conversation,
              "run",
              run.id().value()));
      site.settles();
      assertThat(site.runs.followUps())
          .singleElement()
          .matches(s -> s.text().equals("And the docs"));

      posts(
          page(path(run)),
          Map.of("action", "stop", "conversation", conversation, "run", run.id().value()));
      site.settles();
      assertThat(site.runs.cancels()).containsExactly(run.id());
      assertThat(page(path(run))).contains("badge cancelled");
    }
  }

  @Nested
  class Visitors {
    /// As a browser that was lured to a name which points here.
    private String visit(String path, String host, String... headers) throws IOException {
      return request("GET", path, host, "", headers);
    }

    private String request(String method, String path, String host, String form, String... headers)
        throws IOException {
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), site.at("/").getPort())) {
        socket.setSoTimeout(5000);
        var more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
        var request =
            ("%s %s HTTP/1.1\r\nHost: %s\r\n%sContent-Type: application/x-www-form-urlencoded\r\n"
                    + "Content-Length: %d\r\nConnection: close\r\n\r\n%s")
                .formatted(method, path, host, more, form.length(), form);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      }
    }

    @Test
    void visitorWithoutASessionSeesOnlyTheSignInPage() throws Exception {
      site.binds(SLACK, DANA, "Secret plan", null);
      for (var path :
          List.of("/", "/live", "/runs/x", "/runs/x/live", "/runs/x/transcript", "/attention")) {
        for (var host : List.of("localhost", "127.0.0.1", "[::1]", "runnel.example")) {
          assertThat(visit(path, host))
              .startsWith("HTTP/1.1 401")
              .contains("Sign in", "name=\"token\"", "./runnel console")
              .doesNotContain("Secret plan", "claude -p", "name=\"page\"");
        }
        assertThat(request("HEAD", path, "localhost", "")).startsWith("HTTP/1.1 401");
      }
    }

    @Test
    void signInLinkWorksOnceAndLeadsToTheRuns() throws Exception {
      var form = site.link().getQuery();

      var entered = posts(form);
      assertThat(entered)
          .startsWith("HTTP/1.1 303")
          .contains("Location: /\r\n", "HttpOnly", "SameSite=Lax")
          .doesNotContain("Secure");
      assertThat(visit("/", "runnel.example", "Cookie: " + cookieOf(entered)))
          .startsWith("HTTP/1.1 200");
      assertThat(posts(form))
          .startsWith("HTTP/1.1 401")
          .contains("was already used, or has expired")
          .doesNotContain("Set-Cookie");
    }

    @Test
    void signInLinkSurvivesPreviewsAndShowsAButtonThatNeedsNoScript() throws Exception {
      var link = site.link();
      var path = link.getPath() + "?" + link.getQuery();
      for (var method : List.of("GET", "HEAD", "GET")) {
        assertThat(request(method, path, "localhost", ""))
            .startsWith("HTTP/1.1 200")
            .doesNotContain("Set-Cookie");
      }
      assertThat(visit(path, "localhost"))
          .contains(
              "<form class=\"token\" method=\"post\" action=\"/enter\">",
              "name=\"link\" value=\"" + link.getQuery().substring("link=".length()) + "\"",
              "Cache-Control: no-store")
          .doesNotContain("Secret plan");
      assertThat(posts(link.getQuery(), "Origin: https://evil.example"))
          .startsWith("HTTP/1.1 401")
          .doesNotContain("Set-Cookie");

      assertThat(posts(link.getQuery())).startsWith("HTTP/1.1 303");
    }

    @Test
    void tokenSignsVisitorsInAndLeadsToTheRequestedPage() throws Exception {
      assertThat(visit("/runs/x", "runnel.example")).contains("name=\"to\" value=\"/runs/x\"");

      var entered = posts("token=sesame&to=%2Fruns%2Fx", "X-Forwarded-Proto: https");
      assertThat(entered)
          .startsWith("HTTP/1.1 303")
          .contains("Location: /runs/x\r\n", "Secure", "HttpOnly");
      assertThat(visit("/", "localhost", "Cookie: " + cookieOf(entered)))
          .startsWith("HTTP/1.1 200");
      assertThat(posts("token=sesame&to=%2F%2Fevil.example")).contains("Location: /\r\n");
    }

    @Test
    void wrongTokenOrTokenInTheAddressDoesNotSignIn() throws Exception {
      assertThat(posts("token=Sesame")).startsWith("HTTP/1.1 401").doesNotContain("Set-Cookie");
      assertThat(posts("token=sesame", "Origin: https://evil.example"))
          .startsWith("HTTP/1.1 401")
          .doesNotContain("Set-Cookie");
      assertThat(visit("/enter?token=sesame", "localhost")).doesNotContain("Set-Cookie");
      assertThat(visit("/?token=sesame", "localhost")).startsWith("HTTP/1.1 401");
    }

    @Test
    void visitorMustWaitAfterManyWrongTokens() throws Exception {
      for (int i = 0; i < 6; i++) {
        assertThat(posts("token=" + i)).startsWith("HTTP/1.1 401");
      }
      assertThat(posts("token=sesame"))
          .startsWith("HTTP/1.1 429")
          .contains("Retry-After")
          .doesNotContain("Set-Cookie");
    }

    @Test
    void programsAuthenticateWithTheTokenInAHeader() throws Exception {
      assertThat(visit("/", "localhost", "Authorization: Bearer sesame"))
          .startsWith("HTTP/1.1 200");
      assertThat(visit("/", "localhost", "Authorization: Bearer wrong")).startsWith("HTTP/1.1 401");
    }

    @Test
    void signOutEndsTheOpenPagesOfTheVisitor() throws Exception {
      try (var live = live("/live")) {
        await().until(() -> !live.events("list").isEmpty());
        assertThat(request("POST", "/leave", "localhost", "action=here", "Cookie: " + cookie))
            .startsWith("HTTP/1.1 303")
            .contains("runnel-console=;", "Expires=Thu, 01 Jan 1970");
        await().until(() -> streams.open() == 0);
      }
      assertThat(get("/").statusCode()).isEqualTo(401);
    }

    @Test
    void visitorCanEndAllSessions() throws Exception {
      var other = site.signedIn();
      assertThat(request("POST", "/leave", "localhost", "action=everywhere", "Cookie: " + cookie))
          .startsWith("HTTP/1.1 303");
      assertThat(visit("/", "localhost", "Cookie: " + other)).startsWith("HTTP/1.1 401");
    }

    @Test
    void oversizedFormIsRejected() throws Exception {
      assertThat(posts("token=" + "x".repeat(70_000))).startsWith("HTTP/1.1 413");
    }

    private String posts(String form, String... headers) throws IOException {
      return request("POST", "/enter", "localhost", form, headers);
    }

    private String cookieOf(String answer) {
      var cookie = Pattern.compile("Set-Cookie: ([^;]+);").matcher(answer);
      assertThat(cookie.find()).isTrue();
      return cookie.group(1);
    }

    @Test
    void pagesLoadNothingExternalAndCannotBeFramed() throws Exception {
      var response = get("/");
      assertThat(response.headers().firstValue("Content-Security-Policy").orElseThrow())
          .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
          .doesNotContain("unsafe");
      assertThat(response.headers().firstValue("X-Frame-Options")).contains("DENY");
      assertThat(response.body()).doesNotContain("<style", "onclick", "style=");
      assertThat(Pattern.compile("<script(?! src=\"/console/)").matcher(response.body()).find())
          .isFalse();
    }

    @Test
    void onlyStyleSheetScriptAndIconAreServedToVisitors() throws Exception {
      for (var name : List.of("console.css", "console.js", "icon.svg")) {
        assertThat(get("/console/" + name).statusCode()).isEqualTo(200);
      }
      assertThat(get("/console/logback.xml").statusCode()).isEqualTo(404);
      assertThat(get("/console/..%2flogback.xml").statusCode()).isNotEqualTo(200);
    }
  }

  @Nested
  class APageThatFails {
    private HttpResponse<String> failing(Throwable why) throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      site.says(run, Kind.ASKED, "Fix it");
      site.redaction =
          _ -> {
            throwAnything(why);
            return "";
          };
      return get(path(run));
    }

    @Test
    void pageThatCannotBeRenderedIsAnErrorPageThatNamesTheLineOfTheLog() throws Exception {
      var response = failing(new StackOverflowError());

      assertThat(response.statusCode()).isEqualTo(500);
      assertThat(response.headers().firstValue("Content-Type").orElseThrow())
          .startsWith("text/html");
      assertThat(response.body())
          .contains("<h1>This page cannot be shown</h1>", "<code>error=", "All runs");
    }

    @Test
    void pageThatCannotUseTheDatabaseSaysSoAndWhenToRetry() throws Exception {
      var response = failing(new DatabaseException("the writer is busy", null));

      assertThat(response.statusCode()).isEqualTo(503);
      assertThat(response.headers().firstValue("Retry-After")).contains("5");
      assertThat(response.body()).contains("The database cannot be used now");
    }

    @Test
    void pageWithoutMemorySaysSoAndWhenToRetry() throws Exception {
      var spent = MemoryBudget.of(256L << 20).share(MemoryBudget.Kind.READERS);
      var response =
          failing(
              catchThrowableOfType(
                  MemorySpentException.class, () -> spent.await(1L << 30, Duration.ZERO)));

      assertThat(response.statusCode()).isEqualTo(503);
      assertThat(response.headers().firstValue("Retry-After")).contains("5");
      assertThat(response.body()).contains("Too many pages are open");
    }
  }

  private static void throwAnything(Throwable why) {
    if (why instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) why;
  }

  @Nested
  class OpenStreams {
    @Test
    void streamsEndWhenTheirPagesAreClosed() throws Exception {
      try (var one = live("/live");
          var other = live("/live")) {
        await().until(() -> !one.events("list").isEmpty() && !other.events("list").isEmpty());
        assertThat(streams.open()).isEqualTo(2);
      }
      await().until(() -> streams.open() == 0);
    }

    @Test
    void openStreamsAreLimited() throws Exception {
      try (var one = live("/live");
          var two = live("/live");
          var three = live("/live")) {
        assertThat(List.of(one.status(), two.status(), three.status())).containsOnly(200);
        try (var four = live("/live")) {
          assertThat(four.status()).isEqualTo(503);
        }
      }
      await().until(() -> streams.open() == 0);
      try (var five = live("/live")) {
        assertThat(five.status()).isEqualTo(200);
      }
    }

    @Test
    void streamsEndWhenTheConsoleCloses() throws Exception {
      try (var one = live("/live")) {
        await().until(() -> !one.events("list").isEmpty());
        site.console.close();
        await().until(() -> streams.open() == 0);
      }
    }

    @Test
    void requestThatAcceptsNoStreamIsNotCounted() throws Exception {
      assertThat(get("/live").statusCode()).isEqualTo(406);
      assertThat(streams.open()).isZero();
    }
  }
}
