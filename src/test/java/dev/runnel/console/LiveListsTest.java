package dev.runnel.console;

import static dev.runnel.testkit.Samples.DANA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.console.view.About;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.Browser;
import dev.runnel.testkit.SettableClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Lists of runs, in a real browser, while somebody stands on a row.
@Tag("slow")
@EnabledIf("dev.runnel.testkit.Browser#isInstalled")
class LiveListsTest {
  @TempDir Path folder;
  private final SettableClock clock = new SettableClock();
  private Site site;
  private Browser browser;

  @BeforeEach
  void open() throws Exception {
    site =
        new Site(
            folder,
            clock,
            null,
            new About("claude -p", List.of(Site.slack(true))),
            Site.streams(3, Duration.ofMillis(20), Duration.ofMillis(60)),
            0);
    browser = Browser.open();
    site.signIn(browser);
  }

  @AfterEach
  void close() throws Exception {
    browser.close();
    site.close();
  }

  private Run run(int number) {
    clock.advance(Duration.ofMinutes(1));
    return site.binds(
        Conversation.parse("slack:T1/C1/170000000" + number + ".000100"),
        DANA,
        "Run " + number,
        null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/runs"})
  void focusStaysOnItsRunWhenAnotherArrives(String page) throws Exception {
    var _ = run(1);
    var held = run(2);
    var _ = run(3);
    browser.go(site.at(page));
    browser.eval(
        "[...document.querySelectorAll('a')].find(it => it.textContent === 'Run 2').focus()");

    var _ = run(4);
    site.sees(site.runs.moves(held.id(), RunState.RUNNING, "Reading"));

    await().until(() -> browser.eval("document.body.textContent.includes('Run 4')").equals("true"));
    assertThat(browser.eval("document.activeElement.textContent")).isEqualTo("Run 2");
  }
}
