package dev.runnel.console;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.console.view.About;
import dev.runnel.testkit.Browser;
import dev.runnel.testkit.Emulators;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/// The pages with sample runs, checked by axe-core in a real browser, and used by keyboard alone.
@Tag("slow")
@EnabledIf("dev.runnel.testkit.Browser#isInstalled")
class AccessibilityTest {
  @TempDir Path folder;
  private Site site;
  private Browser browser;
  private String run;

  @BeforeEach
  void open() throws Exception {
    site =
        new Site(
            folder,
            InstantSource.system(),
            "secret",
            new About("claude -p", List.of(Site.slack(true), Site.GITHUB)),
            Site.streams(50, Duration.ofMillis(100), Duration.ofSeconds(10)),
            0);
    Look.fill(site);
    run = requireNonNull(Look.pages(site).get("run"));
    browser = Browser.open();
    site.signIn(browser);
  }

  @AfterEach
  void close() throws Exception {
    browser.close();
    site.close();
  }

  @Test
  void noPageHasAViolation() throws Exception {
    var axe = Files.readString(Emulators.program("axe-core/axe.min.js"));
    for (var page : Look.pages(site).entrySet()) {
      browser.go(site.at(page.getValue()));
      browser.eval(axe + "; 1");
      for (var theme : List.of("light", "dark")) {
        for (int width : List.of(390, 768, 1440)) {
          var name = "%s, %s, %d px".formatted(page.getKey(), theme, width);
          browser.shows(width, 900, theme);
          assertThat(
                  browser.eval(
                      "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa',"
                          + " 'best-practice']}).then(r => r.violations.map(v => v.id + ': ' +"
                          + " v.nodes.map(n => n.target + ' ' + n.failureSummary).join(' |"
                          + " ')).join(' ## '))"))
              .as(name)
              .isEmpty();
          assertThat(browser.eval("document.documentElement.scrollWidth <= innerWidth"))
              .as(name + " scrolls sideways")
              .isEqualTo("true");
          assertThat(
                  browser.eval(
                      "[...document.querySelectorAll('.row')].every(it => it.scrollWidth <="
                          + " it.clientWidth)"))
              .as(name + " has rows that are wider than their table")
              .isEqualTo("true");
        }
      }
    }
  }

  @Test
  void everyControlOfTheRunPageIsReachableByKeyboard() throws Exception {
    browser.shows(1440, 900, "light");
    browser.go(site.at(run));
    browser.press("Tab");
    assertThat(browser.eval("document.activeElement.className")).isEqualTo("skip");
    var wanted =
        Integer.parseInt(
            browser.eval(
                "[...document.querySelectorAll('a[href], button, input:not([type=hidden]),"
                    + " textarea, summary, [tabindex=\"0\"]')].filter(e => e.checkVisibility() &&"
                    + " !e.disabled).length"));
    browser.eval("window.reached = new Set([document.activeElement]); 1");
    for (int i = 0; i < wanted + 5; i++) {
      browser.press("Tab");
      browser.eval("reached.add(document.activeElement); 1");
    }
    assertThat(
            browser.eval(
                "[...document.querySelectorAll('a[href], button, input:not([type=hidden]),"
                    + " textarea, summary')].filter(e => e.checkVisibility() && !e.disabled &&"
                    + " !reached.has(e)).map(e => e.outerHTML).join('\\n')"))
        .isEmpty();
  }

  @Test
  void allParkedItemsAreSelectedAndRetriedByKeyboard() throws Exception {
    browser.go(site.at("/attention"));
    browser.eval("document.querySelector('[data-all]').focus(); 1");
    browser.press(" ");
    assertThat(browser.eval("document.querySelectorAll('.pick:checked').length")).isEqualTo("2");
    browser.press("Tab");
    assertThat(browser.eval("document.activeElement.textContent")).isEqualTo("Retry selected");
    browser.press("Enter");
    await()
        .until(
            () ->
                browser
                    .eval("document.body && !document.querySelector('form[action=\"/attention\"]')")
                    .equals("true"));
  }
}
