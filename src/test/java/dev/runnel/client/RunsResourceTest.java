package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.runnel.client.ListRuns.SortBy;
import dev.runnel.client.ListRuns.SortOrder;
import dev.runnel.wire.ArtifactType;
import dev.runnel.wire.Conversation;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.CreatedRun;
import dev.runnel.wire.ExecutionLocation;
import dev.runnel.wire.FollowUpAccepted;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.Golden;
import dev.runnel.wire.HandoffAttachment;
import dev.runnel.wire.HarnessUsage;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunMode;
import dev.runnel.wire.RunSource;
import dev.runnel.wire.RunStateValue;
import dev.runnel.wire.TimelineEvent;
import java.time.Instant;
import java.util.stream.Stream;
import mockwebserver3.MockResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RunsResourceTest extends GroupFixture {
  private static final Instant NOON = Instant.parse("2026-01-05T12:00:00Z");

  static Stream<Arguments> filters() {
    return Stream.of(
        Arguments.of(ListRuns.ALL.limit(1), "limit=1"),
        Arguments.of(ListRuns.ALL.limit(500), "limit=500"),
        Arguments.of(ListRuns.ALL.cursor("a+/= ?"), "cursor=a%2B%2F%3D%20%3F"),
        Arguments.of(
            ListRuns.ALL.sorted(SortBy.UPDATED_AT, SortOrder.DESC),
            "sort_by=updated_at&sort_order=desc"),
        Arguments.of(
            ListRuns.ALL.sorted(SortBy.CREATED_AT, SortOrder.ASC),
            "sort_by=created_at&sort_order=asc"),
        Arguments.of(
            ListRuns.ALL.sorted(SortBy.TITLE, SortOrder.ASC), "sort_by=title&sort_order=asc"),
        Arguments.of(
            ListRuns.ALL.sorted(SortBy.AGENT, SortOrder.ASC), "sort_by=agent&sort_order=asc"),
        Arguments.of(
            ListRuns.ALL.state(RunStateValue.QUEUED).state(RunStateValue.FAILED),
            "state=QUEUED&state=FAILED"),
        Arguments.of(ListRuns.ALL.name("my tests"), "name=my%20tests"),
        Arguments.of(ListRuns.ALL.model("m-1"), "model_id=m-1"),
        Arguments.of(ListRuns.ALL.creator("u-1"), "creator=u-1"),
        Arguments.of(ListRuns.ALL.environment("e-1"), "environment_id=e-1"),
        Arguments.of(ListRuns.ALL.withoutEnvironment(), "environment_id=empty-environment"),
        Arguments.of(ListRuns.ALL.schedule("s-1"), "schedule_id=s-1"),
        Arguments.of(
            ListRuns.ALL.source(RunSource.API).source(RunSource.ORCHESTRATION),
            "source=API&source=ORCHESTRATION"),
        Arguments.of(ListRuns.ALL.createdAfter(NOON), "created_after=2026-01-05T12%3A00%3A00Z"),
        Arguments.of(ListRuns.ALL.createdBefore(NOON), "created_before=2026-01-05T12%3A00%3A00Z"),
        Arguments.of(ListRuns.ALL.updatedAfter(NOON), "updated_after=2026-01-05T12%3A00%3A00Z"),
        Arguments.of(
            ListRuns.ALL.and("updated_after", "2026-01-05T13:00:00+01:00"),
            "updated_after=2026-01-05T13%3A00%3A00%2B01%3A00"),
        Arguments.of(ListRuns.ALL.skill("team/app:fix"), "skill=team%2Fapp%3Afix"),
        Arguments.of(ListRuns.ALL.skillSpec("team/app:fix"), "skill_spec=team%2Fapp%3Afix"),
        Arguments.of(
            ListRuns.ALL.artifactType(ArtifactType.PULL_REQUEST), "artifact_type=PULL_REQUEST"),
        Arguments.of(ListRuns.ALL.matching("a & b"), "q=a%20%26%20b"),
        Arguments.of(
            ListRuns.ALL.executionLocation(ExecutionLocation.REMOTE), "execution_location=REMOTE"),
        Arguments.of(ListRuns.ALL.ancestor("r0"), "ancestor_run_id=r0"),
        Arguments.of(ListRuns.ALL.executor("sa-1"), "executor=sa-1"),
        Arguments.of(
            ListRuns.ALL.metadata("ticket_id", "V 1").metadata("b", "2"),
            "metadata%5Bticket_id%5D=V%201&metadata%5Bb%5D=2"),
        Arguments.of(ListRuns.ALL.automation("au-1"), "automation_id=au-1"),
        Arguments.of(ListRuns.ALL.factory("f-1").factory("f-2"), "factory_uid=f-1&factory_uid=f-2"),
        Arguments.of(
            ListRuns.ALL.taskStatus("running").taskStatus("blocked"),
            "task_status=running&task_status=blocked"),
        Arguments.of(ListRuns.ALL.onlyOfFactories(), "factory_only=true"),
        Arguments.of(ListRuns.ALL.and("config_name", "tests"), "config_name=tests"));
  }

  @ParameterizedTest
  @MethodSource("filters")
  void eachFilterOfAListIsSentByItsNameAndEncoded(ListRuns query, String sent) throws Exception {
    answerGolden("run-page");

    sends(client.runs().list(query), "GET /agent/runs?" + sent);
  }

  @Test
  void aPageOfAListIsRead() throws Exception {
    answerGolden("run-page");

    var page = sends(client.runs().list(ListRuns.ALL), "GET /agent/runs");

    assertThat(page.items()).extracting(RunItem::runId).containsExactly("r1");
    assertThat(page.hasNext()).isTrue();
    assertThat(page.nextCursor()).contains("b3BhcXVl+/=");
  }

  @Test
  void aPageHasOneToFiveHundredRuns() {
    assertThatIllegalArgumentException().isThrownBy(() -> ListRuns.ALL.limit(0));
    assertThatIllegalArgumentException().isThrownBy(() -> ListRuns.ALL.limit(501));
  }

  @Test
  void aRunIsCreatedOnBothPathsAlike() throws Exception {
    var run = Golden.read("create-run", CreateRun.class);
    answerGolden("created-run");
    answerGolden("created-run");
    var expected = Golden.read("created-run", CreatedRun.class);

    assertThat(sends(client.runs().create(run), "POST /agent/run", Golden.tree("create-run")))
        .isEqualTo(expected);
    try (var plural = builder().createOnPluralPath().build()) {
      assertThat(sends(plural.runs().create(run), "POST /agent/runs", Golden.tree("create-run")))
          .isEqualTo(expected);
    }
  }

  @Test
  void requestWithoutContentIsNotSent() {
    var run = CreateRun.builder().title("Fix it").build();
    var message = FollowUpMessage.builder().mode(RunMode.PLAN).build();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> client.runs().create(run))
        .withMessageContaining("a prompt, a skill, or a conversation");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> client.runs().createOnce(run, "key"))
        .withMessageContaining("a prompt, a skill, or a conversation");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> client.runs().followUp("r1", message))
        .withMessageContaining("a message, which may be empty, or attachments");
  }

  @Test
  void aRunIsRead() throws Exception {
    answerGolden("run");

    assertThat(sends(client.runs().get("r1"), "GET /agent/runs/r1"))
        .isEqualTo(Golden.read("run", RunItem.class));
  }

  @Test
  void aFollowUpIsSentWithAllItHas() throws Exception {
    answerGolden("follow-up-accepted");

    assertThat(
            sends(
                client.runs().followUp("r1", Golden.read("follow-up", FollowUpMessage.class)),
                "POST /agent/runs/r1/followups",
                Golden.tree("follow-up")))
        .isEqualTo(Golden.read("follow-up-accepted", FollowUpAccepted.class));
  }

  @Test
  void emptyFollowUpMessageIsSent() throws Exception {
    answerGolden("follow-up-accepted");
    var message = FollowUpMessage.builder().message("").build();

    assertThat(
            sends(
                    client.runs().followUp("r1", message),
                    "POST /agent/runs/r1/followups",
                    ClientJson.tree("{\"message\": \"\"}"))
                .followUpId())
        .isEqualTo("fu-1");
  }

  @Test
  void aCancellationIsAnsweredByTheId() throws Exception {
    server.enqueue(json(200, "\"r1\""));

    assertThat(sends(client.runs().cancel("r1"), "POST /agent/runs/r1/cancel")).isEqualTo("r1");
  }

  @Test
  void anInterruptionIsAnsweredBy202() throws Exception {
    server.enqueue(new MockResponse.Builder().code(202).build());

    assertThat(sends(client.runs().interrupt("r1"), "POST /agent/runs/r1/interrupt"))
        .isEqualTo(Done.DONE);
  }

  @Test
  void conversationOfARunIsRead() throws Exception {
    answerGolden("conversation");

    assertThat(sends(client.runs().conversation("r1"), "GET /agent/runs/r1/conversation"))
        .isEqualTo(Golden.read("conversation", Conversation.class));
  }

  @Test
  void harnessUsageOfARunIsRead() throws Exception {
    answerGolden("harness-usage");

    assertThat(sends(client.runs().harnessUsage("r1"), "GET /agent/runs/r1/harness-usage"))
        .isEqualTo(Golden.read("harness-usage", HarnessUsage.class));
  }

  @Test
  void timelineOfARunIsRead() throws Exception {
    answerGolden("timeline");

    assertThat(sends(client.runs().timeline("r1"), "GET /agent/runs/r1/timeline"))
        .containsExactly(Golden.read("timeline#/events/0", TimelineEvent.class));
  }

  @Test
  void handoffAttachmentsOfARunAreListed() throws Exception {
    answerGolden("handoff-attachments");

    assertThat(
            sends(client.runs().handoffAttachments("r1"), "GET /agent/runs/r1/handoff/attachments"))
        .containsExactly(
            Golden.read("handoff-attachments#/attachments/0", HandoffAttachment.class));
  }

  @Test
  void runIsFoundByAnExternalReference() throws Exception {
    server.enqueue(json(200, "{\"run_id\": \"r1\"}"));

    assertThat(
            sends(
                client.runs().idByReference("https://a.example/pull/1?x=y"),
                "GET /agent/run-by-external-reference"
                    + "?url=https%3A%2F%2Fa.example%2Fpull%2F1%3Fx%3Dy"))
        .isEqualTo("r1");
  }

  @ParameterizedTest
  @CsvSource({
    "400, invalid_request",
    "401, authentication_required",
    "403, not_authorized",
  })
  void refusedCreationOrListReportsItsErrorCode(int status, String code) {
    isRefused(
        client.runs().create(CreateRun.of("a")), status, code, RunsException.ServiceError.class);
    isRefused(client.runs().list(ListRuns.ALL), status, code, RunsException.ServiceError.class);
  }

  @Test
  void failedReadThrowsTheDocumentedException() {
    var call = client.runs().get("r1");
    isRefused(call, 400, "invalid_request", RunsException.BadRequest.class);
    isRefused(call, 401, "authentication_required", RunsException.Unauthorized.class);
    isRefused(call, 403, "not_authorized", RunsException.Forbidden.class);
    isRefused(call, 404, "resource_not_found", RunsException.NotFound.class);
    isRefused(
        client.runs().list(ListRuns.ALL.metadata("a", "b")),
        403,
        "feature_not_available",
        RunsException.Forbidden.class);
  }

  @Test
  void aFollowUpIsRefusedAsDocumented() {
    var call = client.runs().followUp("r1", FollowUpMessage.of("go on"));
    isRefused(call, 400, "invalid_request", RunsException.BadRequest.class);
    isRefused(call, 401, "authentication_required", RunsException.Unauthorized.class);
    isRefused(call, 403, "not_authorized", RunsException.Forbidden.class);
    isRefused(call, 404, "resource_not_found", RunsException.NotFound.class);
    isRefused(call, 410, "gone", RunsException.OtherStatus.class);
    isRefused(call, 422, "invalid_request", RunsException.Unprocessable.class);
    isRefused(call, 500, "internal_error", RunsException.ServerFailed.class);
  }

  @Test
  void aCancellationIsRefusedAsDocumented() {
    var call = client.runs().cancel("r1");
    isRefused(call, 400, "invalid_request", RunsException.BadRequest.class);
    isRefused(call, 401, "authentication_required", RunsException.Unauthorized.class);
    isRefused(call, 403, "not_authorized", RunsException.Forbidden.class);
    isRefused(call, 404, "resource_not_found", RunsException.NotFound.class);
    isRefused(call, 409, "conflict", RunsException.Conflict.class);
    isRefused(call, 422, "operation_not_supported", RunsException.Unprocessable.class);
  }

  @Test
  void failedRelatedCallThrowsTheDocumentedException() {
    isRefused(
        client.runs().conversation("r1"),
        422,
        "operation_not_supported",
        RunsException.Unprocessable.class);
    isRefused(
        client.runs().idByReference("https://a.example"),
        404,
        "resource_not_found",
        RunsException.NotFound.class);
  }

  @Test
  void emptyIdsAreNeverSent() {
    areNeverSent(
        () -> client.runs().get(""),
        () -> client.runs().cancel(" "),
        () -> client.runs().followUp(".", FollowUpMessage.of("go on")),
        () -> client.runs().interrupt(".."),
        () -> client.runs().conversation(""),
        () -> client.runs().transcript(""),
        () -> client.runs().timeline(""),
        () -> client.runs().harnessUsage(""),
        () -> client.runs().handoffAttachments(""));
  }
}
