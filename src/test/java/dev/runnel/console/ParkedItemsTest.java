package dev.runnel.console;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.OTHER_THREAD;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.console.view.About;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.port.Store.Approvals.Approval;
import dev.runnel.core.port.Store.Approvals.State;
import dev.runnel.testkit.SettableClock;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParkedItemsTest {
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

  private String page(String path) throws IOException, InterruptedException {
    return browser
        .send(
            HttpRequest.newBuilder(site.at(path)).header("Cookie", cookie).build(),
            BodyHandlers.ofString())
        .body();
  }

  private HttpResponse<String> post(String queue, String id, String action, String... headers)
      throws IOException, InterruptedException {
    return postWith(keyOf(page("/")), queue, id, action, headers);
  }

  private static String keyOf(String page) {
    var key = Pattern.compile("name=\"page\" value=\"([^\"]+)\"").matcher(page);
    assertThat(key.find()).isTrue();
    return key.group(1);
  }

  private HttpResponse<String> postWith(
      String key, String queue, String id, String action, String... headers)
      throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(site.at("/attention"))
            .header("Cookie", cookie)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(
                BodyPublishers.ofString(
                    "page=%s&queue=%s&id=%s&action=%s"
                        .formatted(
                            key, queue, URLEncoder.encode(id, StandardCharsets.UTF_8), action)));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return browser.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void attentionPageShowsTextPlaceReasonAndAgeOfEachItem() throws Exception {
    site.givesUp(delivery("1", say("fix <it>")), "no such profile");
    clock.advance(Duration.ofMinutes(5));
    var notice = new Update.Message(DANA, "It is done.", false);
    site.givesUp(
        new Notice(new NoticeId("n1"), OTHER_THREAD, notice, Origin.NONE, NINE, 0), "410 gone");

    assertThat(page("/attention"))
        .contains("dana: fix &lt;it&gt;", "team/channel/1", "no such profile", "5 min ago")
        .contains("It is done.", "team/channel/2", "410 gone")
        .containsSubsequence("410 gone", "no such profile");
    assertThat(page("/")).contains("2 items need attention");
  }

  @Test
  void aStartThatWaitsForAnApprovalIsListedWithItsButtons() throws Exception {
    site.asksFor(
        new Approval(
            "1a2b3c4d",
            new DeliveryId("fake:a"),
            THREAD,
            DANA,
            "policy.approve[0]",
            List.of("platform"),
            true,
            Request.of("deploy <it>"),
            NINE,
            NINE.plusSeconds(60),
            State.WAITING,
            Optional.empty()));

    assertThat(page("/attention"))
        .contains(
            "deploy &lt;it&gt;", "policy.approve[0]", "value=\"approve\"", "value=\"1a2b3c4d\"");
    assertThat(page("/")).contains("attention");
  }

  @Test
  void attentionPageSaysThatNothingNeedsAttention() throws Exception {
    assertThat(page("/attention")).contains("Nothing needs attention");
    assertThat(page("/")).doesNotContain("need attention");
  }

  @Test
  void retriedRowIsQueuedAgain() throws Exception {
    site.givesUp(delivery("1", say("fix it")), "why");
    var answer = post("inbox", "fake:1", "retry");

    assertThat(answer.statusCode()).isEqualTo(303);
    assertThat(answer.headers().firstValue("Location")).contains("/attention");
    assertThat(page("/attention")).contains("Nothing needs attention");
    assertThat(site.waiting(THREAD)).hasSize(1);
  }

  @Test
  void discardedRowIsRemoved() throws Exception {
    site.givesUp(delivery("1", say("fix it")), "why");
    var notice = new Update.Message(DANA, "It is done.", false);
    site.givesUp(new Notice(new NoticeId("n1"), THREAD, notice, Origin.NONE, NINE, 0), "410 gone");

    assertThat(post("inbox", "fake:1", "discard").statusCode()).isEqualTo(303);
    assertThat(post("outbox", "n1", "discard").statusCode()).isEqualTo(303);
    assertThat(page("/attention")).contains("Nothing needs attention");
    assertThat(site.waiting(THREAD)).isEmpty();
  }

  private HttpResponse<String> postItems(String action, String... items)
      throws IOException, InterruptedException {
    var fields = new StringBuilder("page=%s&action=%s".formatted(keyOf(page("/")), action));
    for (var item : items) {
      fields.append("&item=").append(URLEncoder.encode(item, StandardCharsets.UTF_8));
    }
    return browser.send(
        HttpRequest.newBuilder(site.at("/attention"))
            .header("Cookie", cookie)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(fields.toString()))
            .build(),
        BodyHandlers.ofString());
  }

  @Test
  void selectedRowsAreRetriedTogetherAndEachIsAudited() throws Exception {
    site.givesUp(delivery("1", say("fix it")), "why");
    site.givesUp(delivery("2", say("fix that"), OTHER_THREAD), "why");
    site.givesUp(delivery("3", say("leave this")), "why");

    assertThat(postItems("retry", "inbox fake:1", "inbox fake:2", "inbox fake:9").statusCode())
        .isEqualTo(303);

    assertThat(site.waiting(THREAD)).hasSize(1);
    assertThat(site.waiting(OTHER_THREAD)).hasSize(1);
    assertThat(page("/attention")).contains("leave this").doesNotContain("fix it", "fix that");
    assertThat(page("/audit?verb=retry"))
        .contains("parked item fake:1", "parked item fake:2")
        .doesNotContain("fake:3", "fake:9");
  }

  @Test
  void selectedRowsAreDiscardedTogether() throws Exception {
    site.givesUp(delivery("1", say("fix it")), "why");
    var notice = new Update.Message(DANA, "It is done.", false);
    site.givesUp(new Notice(new NoticeId("n1"), THREAD, notice, Origin.NONE, NINE, 0), "410 gone");

    assertThat(postItems("discard", "inbox fake:1", "outbox n1").statusCode()).isEqualTo(303);

    assertThat(page("/attention")).contains("Nothing needs attention");
    assertThat(site.waiting(THREAD)).isEmpty();
  }

  @Test
  void emptyOrInvalidSelectionChangesNothing() throws Exception {
    site.givesUp(delivery("1", say("fix it")), "why");

    assertThat(postItems("discard").body()).contains("Nothing is selected");
    assertThat(postItems("discard", "inbox fake:1", "bindings fake:1").statusCode()).isEqualTo(400);
    assertThat(postItems("discard", "nonsense").statusCode()).isEqualTo(400);
    assertThat(page("/attention")).contains("fix it");
  }

  @Test
  void forgedOrCrossSiteFormIsRejected() throws Exception {
    site.givesUp(delivery("1", say("fix it")), "why");

    assertThat(postWith("forged.key", "inbox", "fake:1", "discard").statusCode()).isEqualTo(401);
    assertThat(post("inbox", "fake:1", "discard", "Sec-Fetch-Site", "cross-site").statusCode())
        .isEqualTo(401);
    assertThat(post("inbox", "fake:1", "discard", "Origin", "https://evil.example").statusCode())
        .isEqualTo(401);
    var key = keyOf(page("/"));
    cookie = "";
    assertThat(postWith(key, "inbox", "fake:1", "discard").statusCode()).isEqualTo(401);
    cookie = site.signedIn();
    assertThat(postWith(key, "inbox", "fake:1", "discard").statusCode()).isEqualTo(401);
    assertThat(page("/attention")).contains("fix it");
  }

  @Test
  void invalidActionIsRejectedAndARetriedItemIsNotDiscarded() throws Exception {
    site.givesUp(delivery("1", say("fix it")), "why");

    assertThat(post("inbox", "fake:1", "explode").statusCode()).isEqualTo(400);
    assertThat(post("bindings", "fake:1", "retry").statusCode()).isEqualTo(400);
    assertThat(post("inbox", "", "retry").statusCode()).isEqualTo(400);
    assertThat(post("inbox", "fake:1", "retry").statusCode()).isEqualTo(303);
    assertThat(post("inbox", "fake:1", "discard").statusCode()).isEqualTo(303);
    assertThat(site.waiting(THREAD)).hasSize(1);
  }

  @Test
  void attentionPageHidesSecretsInMessages() throws Exception {
    site.redaction = text -> text.replace("glpat-1234", "[secret]");
    site.givesUp(delivery("1", say("Use glpat-1234"), THREAD), "glpat-1234 was refused");
    site.asksFor(
        new Approval(
            "ab12cd34",
            new DeliveryId("fake:b"),
            OTHER_THREAD,
            DANA,
            "policy.approve[0]",
            List.of("platform"),
            false,
            Request.of("Deploy with glpat-1234"),
            NINE,
            NINE.plusSeconds(60),
            State.WAITING,
            Optional.empty()));

    assertThat(page("/attention"))
        .contains("Use [secret]", "[secret] was refused", "Deploy with [secret]")
        .doesNotContain("glpat-1234");
  }
}
