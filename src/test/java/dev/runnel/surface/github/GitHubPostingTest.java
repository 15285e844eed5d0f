package dev.runnel.surface.github;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.RunState;
import dev.runnel.surface.tracker.Settings;
import dev.runnel.surface.tracker.TrackerSurface;
import dev.runnel.testkit.MockServers;
import dev.runnel.testkit.SettableClock;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GitHubPostingTest {
  private static final PostRef STATUS = new PostRef("dana/shop#1/7");
  private static final String SECONDARY =
      "{\"message\": \"You have exceeded a secondary rate limit.\"}";

  private final MockWebServer github = MockServers.create();
  private final SettableClock clock = new SettableClock();

  @BeforeEach
  void start() throws IOException {
    github.start();
  }

  @AfterEach
  void stop() {
    github.close();
  }

  private TrackerSurface<?> surface() {
    return GitHub.surface(
        GitHubConfigs.withToken(
            List.of("s3cret"),
            "ghp_token",
            URI.create("http://127.0.0.1:" + github.getPort() + "/api/v3"),
            Settings.of("agent", "agent")),
        new OkHttpClient(),
        clock);
  }

  private void answers(int status, String body, String... headers) {
    var response = new MockResponse.Builder().code(status).body(body);
    for (var at = 0; at < headers.length; at += 2) {
      response.addHeader(headers[at], headers[at + 1]);
    }
    github.enqueue(response.build());
  }

  private RecordedRequest request() throws InterruptedException {
    return github.takeRequest();
  }

  private static String body(RecordedRequest request) {
    return Objects.requireNonNull(request.getBody(), "body").utf8();
  }

  private static Notice status() {
    return Updates.notice(Updates.status(RunState.RUNNING, "Reading"));
  }

  @Test
  void aNoticeBecomesAComment() throws Exception {
    answers(201, "{\"id\": 42}");

    var posting = surface().post(Updates.notice(Updates.TOLD), null);

    assertThat(posting).isEqualTo(new Posting.Posted(new PostRef("dana/shop#1/42"), Updates.ISSUE));
    var request = request();
    assertThat(request.getMethod()).isEqualTo("POST");
    assertThat(request.getTarget()).isEqualTo("/api/v3/repos/dana/shop/issues/1/comments");
    assertThat(request.getHeaders().get("Authorization")).isEqualTo("Bearer ghp_token");
    assertThat(request.getHeaders().get("Accept")).isEqualTo("application/vnd.github+json");
    assertThat(request.getHeaders().get("User-Agent")).isEqualTo("runnel");
    assertThat(body(request))
        .isEqualTo(
            "{\"body\":\"There is no run here to stop.\\n\\n<!-- runnel:notice=notice-1 -->\"}");
  }

  @Test
  void allIssuesShareTheLimitOfAToken() {
    assertThat(surface().limits().rateLimit(Updates.ISSUE)).isEqualTo("github");
  }

  @Test
  void postToAnInvalidIssueKeyIsUndeliverable() {
    var elsewhere =
        new Notice(
            Updates.notice(Updates.TOLD).id(),
            new Conversation(Updates.ISSUE.surface(), "../..#1"),
            Updates.TOLD,
            Origin.NONE,
            Updates.NOW,
            0);

    assertThat(surface().post(elsewhere, null)).isInstanceOf(Posting.Undeliverable.class);
    assertThat(github.getRequestCount()).isZero();
  }

  @Nested
  class TheStatusComment {
    @Test
    void firstStatusCreatesAComment() throws Exception {
      answers(201, "{\"id\": 7}");

      assertThat(surface().post(status(), null))
          .isEqualTo(new Posting.Posted(STATUS, Updates.ISSUE));
      assertThat(request().getMethod()).isEqualTo("POST");
    }

    @Test
    void laterStatusEditsTheComment() throws Exception {
      answers(200, "{\"id\": 7}");

      assertThat(surface().post(status(), STATUS))
          .isEqualTo(new Posting.Posted(STATUS, Updates.ISSUE));
      var request = request();
      assertThat(request.getMethod()).isEqualTo("PATCH");
      assertThat(request.getTarget()).isEqualTo("/api/v3/repos/dana/shop/issues/comments/7");
      assertThat(body(request)).contains("> Reading");
    }

    @Test
    void deletedStatusCommentIsCreatedAgain() throws Exception {
      answers(404, "{}");
      answers(201, "{\"id\": 8}");

      assertThat(surface().post(status(), STATUS))
          .isEqualTo(new Posting.Posted(new PostRef("dana/shop#1/8"), Updates.ISSUE));
      assertThat(request().getMethod()).isEqualTo("PATCH");
      assertThat(request().getMethod()).isEqualTo("POST");
    }

    @Test
    void resultIsPostedAsASeparateComment() throws Exception {
      answers(201, "{\"id\": 9}");

      surface().post(Updates.notice(Updates.succeeded("Done.")), STATUS);

      assertThat(request().getMethod()).isEqualTo("POST");
    }
  }

  @Nested
  class ASignOfReceipt {
    private final Notice received = Updates.notice(new Update.Received(STATUS));

    @Test
    void receiptIsShownAsAReaction() throws Exception {
      answers(201, "{}");

      assertThat(surface().post(received, null))
          .isEqualTo(new Posting.Posted(STATUS, Updates.ISSUE));
      var request = request();
      assertThat(request.getTarget())
          .isEqualTo("/api/v3/repos/dana/shop/issues/comments/7/reactions");
      assertThat(body(request)).isEqualTo("{\"content\":\"eyes\"}");
    }

    @ParameterizedTest
    @ValueSource(ints = {403, 404, 422, 500})
    void failedReceiptReactionIsIgnored(int status) {
      answers(status, "{}");

      assertThat(surface().post(received, null)).isInstanceOf(Posting.Posted.class);
    }
  }

  @Nested
  class AfterATryWhoseAnswerWasLost {
    private final Notice again = Updates.notice(Updates.TOLD, 1);

    @Test
    void theCommentIsFoundAndNotRepeated() throws Exception {
      answers(
          200,
          """
          [{"id": 3, "body": "hello"},
           {"id": 4, "body": null},
           {"id": 5, "body": "There is…\\n\\n<!-- runnel:notice=notice-1 -->",
            "user": {"login": "runnel"}}]
          """);

      assertThat(surface().post(again, null))
          .isEqualTo(new Posting.Posted(new PostRef("dana/shop#1/5"), Updates.ISSUE));
      assertThat(github.getRequestCount()).isEqualTo(1);
      assertThat(request().getTarget())
          .isEqualTo(
              "/api/v3/repos/dana/shop/issues/1/comments?per_page=100&page=1&since=2026-01-05T08:00:00Z");
    }

    @Test
    void retrySearchesAllNewCommentPages() {
      answers(
          200,
          IntStream.range(0, 100)
              .mapToObj(id -> "{\"id\": 1, \"body\": \"busy here\"}")
              .collect(Collectors.joining(",", "[", "]")));
      answers(
          200,
          "[{\"id\": 5, \"body\": \"<!-- runnel:notice=notice-1 -->\", \"user\": {\"login\":"
              + " \"me\"}}]");

      assertThat(surface().post(again, null))
          .isEqualTo(new Posting.Posted(new PostRef("dana/shop#1/5"), Updates.ISSUE));
    }

    @Test
    void missingCommentIsPostedOnARetry() throws Exception {
      answers(200, "[]");
      answers(201, "{\"id\": 6}");

      assertThat(surface().post(again, null)).isInstanceOf(Posting.Posted.class);
      assertThat(request().getMethod()).isEqualTo("GET");
      assertThat(request().getMethod()).isEqualTo("POST");
    }

    @Test
    void retryIsPostponedWhileTheEarlierPostIsUnknown() {
      answers(500, "");

      assertThat(surface().post(again, null)).isInstanceOf(Posting.Later.class);
      assertThat(github.getRequestCount()).isEqualTo(1);
    }
  }

  @Nested
  class WhenGitHubSaysNo {
    @ParameterizedTest
    @CsvSource({
      "429, Retry-After, 30, 30",
      "403, Retry-After, 0, 0",
      "429, X-Nothing, 1, 60",
      "429, Retry-After, soon, 60",
    })
    void rateLimitPostponesThePost(int status, String header, String value, int seconds) {
      answers(status, "{}", header, value);

      assertLater(Optional.of(Duration.ofSeconds(seconds)));
    }

    @Test
    void spentQuotaPostponesThePostUntilItsReset() {
      answers(
          403,
          "{}",
          "x-ratelimit-remaining",
          "0",
          "x-ratelimit-reset",
          String.valueOf(clock.instant().plusSeconds(900).getEpochSecond()));

      assertLater(Optional.of(Duration.ofMinutes(15)));
    }

    @Test
    void secondaryRateLimitIsRecognizedByItsMessage() {
      answers(403, SECONDARY);

      assertLater(Optional.of(Duration.ofMinutes(1)));
    }

    @Test
    void theSecondaryLimitWithoutATimePausesTwiceAsLongEachTime() {
      var surface = surface();
      for (var minutes : List.of(1, 2, 4, 8, 16, 30, 30)) {
        answers(403, SECONDARY);
        assertPauses(surface, Duration.ofMinutes(minutes));
        clock.advance(Duration.ofSeconds(5));
        answers(403, SECONDARY);
        assertPauses(
            surface,
            minutes == 1
                ? Duration.ofMinutes(1)
                : Duration.ofMinutes(minutes).minus(Duration.ofSeconds(5)));
        clock.advance(Duration.ofMinutes(minutes));
      }

      clock.advance(Duration.ofHours(2));
      answers(403, SECONDARY);
      assertPauses(surface, Duration.ofMinutes(1));
    }

    private static void assertPauses(TrackerSurface<?> surface, Duration pause) {
      assertThat(surface.post(Updates.notice(Updates.TOLD), null))
          .isInstanceOfSatisfying(
              Posting.Later.class, later -> assertThat(later.after()).contains(pause));
    }

    @ParameterizedTest
    @CsvSource({"2026-01-05T09:15Z", "2026-01-05T09:15:00.000+00:00"})
    void resetHeaderMayBeATimestamp(String reset) {
      answers(429, "{}", "X-RateLimit-Reset", reset);

      assertLater(Optional.of(Duration.ofMinutes(15)));
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 500, 502, 503})
    void serverErrorPostponesThePost(int status) {
      answers(status, "<html>");

      assertLater(Optional.empty());
    }

    @Test
    void brokenConnectionPostponesThePostWithoutARetry() {
      github.enqueue(
          new MockResponse.Builder().onResponseStart(new SocketEffect.CloseSocket()).build());
      github.enqueue(new MockResponse.Builder().code(201).body("{\"id\": 1}").build());

      assertLater(Optional.empty());
    }

    @ParameterizedTest
    @CsvSource({
      "403, read and write",
      "404, does not exist",
      "410, does not exist",
      "422, 422",
    })
    void permanentRefusalIsUndeliverableWithARemedy(int status, String words) {
      answers(status, "{\"message\": \"no\"}");

      assertThat(surface().post(Updates.notice(Updates.TOLD), null))
          .isInstanceOfSatisfying(
              Posting.Undeliverable.class,
              never -> assertThat(never.why()).contains(words).doesNotContain("ghp_token"));
    }

    @Test
    void responseWithoutACommentPostponesThePost() {
      answers(201, "<html>");

      assertLater(Optional.empty());
    }

    private void assertLater(Optional<Duration> after) {
      assertThat(surface().post(Updates.notice(Updates.TOLD), null))
          .isInstanceOfSatisfying(
              Posting.Later.class, later -> assertThat(later.after()).isEqualTo(after));
      assertThat(github.getRequestCount()).isEqualTo(1);
    }
  }

  @Test
  void redirectToAnotherHostIsNotFollowed() throws Exception {
    try (var elsewhere = MockServers.create()) {
      elsewhere.start();
      answers(307, "", "Location", "http://localhost:" + elsewhere.getPort() + "/comments");

      surface().post(Updates.notice(Updates.TOLD), null);

      assertThat(elsewhere.getRequestCount()).isZero();
    }
  }

  @Test
  void umlautsAndEmojiArePostedUnchanged() throws Exception {
    answers(201, "{\"id\": 1}");

    surface().post(Updates.notice(new Update.Message(Updates.DANA, "Schön 😀", false)), null);

    assertThat(new JsonMapper().readTree(body(request())).path("body").textValue())
        .startsWith("Schön 😀\n");
  }
}
