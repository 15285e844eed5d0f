package dev.runnel.surface.slack.post;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.PostingLimits;
import dev.runnel.surface.slack.ScriptedSlack;
import dev.runnel.surface.slack.SlackRequests;
import dev.runnel.surface.slack.SlackSurface;
import dev.runnel.surface.slack.SlackSurfaces;
import dev.runnel.surface.slack.SlackUpdates;
import dev.runnel.surface.slack.api.SlackAgentApi;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.testkit.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The status of a run in a direct thread, in every kind of app: an agent, an assistant of the
/// earlier kind, and neither.
class SlackAgentViewTest {
  private static final Conversation DIRECT =
      new Conversation(SlackPlace.SURFACE, "T0ACME/D0ANN/1795240915.000008");
  private static final Conversation CHANNEL =
      new Conversation(SlackPlace.SURFACE, "T0ACME/C0DEV/1795240915.000008");
  private static final PostRef STREAM = new PostRef("D0ANN/1795240916.000400");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ScriptedSlack slack = new ScriptedSlack();
  private final SettableClock clock = new SettableClock();
  private SlackSurface surface = SlackSurfaces.of(slack.config(), clock);
  private int notices;

  SlackAgentViewTest() {
    // To the time of Slack's messages.
    clock.advance(Duration.between(clock.instant(), SlackRequests.NOW));
  }

  @AfterEach
  void close() {
    surface.close();
    slack.close();
  }

  /// Another process, or this one after a crash.
  private void restart() {
    surface.close();
    surface = SlackSurfaces.of(slack.config(), clock);
  }

  private static SlackUpdates.Draft queued() {
    return SlackUpdates.running().in(RunState.QUEUED, "QUEUED");
  }

  private static SlackUpdates.Draft working(String progress) {
    return SlackUpdates.running().message(progress);
  }

  private static SlackUpdates.Draft done() {
    return SlackUpdates.running().in(RunState.SUCCEEDED, "SUCCEEDED");
  }

  private static Update.Status status(SlackUpdates.Draft run) {
    return SlackUpdates.status(run, Duration.ofSeconds(20));
  }

  private Notice notice(Update update, Conversation conversation, int tries) {
    return new Notice(
        new NoticeId("n" + ++notices), conversation, update, Origin.NONE, clock.instant(), tries);
  }

  private Posting tells(SlackUpdates.Draft run, @Nullable PostRef status) {
    return surface.post(notice(status(run), DIRECT, 0), status);
  }

  private Posting repeats(SlackUpdates.Draft run, @Nullable PostRef status) {
    return surface.post(notice(new Update.Still(status(run)), DIRECT, 0), status);
  }

  private static PostRef ref(Posting posting) {
    return ((Posting.Posted) posting).ref();
  }

  private List<String> methods() {
    return slack.calls().stream()
        .map(ScriptedSlack.Call::method)
        .filter(it -> !it.equals("auth.test"))
        .toList();
  }

  private List<String> fields(String method, String field) {
    return slack.calls(method).stream().map(it -> it.field(field)).toList();
  }

  /// The cards that a call carried, as `id-less` words: `in_progress Working`.
  private static List<String> cards(ScriptedSlack.Call call) {
    List<String> cards = new ArrayList<>();
    for (JsonNode chunk : chunks(call)) {
      if (chunk.path("type").asText().equals("task_update")) {
        cards.add(chunk.path("status").asText() + " " + chunk.path("title").asText());
      }
    }
    return cards;
  }

  private static JsonNode chunks(ScriptedSlack.Call call) {
    try {
      return JSON.readTree(call.field("chunks"));
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }

  @Nested
  class WhereTheAppIsAnAgent {
    @Test
    void statusPostStartsASessionAndAStream() {
      assertThat(ref(tells(queued(), null))).isEqualTo(STREAM);

      assertThat(methods()).containsExactly(SlackAgentApi.SET_SESSION, SlackAgentApi.START);
      var session = slack.calls(SlackAgentApi.SET_SESSION).getFirst();
      assertThat(session.field("status")).isEqualTo("processing");
      assertThat(session.field("title")).isEqualTo("Fix the flaky checkout test");
      assertThat(session.field("initiator_user_id")).isEqualTo("U0ANN");
      var stream = slack.calls(SlackAgentApi.START).getFirst();
      assertThat(stream.field("channel")).isEqualTo("D0ANN");
      assertThat(stream.field("thread_ts")).isEqualTo("1795240915.000008");
      assertThat(stream.field("recipient_user_id")).isEqualTo("U0ANN");
      assertThat(stream.field("recipient_team_id")).isEqualTo("T0ACME");
      assertThat(chunks(stream).get(0).path("title").asText())
          .isEqualTo("Fix the flaky checkout test");
      assertThat(cards(stream)).containsExactly("in_progress Setting up");
    }

    @Test
    void newStepStartsACardAndCompletesThePreviousOne() {
      var ref = ref(tells(queued(), null));
      assertThat(ref(tells(working("Cloning acme/shop"), ref))).isEqualTo(ref);
      tells(working("Running the <!channel> tests"), ref);

      assertThat(slack.calls(SlackAgentApi.APPEND)).hasSize(2);
      assertThat(cards(slack.calls(SlackAgentApi.APPEND).get(0)))
          .containsExactly("complete Setting up", "in_progress Cloning acme/shop");
      assertThat(cards(slack.calls(SlackAgentApi.APPEND).get(1)))
          .containsExactly(
              "complete Cloning acme/shop", "in_progress Running the ‹!channel› tests");
      assertThat(slack.calls("chat.update")).isEmpty();
    }

    @Test
    void sessionStatusIsSetOnceForManySteps() {
      var ref = ref(tells(working("Step 0"), null));
      for (int i = 1; i < 10; i++) {
        clock.advance(Duration.ofSeconds(2));
        tells(working("Step " + i), ref);
      }

      assertThat(slack.calls(SlackAgentApi.SET_SESSION)).hasSize(1);
    }

    @Test
    void unchangedStepSendsNothing() {
      var ref = ref(tells(working("Looking"), null));

      tells(working("Looking"), ref);

      assertThat(slack.calls(SlackAgentApi.APPEND)).isEmpty();
    }

    @Test
    void linksAreStreamedOnceAsSoonAsTheyAreKnown() {
      var ref = ref(tells(queued(), null));
      tells(working("Looking").at("https://runs.example.com/7"), ref);
      tells(working("Testing").at("https://runs.example.com/7"), ref);

      var appends = slack.calls(SlackAgentApi.APPEND);
      assertThat(chunks(appends.get(0)).findValuesAsText("url"))
          .containsExactly("https://runs.example.com/7");
      assertThat(chunks(appends.get(1)).findValuesAsText("url")).isEmpty();
    }

    @Test
    void repeatedStepUpdatesTheSameCard() {
      var ref = ref(tells(queued(), null));
      slack.says(SlackAgentApi.APPEND, ScriptedSlack.status(502));

      assertThat(tells(working("Looking"), ref)).isInstanceOf(Posting.Later.class);
      tells(working("Looking"), ref);

      var appends = slack.calls(SlackAgentApi.APPEND);
      assertThat(appends.get(1).field("chunks")).isEqualTo(appends.get(0).field("chunks"));
    }

    @Test
    void streamHasAtMostTwentyCards() {
      var ref = ref(tells(queued(), null));
      for (int i = 0; i < 40; i++) {
        tells(working("Step " + i), ref);
      }

      var ids =
          slack.calls(SlackAgentApi.APPEND).stream()
              .flatMap(it -> chunks(it).findValuesAsText("id").stream())
              .distinct();
      assertThat(ids).hasSize(20);
      assertThat(cards(slack.calls(SlackAgentApi.APPEND).getLast()))
          .containsExactly("in_progress Step 39");
    }

    @Test
    void streamBecomesTheStatusPostAtTheEndOfTheRun() {
      var ref = ref(tells(working("Looking"), null));

      assertThat(ref(tells(done(), ref))).isEqualTo(ref);

      assertThat(methods()).endsWith(SlackAgentApi.STOP, "chat.update", SlackAgentApi.SET_SESSION);
      assertThat(slack.calls("chat.update").getFirst().field("text")).contains("Finished");
      assertThat(fields(SlackAgentApi.SET_SESSION, "status"))
          .containsExactly("processing", "active");
    }

    @Test
    void aQuestionSuspendsTheSession() {
      var ref = ref(tells(working("Looking"), null));

      tells(SlackUpdates.running().in(RunState.BLOCKED, "BLOCKED"), ref);

      assertThat(fields(SlackAgentApi.SET_SESSION, "status")).last().isEqualTo("suspended");
      assertThat(slack.calls(SlackAgentApi.STOP)).hasSize(1);
    }

    @Test
    void streamBecomesAnOrdinaryPostAfterFourMinutes() {
      var ref = ref(tells(working("Looking"), null));
      clock.advance(Duration.ofMinutes(4));

      tells(working("Still looking"), ref);
      tells(working("Found it"), ref);

      assertThat(slack.calls(SlackAgentApi.APPEND)).isEmpty();
      assertThat(slack.calls(SlackAgentApi.STOP)).hasSize(1);
      assertThat(slack.calls("chat.update")).hasSize(2);
      assertThat(slack.calls("chat.update").getFirst().field("blocks")).contains("cancel_run");
    }

    @Test
    void statusEditsAreRateLimitedAfterTheStreamIsClosed() {
      var ref = ref(tells(working("Looking"), null));
      assertThat(surface.limits().editBudget(DIRECT)).isEmpty();
      assertThat(surface.limits().editLimit(DIRECT)).isEqualTo(surface.limits().rateLimit(DIRECT));

      clock.advance(Duration.ofMinutes(5));
      tells(working("Still looking"), ref);

      assertThat(surface.limits().editBudget(DIRECT))
          .contains(new PostingLimits.EditBudget("slack:T0ACME", 25));
      assertThat(surface.limits().editLimit(DIRECT)).isEqualTo("slack:T0ACME/edits");
    }

    @ParameterizedTest
    @ValueSource(strings = {"message_not_in_streaming_state", "stopped_by_user", "msg_too_long"})
    void postIsEditedAfterSlackClosedTheStream(String error) {
      var ref = ref(tells(working("Looking"), null));
      slack.refuses(SlackAgentApi.APPEND, error);

      assertThat(ref(tells(working("Still looking"), ref))).isEqualTo(ref);
      tells(working("Found it"), ref);

      assertThat(slack.calls(SlackAgentApi.APPEND)).hasSize(1);
      assertThat(slack.calls("chat.update")).hasSize(2);
      assertThat(slack.calls(SlackAgentApi.STOP)).isEmpty();
    }

    @Test
    void aStreamThatAnotherProcessOpenedIsClosedAndEdited() {
      var ref = ref(tells(working("Looking"), null));
      restart();

      assertThat(ref(tells(working("Still looking"), ref))).isEqualTo(ref);
      tells(working("Found it"), ref);

      assertThat(slack.calls(SlackAgentApi.STOP)).hasSize(1);
      assertThat(slack.calls(SlackAgentApi.APPEND)).isEmpty();
      assertThat(slack.calls("chat.update")).hasSize(2);
    }

    @Test
    void expiredStreamIsEditedWithoutACheck() {
      clock.advance(Duration.ofMinutes(10));

      tells(working("Looking"), STREAM);

      assertThat(methods()).containsExactly(SlackAgentApi.SET_SESSION, "chat.update");
    }

    @Test
    void aStreamThatWasOpenedBeforeACrashIsFoundByItsFirstCard() {
      var notice = notice(status(working("Looking")), DIRECT, 0);
      surface.post(notice, null);
      var card = chunks(slack.calls(SlackAgentApi.START).getFirst()).findValuesAsText("id").get(0);
      slack.says(
          SlackAgentApi.REPLIES,
          """
          {'ok':true,'messages':[
           {'ts':'1795240915.000008','text':'fix it','user':'U0ANN'},
           {'ts':'1795240916.000400','user':'U0RUNNEL','streaming_state':'in_progress',
            'blocks':[{'type':'plan','title':'Fix','tasks':[{'task_id':'%s','title':'x'}]}]}]}
          """
              .formatted(card));
      restart();

      var again =
          surface.post(
              new Notice(notice.id(), DIRECT, notice.update(), Origin.NONE, notice.createdAt(), 1),
              null);

      assertThat(ref(again)).isEqualTo(STREAM);
      assertThat(slack.calls(SlackAgentApi.START)).hasSize(1);
      assertThat(slack.calls(SlackAgentApi.STOP)).hasSize(1);
      assertThat(slack.calls("chat.update")).hasSize(1);
      assertThat(slack.calls("chat.postMessage")).isEmpty();
    }

    @Test
    void retrySearchesForTheLostStreamBeforeOpeningANewOne() {
      slack.says(SlackAgentApi.START, ScriptedSlack.status(503));
      var notice = notice(status(working("Looking")), DIRECT, 0);
      assertThat(surface.post(notice, null)).isInstanceOf(Posting.Later.class);

      var again =
          new Notice(notice.id(), DIRECT, notice.update(), Origin.NONE, notice.createdAt(), 1);
      assertThat(ref(surface.post(again, null))).isEqualTo(STREAM);

      assertThat(methods())
          .containsSubsequence(SlackAgentApi.START, SlackAgentApi.REPLIES, SlackAgentApi.START);
    }

    @Test
    void openStreamIsFoundThoughTheSessionCallFails() {
      slack.says(SlackAgentApi.SET_SESSION, ScriptedSlack.status(502));
      slack.says(
          SlackAgentApi.REPLIES,
          "{'ok':true,'messages':[{'ts':'1795240916.000400','streaming_state':'in_progress'}]}");

      var again = surface.post(notice(status(working("Looking")), DIRECT, 1), null);

      assertThat(ref(again)).isEqualTo(STREAM);
      assertThat(methods())
          .containsExactly(
              SlackAgentApi.SET_SESSION, SlackAgentApi.REPLIES, SlackAgentApi.STOP, "chat.update");
    }

    @Test
    void rateLimitPostponesTheStream() {
      slack.says(SlackAgentApi.START, ScriptedSlack.rateLimited("17"));

      assertThat(tells(working("Looking"), null))
          .isEqualTo(
              new Posting.Later(
                  Optional.of(Duration.ofSeconds(17)), "Slack responded with status 429"));
    }

    @Test
    void refusedStreamsAreNotRequestedAgain() {
      slack.refuses(SlackAgentApi.START, "feature_not_enabled");

      var ref = ref(tells(working("Looking"), null));
      tells(working("Still looking"), ref);
      tells(working("Another run"), null);

      assertThat(slack.calls(SlackAgentApi.START)).hasSize(1);
      assertThat(slack.calls("chat.postMessage")).hasSize(2);
      assertThat(slack.calls("chat.update")).hasSize(1);
    }

    @Test
    void errorInOneThreadDoesNotDisableStreamsInOthers() {
      slack.refuses(SlackAgentApi.START, "channel_not_found");

      tells(working("Looking"), null);
      tells(working("Another run"), null);

      assertThat(slack.calls(SlackAgentApi.START)).hasSize(2);
      assertThat(slack.calls("chat.postMessage")).hasSize(1);
    }

    @Test
    void postHasOurStopButtonIfSlackHasNone() {
      slack.says(
          SlackAgentApi.SET_SESSION,
          "{'ok':true,'warning':'missing_agent_session_stopped_event_subscription'}");

      tells(working("Looking"), null);

      assertThat(slack.calls(SlackAgentApi.START)).isEmpty();
      assertThat(slack.calls("chat.postMessage").getFirst().field("blocks")).contains("cancel_run");
    }

    @Test
    void failedSessionUpdateDoesNotDelayThePost() {
      slack.says(SlackAgentApi.SET_SESSION, ScriptedSlack.status(502));

      assertThat(tells(working("Looking"), null)).isInstanceOf(Posting.Posted.class);

      assertThat(slack.calls("chat.postMessage")).hasSize(1);
      assertThat(surface.limits().statusLifetime(DIRECT)).contains(Duration.ofSeconds(90));
    }
  }

  @Nested
  class BeforeItFades {
    @Test
    void sessionStatusIsSetAgainBeforeItExpires() {
      var ref = ref(tells(working("Looking"), null));
      clock.advance(Duration.ofMinutes(1));

      assertThat(surface.limits().statusLifetime(DIRECT)).contains(Duration.ofMinutes(3));
      assertThat(ref(repeats(working("Looking"), ref))).isEqualTo(ref);

      assertThat(fields(SlackAgentApi.SET_SESSION, "status"))
          .containsExactly("processing", "processing");
      assertThat(slack.calls("chat.update")).isEmpty();
      assertThat(slack.calls(SlackAgentApi.STOP)).isEmpty();
    }

    @Test
    void streamIsClosedAndEditedBeforeItExpires() {
      var ref = ref(tells(working("Looking"), null));
      clock.advance(Duration.ofMinutes(4));

      repeats(working("Looking"), ref);

      assertThat(slack.calls(SlackAgentApi.STOP)).hasSize(1);
      assertThat(slack.calls("chat.update")).hasSize(1);
      assertThat(surface.limits().statusLifetime(DIRECT)).contains(Duration.ofMinutes(4));
    }

    @Test
    void endOfTheSessionIsSetAgain() {
      repeats(done(), STREAM);

      assertThat(fields(SlackAgentApi.SET_SESSION, "status")).containsExactly("active");
      assertThat(slack.calls("chat.update")).isEmpty();
    }

    @Test
    void deletedPostIsNotCreatedAgain() {
      var ref = ref(tells(working("Looking"), null));
      clock.advance(Duration.ofMinutes(4));
      slack.refuses("chat.update", "message_not_found");

      repeats(working("Looking"), ref);

      assertThat(slack.calls("chat.postMessage")).isEmpty();
    }
  }

  @Nested
  class WhereTheAppIsAnAssistantOfTheEarlierKind {
    @Test
    void statusIsALineOfTextBesideTheStatusPost() {
      slack.refuses(SlackAgentApi.SET_SESSION, "unknown_method");

      var ref = ref(tells(queued(), null));
      tells(working("Running the tests"), ref);
      tells(done(), ref);

      assertThat(fields(SlackAgentApi.SET_LINE, "status"))
          .containsExactly("is setting up…", "is working: Running the tests", "");
      assertThat(fields(SlackAgentApi.SET_TITLE, "title"))
          .containsExactly("Fix the flaky checkout test");
      assertThat(slack.calls(SlackAgentApi.SET_SESSION)).hasSize(1);
      assertThat(slack.calls(SlackAgentApi.START)).isEmpty();
      assertThat(slack.calls("chat.postMessage")).hasSize(1);
      assertThat(slack.calls("chat.update")).hasSize(2);
      // The post takes the words away, so they come behind it.
      assertThat(methods()).containsSubsequence("chat.postMessage", SlackAgentApi.SET_LINE);
    }

    @Test
    void statusLineIsSetAgainBeforeTwoMinutes() {
      slack.refuses(SlackAgentApi.SET_SESSION, "unknown_method");
      var ref = ref(tells(working("Looking"), null));

      assertThat(surface.limits().statusLifetime(DIRECT)).contains(Duration.ofSeconds(90));
      clock.advance(Duration.ofSeconds(90));
      repeats(working("Looking"), ref);

      assertThat(fields(SlackAgentApi.SET_LINE, "status"))
          .containsExactly("is working: Looking", "is working: Looking");
    }
  }

  @Nested
  class WhereTheAppIsNeither {
    @Test
    void ordinaryPostIsUsedIfTheAppIsNoAgent() {
      slack.refuses(SlackAgentApi.SET_SESSION, "not_allowed_token_type");
      slack.refuses(SlackAgentApi.SET_LINE, "missing_scope");

      var ref = ref(tells(queued(), null));
      tells(working("Running the tests"), ref);
      tells(done(), ref);

      assertThat(methods())
          .containsExactly(
              SlackAgentApi.SET_SESSION,
              "chat.postMessage",
              SlackAgentApi.SET_LINE,
              "chat.update",
              "chat.update");
      assertThat(surface.limits().statusLifetime(DIRECT)).isEmpty();
    }

    @Test
    void missingThreadDoesNotDisableStreams() {
      slack.refuses(SlackAgentApi.SET_SESSION, "channel_not_found");

      tells(working("Looking"), null);
      tells(working("Looking"), null);

      assertThat(slack.calls(SlackAgentApi.SET_SESSION)).hasSize(2);
      assertThat(slack.calls(SlackAgentApi.START)).hasSize(1);
    }

    @Test
    void channelGetsOnlyOrdinaryPosts() {
      var ref = ref(surface.post(notice(status(queued()), CHANNEL, 0), null));
      surface.post(notice(status(done()), CHANNEL, 0), ref);

      assertThat(methods()).containsExactly("chat.postMessage", "chat.update");
      assertThat(surface.limits().statusLifetime(CHANNEL)).isEmpty();
    }
  }
}
