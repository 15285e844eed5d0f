package dev.runnel.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.console.view.About;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.SettableClock;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The list of all runs, with its filters in the address.
class AllRunsTest {
  private static final Actor DANA = new Actor("U1", "dana");
  private static final Conversation SLACK = new Conversation(new SurfaceId("slack"), "T1/C1/1");
  private static final String SLACK_LINK = "https://acme.slack.com/archives/C1/p1";

  @TempDir Path folder;
  private final HttpClient browser = HttpClient.newHttpClient();
  private final SettableClock clock = new SettableClock();
  private Site site;

  @BeforeEach
  void open() {
    site =
        new Site(
            folder,
            clock,
            null,
            new About("claude -p", List.of(Site.GITHUB)),
            Site.streams(10, Duration.ofMillis(20), Duration.ofSeconds(1)),
            0);
  }

  @AfterEach
  void close() {
    site.close();
    browser.close();
  }

  private HttpResponse<String> get(String path) throws Exception {
    return browser.send(
        HttpRequest.newBuilder(site.at(path)).header("Cookie", site.signedIn()).build(),
        BodyHandlers.ofString());
  }

  /// The titles of the rows, in their order.
  private static List<String> titles(String html) {
    return Pattern.compile("data-cell=\"title\"><a href=\"[^\"]+\">([^<]*)</a>")
        .matcher(html)
        .results()
        .map(it -> it.group(1))
        .toList();
  }

  private Run ended(String title, RunState state) {
    var run = site.runs.addsStranger(title);
    return site.runs.moves(run.id(), state, "It said " + title);
  }

  @Test
  void runListShowsPersonAndSourceOfRunsFromTheApi() throws Exception {
    ended("Nightly audit", RunState.SUCCEEDED);

    var page = get("/runs").body();

    assertThat(titles(page)).containsExactly("Nightly audit");
    assertThat(page)
        .contains("Rae &lt;b&gt;", "/runs?who=user-7", ">API<", "It said Nightly audit")
        .doesNotContain("javascript:alert");
  }

  @Test
  void aMessageIsOnOneLineWithoutMarkdown() throws Exception {
    var run = site.runs.addsStranger("Fix the test");
    site.runs.moves(run.id(), RunState.SUCCEEDED, "## Done\n\nThe test is **stable**: `a_b`.");

    assertThat(get("/runs").body()).contains(">Done The test is stable: a_b.<");
  }

  @Test
  void runListShowsPersonAndPlaceOfARunFromAConversation() throws Exception {
    site.binds(SLACK, DANA, "Fix the test", SLACK_LINK);

    assertThat(get("/runs").body()).contains("dana", SLACK_LINK);
  }

  @Test
  void blockedRunIsListedFirstAndOnlyOnce() throws Exception {
    ended("Old question", RunState.BLOCKED);
    ended("First", RunState.SUCCEEDED);
    ended("Second", RunState.FAILED);

    assertThat(titles(get("/runs").body())).containsExactly("Old question", "Second", "First");
  }

  @Test
  void runListKeepsFiltersAndSearchTextInItsFormAndLinks() throws Exception {
    ended("Fix the test", RunState.FAILED);
    ended("Fix the docs", RunState.SUCCEEDED);
    ended("Write a poem", RunState.FAILED);

    var page = get("/runs?state=failed&q=Fix&model=opus%26more").body();

    assertThat(titles(page)).containsExactly("Fix the test");
    assertThat(page)
        .contains("value=\"Fix\"", "value=\"failed\" selected")
        .contains(
            "/runs?q=Fix&amp;state=failed\" title=\"Remove this filter\">model: opus&amp;more")
        .contains("data-live=\"/live/runs?q=Fix&amp;state=failed&amp;model=opus%26more\"");
  }

  @Test
  void runListFiltersByRepositoryIssueAndChannel() throws Exception {
    var github = new SurfaceId("github");
    site.binds(new Conversation(github, "acme/shop#1"), DANA, "Fix one", null);
    site.binds(new Conversation(github, "acme/shop#12"), DANA, "Fix twelve", null);
    site.binds(new Conversation(github, "acme/shop-tools#1"), DANA, "Fix the tools", null);
    site.binds(SLACK, DANA, "Answer", SLACK_LINK);

    assertThat(titles(get("/runs?place=github:acme/shop").body()))
        .containsExactly("Fix twelve", "Fix one");
    assertThat(titles(get("/runs?place=acme/shop").body()))
        .containsExactly("Fix twelve", "Fix one");
    assertThat(titles(get("/runs?place=acme/shop%231").body())).containsExactly("Fix one");
    assertThat(titles(get("/runs?place=slack:T1/C1").body())).containsExactly("Answer");
    var page = get("/runs?place=acme/shop&q=twelve").body();
    assertThat(titles(page)).containsExactly("Fix twelve");
    assertThat(page)
        .contains("value=\"acme/shop\"")
        .contains("/runs?q=twelve&amp;place=github%3Aacme%2Fshop\"")
        .contains("data-live=\"/live/runs?q=twelve&amp;place=acme%2Fshop\"");
  }

  @Test
  void theFilterByPlaceStaysOnTheNextPage() throws Exception {
    site.pageSize = 2;
    var github = new SurfaceId("github");
    for (int i = 1; i <= 5; i++) {
      site.binds(new Conversation(github, "acme/shop#" + i), DANA, "Issue " + i, null);
      site.binds(new Conversation(github, "acme/other#" + i), DANA, "Other " + i, null);
    }

    var first = get("/runs?place=acme/shop").body();
    var second = get("/runs?place=acme/shop&after=2").body();

    assertThat(titles(first)).containsExactly("Issue 5", "Issue 4");
    assertThat(first).contains("href=\"/runs?place=acme%2Fshop&amp;after=2\"");
    assertThat(titles(second)).containsExactly("Issue 3", "Issue 2");
  }

  @Test
  void laterPageOfTheRunListContinuesThePreviousOneAndIsNotLive() throws Exception {
    site.pageSize = 2;
    for (var title : List.of("one", "two", "three", "four", "five")) {
      ended(title, RunState.SUCCEEDED);
    }

    var first = get("/runs").body();
    var second = get("/runs?after=2").body();
    var last = get("/runs?after=4").body();

    assertThat(titles(first)).containsExactly("five", "four");
    assertThat(first).contains("href=\"/runs?after=2\"");
    assertThat(titles(second)).containsExactly("three", "two");
    assertThat(second).contains(">Newest<").doesNotContain("data-live");
    assertThat(titles(last)).containsExactly("one");
    assertThat(last).doesNotContain("Older runs");
  }

  @Test
  void anOpenPageGetsOnlyTheRowsThatChanged() throws Exception {
    var run = ended("Fix the test", RunState.RUNNING);
    ended("Another", RunState.SUCCEEDED);
    try (var live = new OpenPage(site.at("/live/runs"), "Cookie", site.signedIn())) {
      await().until(() -> live.events("row").size() == 2 && live.events("order").size() == 1);

      site.runs.moves(run.id(), RunState.BLOCKED, "May I?");
      clock.advance(Duration.ofSeconds(2));

      await().until(() -> live.events("order").size() == 2);
      assertThat(live.events("row")).hasSize(3);
      assertThat(live.events("row").getLast().data()).contains("badge blocked", "May I?");
      assertThat(live.events("order").getLast().data()).startsWith(run.id().value());
    }
  }

  @Test
  void openPageGetsOnlyTheMessageIfNothingElseChanged() throws Exception {
    var run = ended("Fix the test", RunState.RUNNING);
    try (var live = new OpenPage(site.at("/live/runs"), "Cookie", site.signedIn())) {
      await().until(() -> live.events("order").size() == 1);

      site.runs.moves(run.id(), RunState.RUNNING, "Reading <the> code");
      clock.advance(Duration.ofSeconds(2));

      await().until(() -> live.events("said").size() == 1);
      assertThat(live.sent("said").strip()).isEqualTo(run.id() + " Reading <the> code");
      assertThat(live.events("row")).hasSize(1);
    }
  }

  @Test
  void runListReportsThatTheServiceCannotListRuns() throws Exception {
    var answer = get("/runs?q=unavailable");

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).contains("The run service is away.").doesNotContain("No run matches");
  }

  @Test
  void runListSaysThatNoRunMatchesAndEscapesTheSearchText() throws Exception {
    assertThat(get("/runs?q=%3Cscript%3E").body())
        .contains("No run matches", "value=\"&lt;script>\"")
        .doesNotContain("<script>\"");
  }

  @Test
  void runListRequiresSignIn() throws Exception {
    for (var path : List.of("/runs", "/live/runs")) {
      assertThat(
              browser
                  .send(HttpRequest.newBuilder(site.at(path)).build(), BodyHandlers.ofString())
                  .statusCode())
          .isEqualTo(401);
    }
  }
}
