package dev.runnel.wire;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.runnel.client.ClientJson;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A run, in lists and alone, and the answers to what is asked of it.
public class RunItemJsonTest {
  private static final Instant CREATED = Instant.parse("2026-01-05T09:00:00Z");

  @Test
  public void everyMemberIsReadToItsComponent() throws Exception {
    var golden = Golden.tree("run");

    assertThat(Golden.read("run", RunItem.class))
        .isEqualTo(
            RunItem.builder()
                .runId("0b9c1e7a-52d4-4a83-9a86-4b1f60c2d9e1")
                .taskId("0b9c1e7a-52d4-4a83-9a86-4b1f60c2d9e1")
                .title("Fix the flaky login test")
                .state(RunStateValue.FAILED)
                .prompt("Fix the flaky login test and open a pull request.")
                .createdAt(CREATED)
                .updatedAt(Instant.parse("2026-01-05T09:04:30.250Z"))
                .startedAt(Instant.parse("2026-01-05T09:00:20Z"))
                .statusMessage(
                    new StatusMessage(
                        "The setup command `npm ci` ended with 1",
                        ErrorCode.ENVIRONMENT_SETUP_FAILED,
                        false,
                        Instant.parse("2026-01-05T10:00:00Z"),
                        true,
                        Map.of("severity", TextNode.valueOf("high"), "hint", NullNode.instance)))
                .source(RunSource.API)
                .creator(
                    new UserInfo(
                        "user",
                        "u-1",
                        "Ada",
                        "ada@team.example",
                        "https://team.example/ada.png",
                        Map.of("pronoun", TextNode.valueOf("she"))))
                .executor(
                    new UserInfo(
                        "service_account",
                        "sa-1",
                        "Fixer",
                        "fixer@team.example",
                        "https://team.example/fixer.png",
                        Map.of()))
                .sessionId("5f0f3d0c-7a8e-4c1b-8f43-6d2a0a8b7c11")
                .sessionLink("https://app.example/session/5f0f3d0c-7a8e-4c1b-8f43-6d2a0a8b7c11")
                .triggerUrl("https://team.slack.example/archives/C1/p1")
                .agentConfig(
                    AgentConfig.builder()
                        .name("tests")
                        .modelId("fast")
                        .environmentId("UA17BXYZ0123456789abcd")
                        .build())
                .agentSkill(
                    new SkillOfRun(
                        "fix-tests",
                        "Fixes tests",
                        "team/app:.agents/skills/fix-tests/SKILL.md",
                        "bundled-1",
                        Map.of("version", golden.at("/agent_skill/version"))))
                .conversationId("9d2c3a10-0f5e-4a67-8d0b-2f6b1c9e7a55")
                .parentRunId("7c1e9f3b-11d0-4f0e-9b6e-0d9a8c7b6a54")
                .artifacts(
                    List.of(
                        new ArtifactItem.PullRequest(
                            "https://github.example/team/app/pull/7",
                            "fix-login",
                            PullRequestStatus.DRAFT,
                            golden.at("/artifacts/0")),
                        new ArtifactItem.Unknown(golden.at("/artifacts/1"))))
                .requestUsage(new RequestUsage(golden.path("request_usage")))
                .schedule(
                    new ScheduleOfRun(
                        "s-1",
                        "Nightly tests",
                        "0 3 * * *",
                        Map.of("time_zone", TextNode.valueOf("UTC"))))
                .scope(new Scope("Team", "t-1", Map.of("plan", TextNode.valueOf("large"))))
                .sandboxRunning(true)
                .executionLocation(ExecutionLocation.REMOTE)
                .metadata(Map.of("ticket_id", "PAY-123", "ticket_source", "linear", "empty", ""))
                .runTime("PT4M10S")
                .cancellable(true)
                .debugAgentAvailable(true)
                .factoryUid("f-1")
                .submittedPrompt(
                    "Fix the flaky login test and open a pull request.\n\nBranch from main.")
                .finishedAt(Instant.parse("2026-01-05T09:04:30.250Z"))
                .rootRunId("7c1e9f3b-11d0-4f0e-9b6e-0d9a8c7b6a54")
                .more(
                    Map.of(
                        "a_member_of_next_year",
                        golden.path("a_member_of_next_year"),
                        "a_null_of_next_year",
                        NullNode.instance))
                .build());
    Golden.isFull(Golden.read("run", RunItem.class), "agentConfig.", "artifacts[]");
  }

  @Test
  public void runSurvivesARoundTrip() throws Exception {
    Golden.isLossless("run", RunItem.class);
    Golden.isLossless("run-page", RunPage.class);
    Golden.isLossless("created-run", CreatedRun.class);
    Golden.isLossless("follow-up-accepted", FollowUpAccepted.class);
    var run = Golden.read("run", RunItem.class);
    assertThat(run.toBuilder().build()).isEqualTo(run);
  }

  @ParameterizedTest
  @ValueSource(classes = {RunItem.class, RunPage.class, CreatedRun.class, FollowUpAccepted.class})
  void aMemberThatCannotBeReadCountsAsAbsentUnlessReadStrictly(Class<?> type) throws Exception {
    var name =
        Map.of(
                RunItem.class, "run",
                RunPage.class, "run-page",
                CreatedRun.class, "created-run",
                FollowUpAccepted.class, "follow-up-accepted")
            .get(type);
    Golden.oddMembersCountAsAbsent(String.valueOf(name), type);
  }

  @ParameterizedTest
  @ValueSource(strings = {"5", "1.5", "true"})
  void textMayBeANumberUnlessReadStrictly(String value) throws Exception {
    var json = ((ObjectNode) Golden.tree("run-minimal")).set("title", ClientJson.tree(value));

    assertThat(ClientJson.lenient(json, RunItem.class).title()).isEqualTo(value);
    assertThatThrownBy(() -> ClientJson.strict(json, RunItem.class))
        .isInstanceOf(IOException.class);
  }

  @Test
  public void runNeedsOnlyItsRequiredMembers() throws Exception {
    var run = Golden.read("run-minimal", RunItem.class);

    assertThat(run)
        .isEqualTo(
            RunItem.builder()
                .runId("r1")
                .taskId("r1")
                .title("Fix it")
                .state(RunStateValue.QUEUED)
                .prompt("fix it")
                .createdAt(CREATED)
                .updatedAt(CREATED)
                .build());
    assertThat(run.startedAt()).isNull();
    assertThat(run.statusMessage()).isNull();
    assertThat(run.artifacts()).isEmpty();
    assertThat(run.metadata()).isEmpty();
    assertThat(ClientJson.strict(ClientJson.tree(run), RunItem.class)).isEqualTo(run);
  }

  @ParameterizedTest
  @ValueSource(strings = {"run_id", "state"})
  void runWithoutAnIdOrStateIsRejected(String member) throws IOException {
    var json = (ObjectNode) Golden.tree("run-minimal");
    json.remove(member);

    assertThatThrownBy(() -> ClientJson.lenient(json, RunItem.class))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(member.equals("state") ? "state" : "run_id");
  }

  @Test
  public void startTimeOfAnUnstartedRunMayBeNull() throws Exception {
    var json = ((ObjectNode) Golden.tree("run-minimal")).putNull("started_at");

    assertThat(ClientJson.strict(json, RunItem.class).startedAt()).isNull();
  }

  @Test
  public void timesMayHaveAnOffsetAndFractions() throws Exception {
    var json =
        ((ObjectNode) Golden.tree("run-minimal"))
            .put("updated_at", "2026-01-05T10:00:00.123456+01:00");

    assertThat(ClientJson.strict(json, RunItem.class).updatedAt())
        .isEqualTo(Instant.parse("2026-01-05T09:00:00.123456Z"));
  }

  @Test
  public void usageOfAnyShapeIsKept() throws Exception {
    var json = ((ObjectNode) Golden.tree("run-minimal")).put("request_usage", "unlimited");

    assertThat(ClientJson.strict(json, RunItem.class).requestUsage())
        .isEqualTo(new RequestUsage(TextNode.valueOf("unlimited")));
  }

  @Test
  public void stableUsageMembersAreTyped() throws Exception {
    var usage = requireNonNull(Golden.read("run", RunItem.class).requestUsage());

    assertThat(usage.inferenceCost()).isEqualByComparingTo("1.25");
    assertThat(usage.computeCost()).isEqualByComparingTo("0.5");
    assertThat(usage.platformCost()).isEqualByComparingTo("0.25");
    assertThat(usage.inferenceCostUsd()).isEqualByComparingTo("0.02");
    assertThat(usage.computeCostUsd()).isEqualByComparingTo("0.01");
    assertThat(usage.platformCostUsd()).isNull();
    assertThat(usage.totalTokens()).isEqualTo(1204);
    assertThat(usage.modelTokens())
        .containsExactly(new RequestUsage.ModelTokens("fast", 1204, "byok"));
    assertThat(new RequestUsage(TextNode.valueOf("unlimited")).totalTokens()).isNull();
  }

  @Test
  public void runUrlIsAnUntypedMember() throws Exception {
    var json = ((ObjectNode) Golden.tree("run-minimal")).put("run_url", "https://app.example/r1");

    assertThat(ClientJson.strict(json, RunItem.class).more())
        .containsExactly(Map.entry("run_url", TextNode.valueOf("https://app.example/r1")));
  }

  @Test
  public void metadataIsAMapOfTextInItsOrder() throws Exception {
    var metadata = Golden.read("run", RunItem.class).metadata();

    assertThat(new ArrayList<>(metadata.keySet()))
        .containsExactly("ticket_id", "ticket_source", "empty");
    assertThat(metadata).containsEntry("empty", "");
  }

  @Test
  public void aCreationIsAnsweredWithIdStateAndOldTaskId() throws Exception {
    var created = Golden.read("created-run", CreatedRun.class);

    assertThat(created.runId()).isEqualTo("r1");
    assertThat(created.state()).isEqualTo(RunStateValue.QUEUED);
    assertThat(created.taskId()).isEqualTo("r1");
    assertThat(created.atCapacity()).isTrue();
    assertThat(created.more()).containsOnlyKeys("position", "queue");
    assertThat(
            ClientJson.strict(
                    ClientJson.tree("{\"run_id\": \"r1\", \"state\": \"QUEUED\"}"),
                    CreatedRun.class)
                .atCapacity())
        .isNull();
  }

  @Test
  public void runPageHasRunsAndACursor() throws Exception {
    var page = Golden.read("run-page", RunPage.class);

    assertThat(page.runs()).extracting(RunItem::runId).containsExactly("r1");
    assertThat(page.pageInfo())
        .isEqualTo(
            new PageInfo(
                true,
                "b3BhcXVl+/=",
                Map.of("total", Golden.tree("run-page").at("/page_info/total"))));
    assertThat(page.more()).containsEntry("warnings", NullNode.instance);
  }

  @Test
  public void followUpResponseMayHaveAnIdAndAnOutcome() throws Exception {
    var accepted = Golden.read("follow-up-accepted", FollowUpAccepted.class);

    assertThat(accepted.followUpId()).isEqualTo("fu-1");
    assertThat(accepted.outcome()).isEqualTo(FollowUpOutcome.LIVE_SESSION);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"followup_id\": null, \"outcome\": null}"})
  public void followUpResponseMayBeEmpty(String json) throws IOException {
    assertThat(ClientJson.strict(ClientJson.tree(json), FollowUpAccepted.class))
        .isEqualTo(new FollowUpAccepted(null, null, Map.of()));
  }

  @Test
  public void aRunNeedsItsIdAndState() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RunItem.builder().state(RunStateValue.QUEUED).build())
        .withMessageContaining("run_id");
    assertThatNullPointerException()
        .isThrownBy(() -> RunItem.builder().runId("r1").build())
        .withMessageContaining("state");
  }

  @Test
  public void toStringShowsNoUserText() throws Exception {
    assertThat(Golden.read("run", RunItem.class).toString())
        .contains("0b9c1e7a", "FAILED")
        .doesNotContain("login", "Ada");
  }
}
