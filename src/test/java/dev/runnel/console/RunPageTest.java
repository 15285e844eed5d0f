package dev.runnel.console;

import static dev.runnel.testkit.Samples.DANA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.console.transcript.Transcripts.Kind;
import dev.runnel.console.view.About;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.RunCatalog;
import dev.runnel.testkit.Browser;
import dev.runnel.testkit.SettableClock;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/// The page of one run: what it says, and what it does in a real browser.
class RunPageTest {
  private static final Conversation SLACK = Conversation.parse("slack:T1/C1/1700000000.000100");

  @TempDir Path folder;
  private final SettableClock clock = new SettableClock();
  private final HttpClient client = HttpClient.newHttpClient();
  private Site site;

  @BeforeEach
  void open() {
    site =
        new Site(
            folder,
            clock,
            null,
            new About("claude -p", List.of(Site.slack(true))),
            Site.streams(3, Duration.ofMillis(20), Duration.ofMillis(60)),
            0);
  }

  @AfterEach
  void close() {
    site.close();
    client.close();
  }

  private HttpResponse<String> get(String path) throws Exception {
    return client.send(
        HttpRequest.newBuilder(site.at(path)).header("Cookie", site.signedIn()).build(),
        BodyHandlers.ofString());
  }

  private static String path(Run run) {
    return "/runs/" + run.id();
  }

  private Run runWithLines(int lines) {
    var run = site.binds(SLACK, DANA, "Fix the test", null);
    for (int i = 1; i <= lines; i++) {
      site.says(run, i == 70 ? Kind.ERROR : Kind.SAID, "line " + i + ".");
    }
    return run;
  }

  private static RunCatalog.Details details(RunCatalog.Entry entry, Instant at) {
    return new RunCatalog.Details(
        entry,
        Optional.of(at.plusSeconds(30)),
        Optional.of(at.plusSeconds(90)),
        Optional.of(new RunId("parent-run")),
        List.of(
            new RunCatalog.Execution(
                1,
                Optional.of(at.plusSeconds(30)),
                Optional.of(at.plusSeconds(31)),
                Optional.of(at.plusSeconds(91)),
                Optional.of(RunState.FAILED))),
        List.of(entry),
        List.of(new RunCatalog.File("file-1", "shot.png", true, 4096)));
  }

  @Nested
  class TheFacts {
    @Test
    void runPageShowsIdTimesExecutionsChildrenAndFiles() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      site.knows(run.id(), details(site.entry(run), clock.instant()));

      assertThat(get(path(run)).body())
          .contains("data-copy=\"" + run.id() + "\"", "href=\"/runs/parent-run\"", "Rae &lt;b&gt;")
          .contains("1. failed", "took 1 min")
          .contains("Child runs", "<img src=\"" + path(run) + "/files/file-1\"");
    }

    @Test
    void runPageShowsTheOutcomeOfEachMessage() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      site.givesUp(
          dev.runnel.testkit.Samples.delivery(
              "7", dev.runnel.testkit.Samples.say("And <b>the docs</b>"), SLACK),
          "No network");

      assertThat(get(path(run)).body())
          .contains("And &lt;b&gt;the docs&lt;/b&gt;", "given up: No network");
    }

    @Test
    void fileLinkLeadsOnlyToAFileOfThisRun() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      site.knows(run.id(), details(site.entry(run), clock.instant()));

      var answer = get(path(run) + "/files/file-1");

      assertThat(answer.statusCode()).isEqualTo(302);
      assertThat(answer.headers().firstValue("Location"))
          .contains("/api/v1/agent/artifacts/file-1/content?k=1");
      assertThat(get(path(run) + "/files/file-2").statusCode()).isEqualTo(404);
    }

    @Test
    void fileLinkLeadsToAnExternalRunService() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      site.knows(run.id(), details(site.entry(run), clock.instant()));
      site.service = "https://runs.example";

      assertThat(get(path(run) + "/files/file-1").headers().firstValue("Location"))
          .contains("https://runs.example/api/v1/agent/artifacts/file-1/content?k=1");
    }
  }

  @Test
  void readingLinesWithoutThePageIsAuditedOnce() throws Exception {
    var fetched = runWithLines(10);
    get(path(fetched) + "/lines?after=0");
    get(path(fetched) + "/lines?after=5");
    var followed = site.binds(SLACK, DANA, "Fix another test", null);
    site.says(followed, Kind.SAID, "line 10.");
    try (var page =
        new OpenPage(site.at(path(followed) + "/live?after=0"), "Cookie", site.signedIn())) {
      await().until(() -> page.sent("lines").contains("line 10."));
    }
    var opened = site.binds(SLACK, DANA, "Fix a third test", null);
    get(path(opened));
    get(path(opened) + "/lines?after=0");

    assertThat(get("/audit.jsonl?verb=read").body().lines())
        .filteredOn(it -> it.contains("lines of the transcript"))
        .hasSize(2)
        .anyMatch(it -> it.contains(fetched.id().value()))
        .anyMatch(it -> it.contains(followed.id().value()));
  }

  @Test
  void aPromptIsShownWithoutSecrets() throws Exception {
    site.redaction = text -> text.replace("glpat-1234", "[secret]");
    var run = site.binds(SLACK, DANA, "Fix the test", null);
    site.says(run, Kind.ASKED, "Use glpat-1234");

    for (var page : List.of("", "/lines?after=0", "/transcript", "?q=use")) {
      assertThat(get(path(run) + page).body())
          .as(page)
          .contains("Use [secret]")
          .doesNotContain("glpat-1234");
    }
  }

  @Nested
  class TheAnswer {
    @Test
    void answerIsRenderedWithItsTablesAndCode() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      site.sees(
          site.runs.moves(
              run.id(),
              RunState.SUCCEEDED,
              "## Found\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```java\nint i;\n```\n"));

      assertThat(get(path(run)).body())
          .contains("<h4>Found</h4>", "<td>1</td>", "<code class=\"language-java\">int i;");
    }
  }

  @Nested
  class AWindowOfTheTranscript {
    @Test
    void transcriptShowsItsEndWithALinkToEarlierLines() throws Exception {
      var run = runWithLines(1000);

      var page = get(path(run)).body();

      assertThat(page)
          .contains("line 1000.", "line 601.", "Show earlier lines", "live?after=1000")
          .doesNotContain("line 600.", "Show later lines");
    }

    @Test
    void transcriptShowsTheLinesAroundTheLineInTheAddress() throws Exception {
      var run = runWithLines(1000);

      assertThat(get(path(run) + "?line=500").body())
          .contains("line 400.", "line 500.", "Show later lines", "live?after=1000")
          .doesNotContain("line 1000.");
    }

    @Test
    void transcriptContinuesInBothDirections() throws Exception {
      var run = runWithLines(1000);

      assertThat(get(path(run) + "/lines?before=601").body())
          .contains("line 201.", "line 600.")
          .doesNotContain("line 601.", "line 200.", "<html");
      assertThat(get(path(run) + "/lines?after=601").body())
          .contains("line 602.", "line 1000.")
          .doesNotContain("line 601.");
      assertThat(get(path(run) + "/lines").statusCode()).isEqualTo(400);
    }

    @Test
    void transcriptLinksToTheLinesFoundAndToTheLastError() throws Exception {
      var run = runWithLines(1000);

      assertThat(get(path(run) + "?q=LINE+77").body())
          .contains("11 lines have", "?q=LINE+77&amp;line=77#L77", "?line=70#L70");
      assertThat(get(path(run) + "?q=%3Cscript%3E").body())
          .contains("No line has “&lt;script&gt;”");
    }

    @Test
    void resultsOfAToolCallAreFolded() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      site.says(run, Kind.DID, "ls");
      for (int i = 0; i < 20; i++) {
        site.says(run, Kind.RESULT, "file " + i);
      }

      assertThat(get(path(run)).body()).contains("<details class=\"step\"><summary");
    }
  }

  @Nested
  @Tag("slow")
  @EnabledIf("dev.runnel.testkit.Browser#isInstalled")
  class InABrowser {
    private Browser browser;

    @BeforeEach
    void start() throws Exception {
      browser = Browser.open();
      site.signIn(browser);
    }

    @AfterEach
    void stop() throws Exception {
      browser.close();
    }

    private void awaits(String expression) {
      await().until(() -> browser.eval(expression).equals("true"));
    }

    @Test
    void aRunOfManyThousandLinesStaysUsable() throws Exception {
      var run = runWithLines(50_000);

      browser.go(site.at(path(run)));

      assertThat(browser.eval("document.querySelectorAll('[data-line]').length")).isEqualTo("400");
      assertThat(
              browser.eval(
                  "const b = document.querySelector('.lines');"
                      + "b.scrollHeight - b.scrollTop - b.clientHeight < 40"))
          .isEqualTo("true");
      browser.eval("document.querySelector('[data-more]').click()");
      awaits("document.querySelectorAll('[data-line]').length === 800");
      // The line that was at the top is still where it was.
      assertThat(browser.eval("document.querySelector('.lines').scrollTop > 1000"))
          .isEqualTo("true");
    }

    @Test
    void oldLinesOfALongRunAreRemovedFromALivePage() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      site.says(run, Kind.SAID, "line 0");
      browser.go(site.at(path(run)));
      for (int i = 1; i <= 6000; i++) {
        site.says(run, Kind.SAID, "line " + i);
      }

      awaits("document.querySelector('.lines').textContent.includes('line 6000')");
      assertThat(Integer.parseInt(browser.eval("document.querySelectorAll('[data-line]').length")))
          .isLessThanOrEqualTo(5000);
      assertThat(browser.eval("!!document.querySelector('[data-more=before]')")).isEqualTo("true");
    }

    @Test
    void aChangeKeepsFocusSelectionAndWhatIsTyped() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", "https://acme.slack.com/archives/C1/p1");
      site.sees(site.runs.moves(run.id(), RunState.RUNNING, "Reading **the code**, part one"));
      browser.go(site.at(path(run)));
      browser.eval("document.querySelector('button[value=stop]').focus()");
      browser.eval(
          "getSelection().selectAllChildren(document.querySelector('.message strong')); 1");
      browser.eval("document.querySelector('#text').value = 'half a sent'");

      site.sees(site.runs.moves(run.id(), RunState.RUNNING, "Reading **the code**, part two"));

      awaits("document.querySelector('.message').textContent.includes('part two')");
      assertThat(browser.eval("document.activeElement.value")).isEqualTo("stop");
      assertThat(browser.eval("getSelection().toString()")).isEqualTo("the code");
      assertThat(browser.eval("document.querySelector('#text').value")).isEqualTo("half a sent");
    }

    @Test
    void theFirstEventOfAStreamKeepsTheFocusOnThePageAsItWasServed() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", "https://acme.slack.com/archives/C1/p1");
      site.sees(site.runs.moves(run.id(), RunState.RUNNING, "Reading **the code**, part one"));
      browser.go(site.at(path(run)));
      browser.eval(
          """
          (async () => {
            stream.close();
            const page = await (await fetch(location.pathname)).text();
            const served = new DOMParser().parseFromString(page, 'text/html');
            part('head').replaceWith(served.querySelector('[data-part="head"]'));
            $('button[value=stop]').focus();
            const head = on.head;
            on.head = (html) => { head(html); window.hasChanged = true; };
            follow($('[data-live]').dataset.live);
          })()\
          """);

      awaits("window.hasChanged ?? false");
      assertThat(browser.eval("document.activeElement.value")).isEqualTo("stop");
    }

    @Test
    void aButtonThatReplacesAnotherDoesNotInheritItsFocus() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", "https://acme.slack.com/archives/C1/p1");
      site.sees(site.runs.moves(run.id(), RunState.RUNNING, "Reading the code"));
      browser.go(site.at(path(run)));
      browser.eval("document.querySelector('button[value=stop]').focus()");

      site.sees(site.runs.moves(run.id(), RunState.SUCCEEDED, "Fixed"));

      awaits("!!document.querySelector('button[value=retry]')");
      assertThat(browser.eval("document.activeElement.dataset.part")).isEqualTo("head");
    }

    @Test
    void lateResultsAreAddedToTheStepOfTheirCall() throws Exception {
      var run = site.binds(SLACK, DANA, "Fix the test", null);
      site.says(run, Kind.DID, "ls");
      browser.go(site.at(path(run)));
      site.says(run, Kind.RESULT, "one");
      awaits("document.querySelector('.step')?.textContent.includes('one') ?? false");
      site.says(run, Kind.RESULT, "two");
      site.says(run, Kind.SAID, "done");

      awaits("document.querySelector('.lines').textContent.includes('done')");
      assertThat(browser.eval("document.querySelectorAll('.step .result').length")).isEqualTo("2");
      assertThat(browser.eval("document.querySelector('.step').textContent.includes('done')"))
          .isEqualTo("false");
    }

    @Test
    void slashKeyFocusesTheSearchAndAFoundLineIsShown() throws Exception {
      var run = runWithLines(3000);
      browser.go(site.at(path(run)));
      browser.press("/");
      assertThat(browser.eval("document.activeElement.id")).isEqualTo("find");

      browser.go(site.at(path(run) + "?q=line+1234&line=1234#L1234"));

      assertThat(
              browser.eval(
                  "const r = document.querySelector('#L1234').getBoundingClientRect();"
                      + "const b = document.querySelector('.lines').getBoundingClientRect();"
                      + "r.top >= b.top && r.bottom <= b.bottom"))
          .isEqualTo("true");
      assertThat(browser.eval("CSS.highlights.get('found').size > 0")).isEqualTo("true");
    }
  }
}
