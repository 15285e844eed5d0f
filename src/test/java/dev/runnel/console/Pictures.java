package dev.runnel.console;

import dev.runnel.console.view.About;
import dev.runnel.console.view.RunView;
import dev.runnel.testkit.Browser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/// Takes pictures of the console's pages with sample runs. Arguments: a folder; then paths, `RUN`
/// for the page of a finished run. Without paths, all pages.
public final class Pictures {
  private static final List<Integer> WIDTHS = List.of(390, 768, 1440);

  private Pictures() {}

  public static void main(String[] arguments) throws Exception {
    var folder = Path.of(arguments[0]);
    Files.createDirectories(folder);
    var paths =
        arguments.length > 1
            ? List.of(arguments).subList(1, arguments.length)
            : List.of(
                "/",
                "/runs",
                "RUN",
                "/numbers",
                "/attention",
                "/audit",
                "/operation",
                "/operation/agents",
                "/operation/settings",
                "/operation/policy",
                "/enter");
    try (var site =
            new Site(
                Files.createTempDirectory("runnel-pictures"),
                InstantSource.system(),
                "secret",
                new About("claude -p", List.of(Site.slack(true), Site.GITHUB)),
                new Streams(50, Duration.ofMillis(500), Duration.ofSeconds(10)),
                0);
        var browser = Browser.open()) {
      Look.fill(site);
      var run =
          site.runs.runs().stream()
              .filter(it -> it.title().startsWith("Checkout fails"))
              .findFirst()
              .orElseThrow();
      browser.go(site.link());
      for (var path : paths) {
        for (var theme : List.of("light", "dark")) {
          for (var width : WIDTHS) {
            browser.shows(width, width == 390 ? 844 : 900, theme);
            browser.go(site.at(path.replace("RUN", RunView.path(run.id()))));
            var name = path.replaceAll("[^A-Za-z]+", "-").replaceAll("^-|-$", "");
            Files.write(
                folder.resolve(
                    (name.isEmpty() ? "home" : name) + "-" + width + "-" + theme + ".png"),
                browser.picture());
          }
        }
      }
    }
  }
}
