package dev.runnel.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.console.view.About;
import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.AuditEntry.Verb;
import dev.runnel.core.model.AuditEntry.Verdict;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.RunId;
import dev.runnel.testkit.SettableClock;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditPageTest {
  private static final String NASTY = "<img src=x onerror=alert(1)> \"it\"";
  private static final Pattern ENTRY = Pattern.compile("<li>");

  @TempDir private Path folder;
  private final SettableClock clock = new SettableClock();
  private final HttpClient browser = HttpClient.newHttpClient();
  private Site site;
  private String cookie;

  @BeforeEach
  void open() {
    site =
        new Site(
            folder,
            clock,
            "sesame",
            new About("claude -p", List.of()),
            Site.streams(3, Duration.ofMillis(20), Duration.ofMillis(60)),
            0);
    cookie = site.signedIn();
  }

  @AfterEach
  void close() {
    site.close();
    browser.close();
  }

  private HttpResponse<String> get(String path, String with) throws Exception {
    return browser.send(
        HttpRequest.newBuilder(site.at(path)).header("Cookie", with).build(),
        BodyHandlers.ofString());
  }

  private String page(String path) throws Exception {
    var response = get(path, cookie);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return response.body();
  }

  private void did(String name, Verb verb, Verdict verdict, String details) {
    var slack = new SurfaceId("slack");
    site.audits(
        AuditEntry.of(
                clock.instant(),
                new AuditEntry.Person(
                    "slack:U" + name, name, Optional.empty(), slack, Optional.empty()),
                verb,
                details)
            .about(new RunId("run-1"))
            .decided(verdict, "policy.rules[0]"));
  }

  private static long entries(String page) {
    return ENTRY.matcher(page).results().count();
  }

  @Test
  void auditLogIsVisibleOnlyAfterSigningIn() throws Exception {
    did("dana", Verb.START, Verdict.ALLOWED, "the secret plan");

    for (var path : List.of("/audit", "/audit.jsonl")) {
      var response = get(path, "none=1");
      assertThat(response.statusCode()).isEqualTo(401);
      assertThat(response.body()).doesNotContain("secret plan");
    }
  }

  @Test
  void auditPageIsNewestFirstAndEscapesText() throws Exception {
    did("dana", Verb.START, Verdict.ALLOWED, "first");
    did("<b>sam</b>", Verb.SAY, Verdict.REFUSED, NASTY);

    var page = page("/audit");

    assertThat(page)
        .doesNotContain("<img src=x", "<b>sam")
        .contains("&lt;img src=x", "&lt;b>sam", "policy.rules[0]", "/runs/run-1");
    assertThat(page.indexOf("&lt;img")).isLessThan(page.indexOf("first"));
  }

  @Test
  void auditPageIsFilteredByUrlParameters() throws Exception {
    did("dana", Verb.START, Verdict.ALLOWED, "by dana");
    did("sam", Verb.START, Verdict.REFUSED, "by sam");
    did("sam", Verb.STOP, Verdict.ALLOWED, "stopped by sam");

    assertThat(page("/audit?person=SAM")).contains("by sam").doesNotContain("by dana");
    assertThat(page("/audit?verb=start")).doesNotContain("stopped by");
    assertThat(page("/audit?result=refused")).contains("by sam").doesNotContain("by dana");
    assertThat(page("/audit?day=2026-01-05&person=&verb=")).contains("by dana");
    assertThat(page("/audit?day=2026-01-06")).contains("No entries");
    assertThat(page("/audit?verb=stop&person=sam"))
        .contains("value=\"sam\"", "<option value=\"stop\" selected>")
        .contains("/audit.jsonl?person=sam&amp;verb=stop");
    assertThat(get("/audit?day=yesterday", cookie).statusCode()).isEqualTo(400);
    assertThat(get("/audit?before=x", cookie).statusCode()).isEqualTo(400);
  }

  @Test
  void olderEntriesAppearOnceOnTheFollowingPages() throws Exception {
    for (int i = 0; i < 120; i++) {
      did("dana", Verb.SAY, Verdict.ALLOWED, "entry-" + i + ".");
    }
    var first = page("/audit?verb=say");
    assertThat(entries(first)).isEqualTo(50);
    assertThat(first).contains("entry-119.").doesNotContain("entry-69.", ">Newest<");

    did("dana", Verb.SAY, Verdict.ALLOWED, "one more");
    var second = page(older(first));
    var third = page(older(second));

    assertThat(second).contains("entry-69.", "entry-20.", ">Newest<");
    assertThat(entries(third)).isEqualTo(20);
    assertThat(third).contains("entry-0.").doesNotContain(">Older<");
  }

  private static String older(String page) {
    var link = Pattern.compile("href=\"([^\"]+)\" rel=\"next\"").matcher(page);
    assertThat(link.find()).isTrue();
    return link.group(1).replace("&amp;", "&");
  }

  @Test
  void theDownloadHasOneJsonObjectALineAndIsAudited() throws Exception {
    for (int i = 0; i < 600; i++) {
      did("dana", Verb.SAY, Verdict.ALLOWED, "entry");
    }
    did("sam", Verb.STOP, Verdict.ALLOWED, "other");

    var lines = page("/audit.jsonl?verb=say").lines().toList();

    assertThat(lines).hasSize(600).allMatch(line -> line.startsWith("{\"seq\":"));
    assertThat(page("/audit?verb=read")).contains("the audit log, as a file");
  }
}
