package dev.runnel.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.console.view.About;
import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Rule;
import dev.runnel.testkit.SettableClock;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OperationPagesTest {
  private static final String AGENTS = "/operation/agents";

  @TempDir private Path folder;
  private final SettableClock clock = new SettableClock();
  private final HttpClient browser = HttpClient.newHttpClient();
  private Site site;
  private String cookie;

  @BeforeEach
  void open() {
    var streams = Site.streams(3, Duration.ofMillis(20), Duration.ofMillis(60));
    site = new Site(folder, clock, "sesame", new About("claude -p", List.of()), streams, 0);
    cookie = site.signedIn();
  }

  @AfterEach
  void close() {
    site.close();
    browser.close();
  }

  private HttpResponse<String> get(String path) throws Exception {
    return browser.send(
        HttpRequest.newBuilder(site.at(path)).header("Cookie", cookie).build(),
        BodyHandlers.ofString());
  }

  private String page(String path) throws Exception {
    var answer = get(path);
    assertThat(answer.statusCode()).isEqualTo(200);
    return answer.body();
  }

  private HttpResponse<String> post(String key, String action, String id, String... headers)
      throws Exception {
    var request =
        HttpRequest.newBuilder(site.at(AGENTS))
            .header("Cookie", cookie)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(
                BodyPublishers.ofString(
                    "page=%s&action=%s&id=%s"
                        .formatted(URLEncoder.encode(key, StandardCharsets.UTF_8), action, id)));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return browser.send(request.build(), BodyHandlers.ofString());
  }

  private String key() throws Exception {
    var key = Pattern.compile("name=\"page\" value=\"([^\"]+)\"").matcher(page("/"));
    assertThat(key.find()).isTrue();
    return key.group(1);
  }

  /// Somebody with an account, who may do this in the console.
  private void isPerson(Set<Permission> may) {
    site.policy =
        new Policy(
            Map.of(),
            List.of(
                new Rule(
                    "policy.rules[0]",
                    List.of("slack:T1/U1"),
                    List.of("console"),
                    may,
                    true,
                    Set.of(),
                    Set.of())),
            List.of(),
            List.of());
    cookie = site.signedIn(new SignedInPerson("slack:T1/U1", "Ann", Set.of("slack:T1/U1")));
  }

  @Test
  void healthPageShowsTheSharesOfTheHeap() throws Exception {
    assertThat(page("/operation"))
        .contains("a heap of 256 MiB")
        .containsPattern("Runs</th><td class=\"number\">48</td><td class=\"number\">25 %</td>")
        .containsPattern("Readers</th>.*<td class=\"number\">3</td></tr>");
  }

  @Test
  void healthPageShowsPlatformsNodesFreezesAndPauses() throws Exception {
    assertThat(page("/operation"))
        .contains("dana froze all starts", "GitHub does not accept the token")
        .contains("3 of 4", "on, over a socket", "2 min ago", "off. Set GITLAB_TOKEN")
        .contains("slack:T1/C1", "runnel-1 (this one)", "runnel-2");
  }

  @Test
  void agentsPageListsEnvironmentsFactoriesSchedulesAndKeys() throws Exception {
    assertThat(page(AGENTS))
        .contains("Web shop", "(default)", "node:22", "NPM_TOKEN", "reviewer", "Payments")
        .contains(
            "Nightly &lt;audit&gt;", "30 2 * * *", "There is no environment night", "grafana");
  }

  @Test
  void settingsPageShowsTheOriginOfEachSetting() throws Exception {
    assertThat(page("/operation/settings"))
        .containsSubsequence("slack.bot_token", "set, not shown", "the environment")
        .containsSubsequence("agents.slots", "a restart applies it", "/etc/runnel/runnel.yaml")
        .containsSubsequence("hooks.alerts.template", "Look into &lt;this&gt;")
        .containsSubsequence("Defaults", "port", "8080", "default");
  }

  @Test
  void thePolicyIsShownAndTested() throws Exception {
    isPerson(EnumSet.allOf(Permission.class));

    assertThat(page("/operation/policy")).contains("policy.rules[0]", "slack:T1/U1", "all");
    assertThat(page("/operation/policy?who=slack:T1/%3Cb%3E&verb=stop&where=slack:T1/C1"))
        .contains("slack:T1/&lt;b&gt; may not stop in slack:T1/C1")
        .contains("value=\"stop\" selected");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/operation", AGENTS, "/operation/settings", "/operation/policy"})
  void operationPagesRequireThePermissionToConfigure(String path) throws Exception {
    isPerson(EnumSet.of(Permission.READ, Permission.START, Permission.STOP));

    assertThat(get(path).statusCode()).isEqualTo(403);
    assertThat(get(path).body()).doesNotContain("slack.bot_token", "grafana", "runnel-2");
    assertThat(page("/")).doesNotContain("/operation");
    cookie = "";
    assertThat(get(path).statusCode()).isEqualTo(401);
  }

  @Test
  void navigationLinksToTheOperationPagesWithPermissionToConfigure() throws Exception {
    assertThat(page("/")).contains("href=\"/operation\"");
    isPerson(EnumSet.of(Permission.READ, Permission.CONFIGURE));
    assertThat(page("/")).contains("href=\"/operation\"");
  }

  @Test
  void aScheduleIsPausedAndResumedAndBothAreAudited() throws Exception {
    isPerson(EnumSet.of(Permission.READ, Permission.CONFIGURE, Permission.SCHEDULE));

    assertThat(post(key(), "pause", SampleOperation.SCHEDULE).statusCode()).isEqualTo(303);
    assertThat(page(AGENTS)).contains("Resume Nightly");
    assertThat(post(key(), "resume", SampleOperation.SCHEDULE).statusCode()).isEqualTo(303);
    assertThat(page(AGENTS)).contains("Pause Nightly");
    assertThat(page("/audit?verb=schedule"))
        .contains("Ann", "paused \"Nightly &lt;audit&gt;\" (schedule-1)", "resumed");
  }

  @Test
  void aKeyIsRevokedAndThatIsAudited() throws Exception {
    assertThat(post(key(), "revoke", SampleOperation.KEY).statusCode()).isEqualTo(303);
    assertThat(page(AGENTS)).containsPattern("revoked\\s+<time").doesNotContain("Revoke it");
    assertThat(page("/audit?verb=key")).contains("revoked \"grafana\" (key-1)");
    assertThat(post(key(), "revoke", SampleOperation.KEY).statusCode()).isEqualTo(404);
  }

  @Test
  void pausingAScheduleRequiresThePermissionToChangeSchedules() throws Exception {
    isPerson(EnumSet.of(Permission.READ, Permission.CONFIGURE));

    assertThat(post(key(), "pause", SampleOperation.SCHEDULE).statusCode()).isEqualTo(403);
    assertThat(page(AGENTS)).contains("Pause Nightly");
  }

  @Test
  void revokingAKeyRequiresThePermissionToConfigure() throws Exception {
    isPerson(EnumSet.of(Permission.READ, Permission.SCHEDULE));

    assertThat(post(key(), "revoke", SampleOperation.KEY).statusCode()).isEqualTo(403);
    cookie = site.signedIn();
    assertThat(page(AGENTS)).contains("Revoke it");
  }

  @Test
  void forgedOrCrossSiteFormChangesNothing() throws Exception {
    assertThat(post("forged.key", "revoke", SampleOperation.KEY).statusCode()).isEqualTo(401);
    assertThat(
            post(key(), "revoke", SampleOperation.KEY, "Sec-Fetch-Site", "cross-site").statusCode())
        .isEqualTo(401);
    assertThat(post(key(), "explode", SampleOperation.KEY).statusCode()).isEqualTo(400);
    assertThat(page(AGENTS)).contains("Revoke it");
  }
}
