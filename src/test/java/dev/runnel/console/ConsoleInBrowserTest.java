package dev.runnel.console;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.console.transcript.Transcripts.Kind;
import dev.runnel.console.view.About;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.policy.ApprovalRule;
import dev.runnel.core.policy.Policy;
import dev.runnel.testkit.Browser;
import dev.runnel.testkit.MarkdownAttacks;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What people do at the console, in a real browser.
@Tag("slow")
@EnabledIf("dev.runnel.testkit.Browser#isInstalled")
class ConsoleInBrowserTest {
  private static final String TOKEN = "sesame-of-sixteen-letters";

  @TempDir Path folder;
  private Site site;
  private Browser browser;

  @BeforeEach
  void open() throws Exception {
    site =
        new Site(
            folder,
            InstantSource.system(),
            TOKEN,
            new About("claude -p", List.of(Site.slack(true))),
            Site.streams(10, Duration.ofMillis(50), Duration.ofSeconds(10)),
            0);
    browser = Browser.open();
    browser.shows(1440, 900, "light");
  }

  @AfterEach
  void close() throws Exception {
    browser.close();
    site.close();
  }

  private void signsIn() throws Exception {
    site.signIn(browser);
  }

  private void awaits(String expression) {
    await().until(() -> browser.eval(expression).equals("true"));
  }

  private void awaitsText(String text) {
    await().until(() -> browser.eval("document.body?.innerText ?? ''").contains(text));
  }

  /// Presses Tab until the expression is true.
  private void tabsTo(String expression) throws Exception {
    for (int i = 0; i < 300; i++) {
      if (browser.eval(expression).equals("true")) {
        return;
      }
      browser.press("Tab");
    }
    assertThat(browser.eval("document.activeElement.outerHTML")).as("never " + expression).isNull();
  }

  @Test
  void tokenSignInByKeyboardOpensTheRequestedPage() throws Exception {
    site.binds(THREAD, DANA, "Fix the test", null);

    browser.go(site.at("/runs"));
    assertThat(browser.eval("document.body.innerText")).doesNotContain("Fix the test");
    assertThat(browser.eval("document.activeElement.id")).isEqualTo("token");
    browser.type("sesame-of-another-door");
    browser.press("Enter");
    awaitsText("This token is not valid.");
    awaits("document.activeElement.id === 'token'");
    browser.type(TOKEN);
    browser.press("Enter");

    awaitsText("Fix the test");
    assertThat(browser.eval("location.pathname + location.search")).isEqualTo("/runs");
    assertThat(browser.eval("document.cookie")).isEmpty();
  }

  @Test
  void filtersNarrowTheListAndAreKeptInTheUrl() throws Exception {
    signsIn();
    for (var state : List.of(RunState.FAILED, RunState.SUCCEEDED, RunState.RUNNING)) {
      site.runs.moves(site.runs.addsStranger("Fix the " + state).id(), state, "So far");
    }
    site.runs.moves(site.runs.addsStranger("Write a poem").id(), RunState.FAILED, "No");
    browser.go(site.at("/runs"));
    awaitsText("Write a poem");

    browser.press("/");
    assertThat(browser.eval("document.activeElement.id")).isEqualTo("q");
    browser.type("Fix");
    browser.press("Tab");
    browser.eval("document.activeElement.value = 'failed'");
    tabsTo("document.activeElement.textContent === 'Find'");
    browser.press("Enter");

    awaits("location.search.includes('state=failed')");
    awaits("document.querySelectorAll('.rows .row').length === 1");
    assertThat(browser.eval("document.querySelector('.rows').innerText"))
        .contains("Fix the FAILED");
    var kept = browser.eval("location.href");

    browser.go(site.at("/numbers"));
    browser.go(URI.create(kept));
    assertThat(browser.eval("document.querySelector('.rows').innerText"))
        .contains("Fix the FAILED")
        .doesNotContain("poem");
    assertThat(browser.eval("document.querySelector('#q').value")).isEqualTo("Fix");
    assertThat(browser.eval("document.querySelector('#state').value")).isEqualTo("failed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/runs"})
  void aRunIsFoundAndStoppedByKeyboardWhileFiveHundredRunsChange(String list) throws Exception {
    var runs = new ArrayList<Run>();
    for (int i = 0; i < 500; i++) {
      runs.add(
          site.binds(
              Conversation.parse("slack:T1/C1/1700000%03d.000100".formatted(i)),
              DANA,
              "Task " + i,
              null));
    }
    signsIn();
    var target = runs.getLast();
    site.sees(site.runs.moves(target.id(), RunState.RUNNING, "Step 0"));
    browser.go(site.at(list));
    var changes = new AtomicInteger();
    try (var service = Executors.newSingleThreadScheduledExecutor()) {
      var _ =
          service.scheduleAtFixedRate(
              () -> changes(runs, changes.incrementAndGet()), 0, 1000 / 60, TimeUnit.MILLISECONDS);

      // Runs that start later come above it.
      awaitsText("New task 2");
      tabsTo("document.activeElement.textContent === 'Task 499'");
      var rows = countsChangesOf("[data-part=rows]");
      awaits(rows + " > 20");
      assertThat(browser.eval("document.activeElement.textContent")).isEqualTo("Task 499");
      browser.press("Enter");

      awaits(
          "location.pathname === '/runs/"
              + target.id()
              + "' && typeof stream !== 'undefined' && stream?.readyState === 1");
      tabsTo("document.activeElement.value === 'stop'");
      var head = countsChangesOf("[data-part=head]");
      awaits(head + " > 20");
      assertThat(browser.eval("document.activeElement.value")).isEqualTo("stop");
      browser.press("Enter");

      await().until(() -> !site.accepted.isEmpty());
      service.shutdown();
      assertThat(service.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
      site.settles();
    }
    assertThat(site.runs.cancels()).containsExactly(target.id());
    awaits("document.querySelector('[data-part=head]').innerText.includes('stopped')");
    assertThat(changes.get()).isGreaterThan(60);
  }

  /// One of 60 changes in a second: mostly what runs say, now and then a state or a new run.
  private void changes(List<Run> runs, int number) {
    if (number % 30 == 0) {
      site.binds(
          Conversation.parse("slack:T1/C2/1800000%03d.000100".formatted(number / 30)),
          DANA,
          "New task " + number / 30,
          null);
    } else if (number % 10 == 0) {
      var run = runs.get(498 - number % 400);
      site.sees(site.runs.moves(run.id(), RunState.SUCCEEDED, "Done in step " + number));
    } else {
      // Every second one is about the run that is looked for.
      var run = number % 2 == 0 ? runs.getLast() : runs.get(499 - number % 100);
      site.sees(site.runs.moves(run.id(), RunState.RUNNING, "Step " + number));
      site.says(run, Kind.SAID, "Step " + number);
    }
  }

  /// An expression with the number of changes from now on.
  private String countsChangesOf(String part) throws Exception {
    browser.eval(
        """
        window.changesSeen = 0;
        new MutationObserver((all) => { window.changesSeen += all.length; }).observe(
          document.querySelector('%s'),
          { subtree: true, childList: true, characterData: true, attributes: true });
        """
            .formatted(part));
    return "window.changesSeen";
  }

  @Test
  void agentMarkdownExecutesNothingOnThePage() throws Exception {
    browser.before(
        """
        window.acts = [];
        for (const name of ['alert', 'confirm', 'prompt', 'open']) window[name] = () => acts.push(name);
        addEventListener('securitypolicyviolation', (event) => acts.push(event.violatedDirective + event.blockedURI));
        """);
    signsIn();
    var run = site.binds(THREAD, DANA, "Fix <script>alert(1)</script>", null);
    site.sees(site.runs.moves(run.id(), RunState.RUNNING, "Begin"));
    browser.go(site.at("/runs/" + run.id()));
    for (int i = 0; i < MarkdownAttacks.ALL.size(); i++) {
      var attack = MarkdownAttacks.ALL.get(i);
      site.says(run, Kind.SAID, attack);
      site.sees(site.runs.moves(run.id(), RunState.RUNNING, attack + "\n\nPart " + i + "."));
      awaits("document.querySelector('.message').innerText.includes('Part " + i + ".')");
      assertNothingActs(attack);
    }
    for (var attack : MarkdownAttacks.ALL) {
      site.sees(site.runs.moves(run.id(), RunState.RUNNING, attack));
      browser.go(site.at("/runs/" + run.id()));
      assertNothingActs(attack);
    }
    browser.go(site.at("/runs"));
    assertNothingActs("the list");
  }

  private void assertNothingActs(String attack) throws Exception {
    assertThat(browser.eval("acts.join()")).as(attack).isEmpty();
    // Nothing is loaded from elsewhere, and no link leads into the console or runs a script.
    assertThat(
            browser.eval(
                "performance.getEntriesByType('resource').filter(it => new URL(it.name).origin"
                    + " !== location.origin).map(it => it.name).join()"))
        .as(attack)
        .isEmpty();
    assertThat(
            browser.eval(
                """
                [...document.querySelectorAll('.message, .lines, .said')].flatMap(box => [...box.querySelectorAll('*')])
                  .filter(it => it.matches('script, img, iframe, form, button, object, embed, style, svg, input')
                    || [...it.attributes].some(each => each.name.startsWith('on') || each.name === 'style')
                    || (it.matches('a:not(.more a)') && !/^https?:/.test(it.getAttribute('href'))))
                  .map(it => it.outerHTML).join()\
                """))
        .as(attack)
        .isEmpty();
  }

  @Test
  void pageSaysThatItIsNotUpdatedWhileTheLiveUpdatesOfOthersTakeAllPlaces() throws Exception {
    signsIn();
    awaits("document.querySelector('#paused').hidden && stream.readyState === 1");
    browser.go(site.at("/numbers"));
    var others = new ArrayList<OpenPage>();
    for (int i = 0; i < 10; i++) {
      others.add(new OpenPage(site.at("/live"), "Cookie", site.signedIn()));
    }

    browser.go(site.at("/"));
    awaitsText("Live updates are paused");

    others.forEach(OpenPage::close);
    awaits("document.querySelector('#paused').hidden");
  }

  @Test
  void restartedStreamRepeatsNoLineOfTheTranscript() throws Exception {
    signsIn();
    var run = site.binds(THREAD, DANA, "Fix the test", null);
    site.sees(site.runs.moves(run.id(), RunState.RUNNING, "Begin"));
    site.says(run, Kind.SAID, "First words");
    browser.go(site.at("/runs/" + run.id()));
    awaits("typeof stream !== 'undefined' && stream?.readyState === 1");
    site.says(run, Kind.SAID, "Second words");
    site.says(run, Kind.DID, "Bash: mvn verify");
    site.says(run, Kind.RESULT, "Result 1");
    awaitsText("Result 1");

    // What the page does after a response that is not an event stream.
    browser.eval(
        "stream.close(); follow(document.querySelector('[data-live]').dataset.live); undefined");
    awaits("stream.readyState === 1");
    site.says(run, Kind.RESULT, "Result 2");
    site.says(run, Kind.SAID, "Last words");
    awaitsText("Last words");

    assertThat(
            browser.eval(
                "[...document.querySelectorAll('[data-line]')].map(it => it.dataset.line).join()"))
        .isEqualTo("1,2,3,4,5,6");
    assertThat(
            browser.eval(
                "[...document.querySelectorAll('.step [data-line]')].map(it =>"
                    + " it.dataset.line).join()"))
        .isEqualTo("3,4,5");
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"SAID", "DID", "NOTE", "STATUS", "ERROR"})
  void timeOfALineDoesNotCoverItsWords(Kind kind) throws Exception {
    signsIn();
    var run = site.binds(THREAD, DANA, "Fix the test", null);
    site.sees(site.runs.moves(run.id(), RunState.RUNNING, "Begin"));
    site.says(run, kind, "Words beside the time");
    browser.go(site.at("/runs/" + run.id()));
    awaitsText("Words beside the time");

    assertThat(
            browser.eval(
                """
                [...document.querySelectorAll('.line')].filter((line) => {
                  const at = line.querySelector('.at')?.getBoundingClientRect();
                  const words = document.createRange();
                  words.setStartAfter(line.querySelector('.who'));
                  words.setEndAfter(line.lastChild);
                  return at && [...words.getClientRects()].some((box) => box.width > 0
                    && box.left < at.right && box.right > at.left
                    && box.top < at.bottom && box.bottom > at.top);
                }).length\
                """))
        .isEqualTo("0");
  }

  @Test
  void promptStaysUntilItsStartIsAccepted() throws Exception {
    signsIn();
    browser.go(site.at("/"));
    awaits("typeof stream !== 'undefined' && stream?.readyState === 1");
    browser.eval("document.querySelector('[name=text]').focus()");
    browser.type("Fix the long one");
    tabsTo("document.activeElement.value === 'start'");
    site.runs.answersNext(
        new Outcome.Refused("quota", "There are no credits left.", Optional.empty()));
    browser.press("Enter");
    awaitsText("Starting …");
    awaits("document.querySelector('[name=turn]').value !== '0'");
    assertThat(browser.eval("document.querySelector('[name=text]').value"))
        .isEqualTo("Fix the long one");
    assertThat(browser.eval("document.querySelector('button[value=start]').disabled"))
        .isEqualTo("true");

    site.settles();
    awaitsText("There are no credits left.");
    assertThat(browser.eval("document.querySelector('[name=text]').value"))
        .isEqualTo("Fix the long one");
    awaits("!document.querySelector('button[value=start]').disabled");
  }

  @Test
  void aStartThatWaitsIsApprovedByKeyboard() throws Exception {
    site.policy =
        new Policy(
            Map.of(),
            List.of(),
            List.of(
                new ApprovalRule(
                    "policy.approve[0]",
                    List.of(),
                    Set.of(),
                    Set.of(),
                    false,
                    List.of("slack:T1/U9"),
                    false,
                    Duration.ofHours(1))),
            List.of());
    site.arrives(delivery("1", start("Deploy the shop")));
    site.settles();
    assertThat(site.runs.starts()).isEmpty();
    signsIn();
    browser.go(site.at("/attention"));
    awaitsText("Deploy the shop");

    tabsTo("document.activeElement.value === 'approve'");
    browser.press("Enter");

    await().until(() -> !site.accepted.isEmpty());
    awaitsText("Approving …");
    site.settles();
    site.settles();
    assertThat(site.runs.starts()).hasSize(1);
    browser.go(site.at("/attention"));
    assertThat(browser.eval("document.body.innerText")).contains("Nothing needs attention");
  }

  @Test
  void aRunOfTheApiIsAnsweredAndStoppedByKeyboard() throws Exception {
    var run = site.runs.addsStranger("Nightly report");
    site.runs.moves(run.id(), RunState.BLOCKED, "Which one?\n\n1. The red one\n2. The blue one");
    signsIn();
    browser.go(site.at("/runs/" + run.id()));
    awaitsText("started through the API");
    awaits("typeof stream !== 'undefined' && stream?.readyState === 1");

    tabsTo("document.activeElement.textContent === 'The blue one'");
    browser.press("Enter");
    await().until(() -> site.accepted.size() == 1);
    site.settles();
    awaits("document.querySelector('[data-part=head]').innerText.includes('queued')");
    assertThat(browser.eval("document.querySelectorAll('.choices').length")).isEqualTo("0");
    assertThat(site.runs.followUps()).singleElement().matches(it -> it.text().contains("blue"));

    tabsTo("document.activeElement.id === 'text'");
    browser.type("And the docs");
    tabsTo("document.activeElement.value === 'say'");
    browser.press("Enter");
    await().until(() -> site.accepted.size() == 2);
    awaitsText("Sent.");
    site.settles();
    assertThat(site.runs.followUps().getLast().text()).isEqualTo("And the docs");

    site.sees(site.runs.moves(run.id(), RunState.RUNNING, "At it"));
    awaitsText("At it");
    tabsTo("document.activeElement.value === 'stop'");
    browser.press("Enter");
    await().until(() -> site.accepted.size() == 3);
    site.settles();

    assertThat(site.runs.cancels()).containsExactly(run.id());
    awaits("document.querySelector('[data-part=head]').innerText.includes('stopped')");
    assertThat(browser.eval("document.querySelectorAll('[value=stop], [value=retry]').length"))
        .isEqualTo("0");
    assertThat(browser.eval("document.querySelector('[data-part=head]').innerText"))
        .contains("started through the API");
  }

  @ParameterizedTest
  @ValueSource(strings = {"light", "dark"})
  void plotsAreDrawnAndReadableAtAllWidths(String theme) throws Exception {
    site.facts = Look.facts(Instant.now());
    signsIn();
    for (int width : List.of(390, 768, 1440)) {
      browser.shows(width, 900, theme);
      browser.go(site.at("/numbers?days=30"));
      assertThat(browser.eval("document.querySelectorAll('.plot > svg').length")).isEqualTo("4");
      // Each bar is inside of its plot, and has a colour that differs from the paper.
      assertThat(
              browser.eval(
                  """
                  [...document.querySelectorAll('.plot > svg')].flatMap(svg => {
                    const box = svg.getBoundingClientRect();
                    const paper = getComputedStyle(svg.closest('.card')).backgroundColor;
                    const bars = [...svg.querySelectorAll('rect')];
                    const isFull = bars.some(bar => bar.getBoundingClientRect().height > box.height / 2);
                    return bars.filter(bar => {
                      const at = bar.getBoundingClientRect();
                      return at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top - 1
                        || at.bottom > box.bottom + 1 || getComputedStyle(bar).fill === paper || !bar.querySelector('title');
                    }).map(bar => bar.outerHTML).concat(isFull ? [] : ['no bar is high']);
                  }).join()\
                  """))
          .as(width + " px")
          .isEmpty();
      // Days are as large as other small text, and do not overlap.
      assertThat(
              browser.eval(
                  """
                  [...document.querySelectorAll('.plot > svg')].flatMap(svg => {
                    const words = [...svg.querySelectorAll('text')].map(it => it.getBoundingClientRect());
                    return words.filter((it, i) => it.height < 11 || (i > 0 && it.left < words[i - 1].right)
                      || it.right > innerWidth).map(it => JSON.stringify(it));
                  }).join()\
                  """))
          .as(width + " px")
          .isEmpty();
    }
  }
}
