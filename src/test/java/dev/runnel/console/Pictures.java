package dev.runnel.console;

import dev.runnel.console.view.About;
import dev.runnel.testkit.Browser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Takes pictures of the console's pages with sample runs, and of a console without any. Arguments:
/// a folder; then names of pages. Without names, all pages.
public final class Pictures {
  private static final Map<String, String> EMPTY =
      Map.of(
          "empty-start", "/",
          "empty-runs", "/runs",
          "empty-numbers", "/numbers",
          "empty-attention", "/attention",
          "empty-policy", "/operation/policy",
          "empty-audit", "/audit");

  private Pictures() {}

  public static void main(String[] arguments) throws Exception {
    var folder = Path.of(arguments[0]);
    Files.createDirectories(folder);
    var names = List.of(arguments).subList(1, arguments.length);
    try (var browser = Browser.open()) {
      try (var site = site(new About("rehearsal", List.of(Site.slack(false))))) {
        take(browser, site, EMPTY, names, folder);
      }
      try (var site = site(new About("claude -p", List.of(Site.slack(true), Site.GITHUB)))) {
        Look.fill(site);
        take(browser, site, Look.pages(site), names, folder);
      }
    }
  }

  private static Site site(About about) throws Exception {
    return new Site(
        Files.createTempDirectory("runnel-pictures"),
        InstantSource.system(),
        "secret",
        about,
        Site.streams(50, Duration.ofMillis(500), Duration.ofSeconds(10)),
        0);
  }

  private static void take(
      Browser browser, Site site, Map<String, String> pages, List<String> names, Path folder)
      throws Exception {
    site.signIn(browser);
    var wanted = new LinkedHashMap<>(pages);
    if (!names.isEmpty()) {
      wanted.keySet().retainAll(names);
    }
    for (var page : wanted.entrySet()) {
      for (var theme : List.of("light", "dark")) {
        for (int width : List.of(390, 768, 1440)) {
          browser.shows(width, width == 390 ? 844 : 900, theme);
          browser.go(site.at(page.getValue()));
          Files.write(
              folder.resolve("%s-%d-%s.png".formatted(page.getKey(), width, theme)),
              browser.wholePicture());
        }
      }
    }
  }
}
