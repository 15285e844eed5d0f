package dev.runnel.runs;

import static dev.runnel.runs.FakeRunService.json;
import static dev.runnel.runs.FakeRunService.problem;
import static dev.runnel.testkit.AgentRunsContract.done;
import static dev.runnel.testkit.AgentRunsContract.newKey;
import static dev.runnel.testkit.AgentRunsContract.prompt;
import static dev.runnel.testkit.AgentRunsContract.seen;
import static dev.runnel.testkit.AgentRunsContract.startedBy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.client.RunsClient;
import dev.runnel.core.model.conversation.Attachment;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.Arrival;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunListing;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.testkit.AgentRunsContract;
import dev.runnel.testkit.MockServers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.SocketEffect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientAgentRunsTest implements AgentRunsContract {
  private static final String CREATE = "POST /agent/run";
  private static final String LIST = "GET /agent/runs";

  private final MockWebServer server = MockServers.create();
  private final FakeRunService service = new FakeRunService();
  private RunsClient client;
  private ClientAgentRuns runs;

  @BeforeEach
  void start() throws Exception {
    server.setDispatcher(service);
    server.start();
    client =
        RunsClient.builder()
            .baseUrl(server.url("/api/v1").uri())
            .apiKey("wk-key")
            .deadline(Duration.ofSeconds(10))
            .maxRetries(0)
            .build();
    runs = new ClientAgentRuns(client, false);
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  @Override
  public AgentRuns runs() {
    return runs;
  }

  @Override
  public void moves(RunId run, RunState state, String message) {
    service.moves(run.value(), state == RunState.RUNNING ? "INPROGRESS" : state.name(), message);
  }

  @Override
  public void goesDown() {
    server.close();
  }

  @Nested
  class AStart {
    @Test
    void startSendsThePromptItsOptionsAndItsDelivery() {
      var options =
          new RunOptions(
              Optional.of("ignored-here"),
              Optional.of("env-1"),
              Optional.of("fast"),
              Optional.of("org/repo:fix"),
              Optional.of("tests"),
              Optional.empty(),
              Optional.empty());

      var run =
          done(
              runs.start(
                  new Prompt(
                      "fix it",
                      "Fix it",
                      options,
                      Map.of("runnel.surface", "slack"),
                      List.of(),
                      Optional.of("Be brief.")),
                  new DeliveryId("slack:1")));

      var request = service.seen().getFirst();
      assertThat(request.idempotencyKey()).isEqualTo("slack:1");
      assertThat(FakeRunService.read(request.body()))
          .isEqualTo(
              FakeRunService.read(
                  """
                  {"prompt": "fix it", "title": "Fix it", "skill": "org/repo:fix",
                   "config": {"name": "tests", "model_id": "fast", "environment_id": "env-1",
                              "base_prompt": "Be brief."},
                   "metadata": {"runnel.surface": "slack", "runnel.delivery": "slack:1"}}
                  """));
      assertThat(run.session()).isPresent();
    }

    @Test
    void startSendsItsAttachments() {
      var attachment = new Attachment("red.png", "image/png", "Ynl0ZXM=");

      runs.start(
          new Prompt(
              "fix it", "Fix it", RunOptions.NONE, Map.of(), List.of(attachment), Optional.empty()),
          new DeliveryId("slack:1"));

      assertThat(FakeRunService.read(service.seen().getFirst().body()).path("attachments"))
          .isEqualTo(
              FakeRunService.read(
                  """
                  [{"file_name": "red.png", "mime_type": "image/png", "data": "Ynl0ZXM="}]
                  """));
    }

    @Test
    void requestSucceedsEvenIfTheRunCannotBeReadBack() {
      service.answersNext(CREATE, json(200, "{\"run_id\": \"r1\", \"state\": \"QUEUED\"}"));
      var key = newKey();

      var run = done(runs.start(prompt("Fix it"), key));

      assertThat(run.id()).isEqualTo(new RunId("r1"));
      assertThat(run.title()).isEqualTo("Fix it");
      assertThat(run.state()).isEqualTo(RunState.QUEUED);
      assertThat(run.delivery()).contains(key);
      assertThat(run.updatedAt()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 500, 502, 503})
    void startIsUnavailableWhileTheServiceHasTrouble(int status) {
      service.answersNext(
          CREATE,
          problem(status, "resource_unavailable")
              .newBuilder()
              .setHeader("Retry-After", "7")
              .build());

      assertThat(runs.start(prompt("Fix it"), newKey()))
          .isInstanceOfSatisfying(
              Outcome.Unavailable.class,
              busy -> assertThat(busy.retryAfter()).contains(Duration.ofSeconds(7)));
      assertThat(service.lines()).containsExactly(CREATE);
    }

    @Test
    void startIsUnavailableAfterALostOrUnreadableResponse() {
      service.answersNext(
          CREATE,
          new MockResponse.Builder().onResponseStart(new SocketEffect.CloseSocket()).build());
      service.answersNext(CREATE, json(200, "<html>Log in</html>"));

      assertThat(runs.start(prompt("Fix it"), newKey())).isInstanceOf(Outcome.Unavailable.class);
      assertThat(runs.start(prompt("Fix it"), newKey())).isInstanceOf(Outcome.Unavailable.class);
      assertThat(service.lines()).containsExactly(CREATE, CREATE);
    }

    @Test
    void startWithAnUnknownReferenceIsRefusedNotMissing() {
      service.answersNext(CREATE, problem(404, "resource_not_found"));

      assertThat(runs.start(prompt("Fix it"), newKey())).isInstanceOf(Outcome.Refused.class);
    }

    @Test
    void startAtAWrongAddressIsReportedAsUnavailable() {
      service.answersNext(CREATE, json(404, "<html>Not found</html>"));

      assertThat(runs.start(prompt("Fix it"), newKey())).isInstanceOf(Outcome.Unavailable.class);
    }
  }

  @Nested
  class LookingForAStart {
    private final DeliveryId key = newKey();

    @Test
    void searchForAStartReturnsNoForeignRunIfTheFilterIsIgnored() {
      service.ignoresMetadataFilter();
      service.add("A stranger's");
      done(runs.start(prompt("Another of ours"), newKey()));

      assertThat(startedBy(runs, key)).isEqualTo(new Outcome.Missing());
    }

    @Test
    void startedRunIsFoundEvenIfTheServiceIgnoresTheFilter() {
      service.ignoresMetadataFilter();
      var ours = done(runs.start(prompt("Ours"), key));
      for (int i = 0; i < 30; i++) {
        service.add("A stranger's");
      }

      assertThat(done(startedBy(runs, key)).id()).isEqualTo(ours.id());
    }

    @ParameterizedTest
    @CsvSource({
      "403, feature_not_available",
      "400, invalid_request",
      "422, operation_not_supported",
    })
    void searchForAStartReadsLaterRunsIfTheFilterIsRefused(int status, String code) {
      var ours = done(runs.start(prompt("Ours"), key));
      for (int i = 0; i < 600; i++) {
        service.add("A stranger's");
      }
      service.refusesMetadataFilter(problem(status, code));

      assertThat(startedBy(runs, newKey())).isEqualTo(new Outcome.Missing());
      assertThat(done(startedBy(runs, key)).id()).isEqualTo(ours.id());
    }

    @Test
    void searchForAStartEndsAtTheTimeOfTheFirstAttempt() {
      done(runs.start(prompt("Ours"), key));
      service.refusesMetadataFilter(problem(403, "feature_not_available"));

      assertThat(runs.findStarted(key, Instant.parse("2026-01-05T10:00:00Z"), Optional.of("Ours")))
          .isEqualTo(new Outcome.Missing());
    }

    @Test
    void startedRunIsFoundByItsPromptIfTheServiceHidesMetadata() {
      service.hidesMetadata();
      service.add("A stranger's");
      assertThat(startedBy(runs, key)).isEqualTo(new Outcome.Missing());

      done(
          runs.start(
              new Prompt(
                  "Fix the test\n\nThis was asked in: Slack", "A title", RunOptions.NONE, Map.of()),
              key));

      assertThat(done(startedBy(runs, key)).title()).isEqualTo("A title");
    }

    @Test
    void startedRunIsUncertainIfSeveralRunsHaveTheSamePrompt() {
      service.hidesMetadata();
      for (int i = 0; i < 2; i++) {
        done(runs.start(new Prompt("Fix the test", "A", RunOptions.NONE, Map.of()), newKey()));
      }

      assertThat(startedBy(runs, key)).isInstanceOf(Outcome.Unavailable.class);
    }

    @Test
    void startedRunIsUncertainIfTheListCannotBeRead() {
      service.answersNext(LIST, problem(503, "resource_unavailable"));

      assertThat(startedBy(runs, key)).isInstanceOf(Outcome.Unavailable.class);
    }
  }

  @Nested
  class AFollowUp {
    private Run run;

    @BeforeEach
    void start() {
      run = done(runs.start(prompt("Fix it"), newKey()));
    }

    @Test
    void followUpCarriesItsTextAndItsDelivery() {
      runs.followUp(run.id(), "and the docs", new DeliveryId("slack:2"));

      var request = service.seen().get(2);
      assertThat(request.body()).isEqualTo("{\"message\":\"and the docs\"}");
      assertThat(request.idempotencyKey()).isEqualTo("slack:2");
    }

    @Test
    void requestSucceedsEvenIfTheRunCannotBeReadBack() {
      service.answersNext(find(), json(500, ""));
      service.answersNext(find(), json(500, ""));

      var followed = done(runs.followUp(run.id(), "go on", newKey()));

      assertThat(followed.id()).isEqualTo(run.id());
      assertThat(followed.state()).isEqualTo(RunState.UNKNOWN);
    }

    @ParameterizedTest
    @CsvSource({
      "400, invalid_request",
      "401, authentication_required",
      "403, not_authorized",
      "410, gone",
      "422, operation_not_supported",
    })
    void followUpIsRefusedAfterAPermanentError(int status, String code) {
      service.answersNext(followUp(), problem(status, code));

      assertThat(runs.followUp(run.id(), "go on", newKey()))
          .isInstanceOfSatisfying(
              Outcome.Refused.class, refused -> assertThat(refused.code()).isEqualTo(code));
    }

    @Test
    void followUpConflictIsRefusedOrUnavailableAsTheServiceSays() {
      service.answersNext(followUp(), problem(409, "conflict", "No", ", \"retryable\": false"));
      service.answersNext(followUp(), problem(409, "conflict", "No", ", \"retryable\": true"));

      assertThat(runs.followUp(run.id(), "go on", newKey())).isInstanceOf(Outcome.Refused.class);
      assertThat(runs.followUp(run.id(), "go on", newKey()))
          .isInstanceOf(Outcome.Unavailable.class);
    }

    private String followUp() {
      return "POST /agent/runs/" + run.id() + "/followups";
    }

    private String find() {
      return "GET /agent/runs/" + run.id();
    }
  }

  @Nested
  class LookingForAFollowUp {
    private Run run;

    @BeforeEach
    void start() {
      run = done(runs.start(prompt("Fix it"), newKey()));
    }

    @Test
    void followUpArrivalIsReadFromTheConversation() {
      service.hasConversations();
      service.moves(run.id().value(), "SUCCEEDED", "Fixed");
      var before = done(runs.find(run.id()));

      assertThat(runs.followUpArrival(before, "go on", 0)).isInstanceOf(Arrival.NotArrived.class);
      done(runs.followUp(run.id(), "go on", newKey()));
      assertThat(runs.followUpArrival(before, "go on", 0)).isInstanceOf(Arrival.Arrived.class);
    }

    @Test
    void earlierFollowUpWithTheSameTextIsNotCountedAsArrival() {
      service.hasConversations();
      done(runs.followUp(run.id(), "go on", newKey()));
      service.moves(run.id().value(), "SUCCEEDED", "Fixed");
      var before = done(runs.find(run.id()));

      assertThat(runs.followUpArrival(before, "go on", 1)).isInstanceOf(Arrival.NotArrived.class);
      done(runs.followUp(run.id(), "go on", newKey()));
      assertThat(runs.followUpArrival(before, "go on", 1)).isInstanceOf(Arrival.Arrived.class);
    }

    @Test
    void followUpNotYetShownByABusyAgentIsUndecided() {
      service.hasConversations();
      service.moves(run.id().value(), "INPROGRESS", null);

      assertThat(runs.followUpArrival(done(runs.find(run.id())), "go on", 0))
          .isInstanceOf(Arrival.Unknowable.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SUCCEEDED", "FAILED", "ERROR", "CANCELLED", "BLOCKED"})
    void followUpToAnIdleRunHasArrivedIfTheRunContinues(String state) {
      service.moves(run.id().value(), state, "Which branch?");
      var before = done(runs.find(run.id()));

      assertThat(runs.followUpArrival(before, "main", 0)).isInstanceOf(Arrival.NotArrived.class);
      done(runs.followUp(run.id(), "main", newKey()));
      assertThat(runs.followUpArrival(before, "main", 0)).isInstanceOf(Arrival.Arrived.class);
    }

    @Test
    void arrivalOfAFollowUpIsUnknownWithoutAConversation() {
      service.moves(run.id().value(), "INPROGRESS", null);
      var before = done(runs.find(run.id()));
      done(runs.followUp(run.id(), "go on", newKey()));

      assertThat(runs.followUpArrival(before, "go on", 0)).isInstanceOf(Arrival.Unknowable.class);
    }

    @Test
    void followUpArrivalNeedsNoRequestIfTheServiceSupportsKeys() {
      var keyed = new ClientAgentRuns(client, true);
      var requests = service.lines().size();

      assertThat(keyed.followUpArrival(run, "go on", 0)).isInstanceOf(Arrival.NotArrived.class);
      assertThat(service.lines()).hasSize(requests);
    }
  }

  @Nested
  class ACancellation {
    private Run run;

    @BeforeEach
    void start() {
      run = done(runs.start(prompt("Fix it"), newKey()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"SUCCEEDED", "FAILED", "ERROR", "CANCELLED"})
    void cancellationOfAnEndedRunSucceeds(String state) {
      service.moves(run.id().value(), state, "Over");

      assertThat(done(runs.cancel(run.id())).stateName()).isEqualTo(state);
    }

    @Test
    void cancellationOfARunBeingPreparedIsBrieflyUnavailable() {
      service.moves(run.id().value(), "PENDING", null);

      assertThat(runs.cancel(run.id()))
          .isInstanceOfSatisfying(
              Outcome.Unavailable.class,
              busy -> assertThat(busy.retryAfter()).contains(Duration.ofSeconds(2)));
    }

    @Test
    void refusedCancellationOfABlockedRunExplainsTheAlternative() {
      service.neverCancelsBlocked();
      service.moves(run.id().value(), "BLOCKED", "Which branch?");

      assertThat(runs.cancel(run.id()))
          .isInstanceOfSatisfying(
              Outcome.Refused.class,
              refused -> {
                assertThat(refused.why()).contains("waits for an answer").contains("Answer it");
                assertThat(refused.link()).isEqualTo(run.session());
              });
    }

    @Test
    void refusedCancellationOfAnUncancellableRunLinksToItsSession() {
      service.answersNext(cancel(), problem(422, "operation_not_supported"));

      assertThat(runs.cancel(run.id()))
          .isEqualTo(
              new Outcome.Refused(
                  "operation_not_supported",
                  "This kind of run cannot be stopped through the API. Open it and stop it there.",
                  run.session()));
    }

    @Test
    void cancellationThatCannotBeReadBackIsUnavailableAtFirst() {
      service.answersNext("GET /agent/runs/" + run.id(), json(500, ""));

      assertThat(runs.cancel(run.id())).isInstanceOf(Outcome.Unavailable.class);
      assertThat(done(runs.cancel(run.id())).state()).isEqualTo(RunState.CANCELLED);
    }

    private String cancel() {
      return "POST /agent/runs/" + run.id() + "/cancel";
    }
  }

  @Nested
  class Looking {
    @Test
    void invalidRunIdIsReportedAsMissing() {
      var dots = new RunId("..");

      assertThat(runs.find(dots)).isInstanceOf(Outcome.Missing.class);
      assertThat(runs.cancel(dots)).isInstanceOf(Outcome.Missing.class);
      assertThat(runs.followUp(dots, "Hello", newKey())).isInstanceOf(Outcome.Missing.class);
    }

    @Test
    void listingReadsAllPagesAndSortsByTimeOfChange() {
      for (int i = 0; i < 501; i++) {
        service.add("Run " + i);
      }

      var seen = seen(runs.changedSince(Instant.EPOCH));

      assertThat(seen).hasSize(501);
      assertThat(seen).extracting(run -> run.updatedAt().orElseThrow()).isSorted();
      assertThat(service.lines()).containsExactly(LIST, LIST, LIST, LIST, LIST, LIST);
    }

    @Test
    void listingRequestsLongPagesAfterManyShortPrompts() {
      for (int i = 0; i < 101; i++) {
        service.add("Run " + i);
      }

      seen(runs.unfinished());
      seen(runs.unfinished());

      assertThat(service.limits()).containsExactly(100, 100, 500);
    }

    @Test
    void listingRequestsShortPagesAgainAfterManyLongPrompts() {
      for (int i = 0; i < 101; i++) {
        service.add("Run " + i);
      }
      seen(runs.unfinished());
      for (int i = 0; i < 101; i++) {
        service.add("word ".repeat(4_000));
      }

      seen(runs.unfinished());
      seen(runs.unfinished());

      assertThat(service.limits()).containsExactly(100, 100, 500, 100, 100, 100);
    }

    @Test
    void listingBeginsWithShortPages() {
      runs.changedSince(Instant.EPOCH);
      runs.unfinished();
      service.add("Somebody else's");
      runs.findStarted(newKey(), Instant.EPOCH, Optional.empty());

      assertThat(service.limits()).isNotEmpty().allMatch(limit -> limit <= 100);
    }

    @Test
    void listingReadsPagesThatHoldFewerRunsThanRequested() {
      for (int i = 0; i < 5; i++) {
        service.add("Run " + i);
      }
      service.pagesHoldAtMost(2);

      assertThat(seen(runs.changedSince(Instant.EPOCH))).hasSize(5);
    }

    @Test
    void listingIsUnavailableIfAPageCannotBeRead() {
      service.answersNext(
          LIST,
          json(
              200,
              """
              {"runs": [{"run_id": "r1", "state": "QUEUED"}],
               "page_info": {"has_next_page": true, "next_cursor": "1"}}
              """));
      service.answersNext(
          LIST,
          problem(429, "resource_unavailable").newBuilder().setHeader("Retry-After", "9").build());

      assertThat(runs.unfinished())
          .isInstanceOfSatisfying(
              RunListing.Unavailable.class,
              blind -> assertThat(blind.retryAfter()).contains(Duration.ofSeconds(9)));
    }

    @Test
    void listingKeepsTheLaterStateOfARunThatChangedMeanwhile() {
      service.answersNext(
          LIST,
          json(
              200,
              """
              {"runs": [{"run_id": "r1", "state": "QUEUED"}, {"run_id": "r2", "state": "QUEUED"}],
               "page_info": {"has_next_page": true, "next_cursor": "2"}}
              """));
      service.answersNext(
          LIST,
          json(
              200,
              """
              {"runs": [{"run_id": "r1", "state": "INPROGRESS"}],
               "page_info": {"has_next_page": false}}
              """));

      assertThat(seen(runs.changedSince(Instant.EPOCH)))
          .extracting(run -> run.id() + " " + run.state())
          .containsExactly("r2 QUEUED", "r1 RUNNING");
    }
  }

  @Test
  void unspecific404IsReportedAsUnavailable() {
    service.answersNext("GET /agent/runs/r1", json(404, "<html>Not found</html>"));

    assertThat(runs.find(new RunId("r1"))).isInstanceOf(Outcome.Unavailable.class);
  }
}
