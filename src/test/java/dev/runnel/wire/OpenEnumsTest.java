package dev.runnel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.runnel.client.ClientJson;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The enumerations that grow: each value has its exact name, and values of later versions are
/// kept.
public class OpenEnumsTest {
  @Test
  public void runStatesAreTheNinePublishedOnes() throws Exception {
    hasExactly(
        RunStateValue.class,
        "QUEUED",
        "PENDING",
        "CLAIMED",
        "INPROGRESS",
        "BLOCKED",
        "SUCCEEDED",
        "FAILED",
        "ERROR",
        "CANCELLED");
  }

  @Test
  public void endedStatesAreTheFourFinalOnes() throws Exception {
    assertThat(values(RunStateValue.class).stream().filter(RunStateValue::isEnded))
        .extracting(RunStateValue::value)
        .containsExactly("SUCCEEDED", "FAILED", "ERROR", "CANCELLED");
  }

  @Test
  public void statesUnderWayAreTheFourActiveOnes() throws Exception {
    assertThat(values(RunStateValue.class).stream().filter(RunStateValue::isUnderWay))
        .extracting(RunStateValue::value)
        .containsExactly("QUEUED", "PENDING", "CLAIMED", "INPROGRESS");
  }

  @ParameterizedTest
  @ValueSource(strings = {"BLOCKED", "DREAMING", "IN_PROGRESS", "queued", ""})
  public void blockedOrUnknownStateIsNeitherEndedNorActive(String state) {
    assertThat(new RunStateValue(state).isEnded()).isFalse();
    assertThat(new RunStateValue(state).isUnderWay()).isFalse();
  }

  @Test
  public void runSourcesAreTheTwentyTwoPublishedOnes() throws Exception {
    hasExactly(
        RunSource.class,
        "LINEAR",
        "API",
        "SLACK",
        "LOCAL",
        "SCHEDULED_AGENT",
        "WEB_APP",
        "GITHUB_ACTION",
        "CLOUD_MODE",
        "CLI",
        "JIRA",
        "SELF_IMPROVEMENT",
        "GITHUB_WEBHOOK",
        "GITLAB_WEBHOOK",
        "AUTOFIX",
        "RUN_SCORER",
        "ORCHESTRATION",
        "TEAMS",
        "AZURE_DEVOPS_WEBHOOK",
        "BENCHMARK_TRIAL",
        "CREATE_BENCHMARK_TASK",
        "CUSTOM_WEBHOOK",
        "MCP");
  }

  @Test
  public void errorCodesAreTheOnesPublished() throws Exception {
    hasExactly(
        ErrorCode.class,
        "invalid_request",
        "integration_not_configured",
        "authentication_required",
        "external_authentication_required",
        "not_authorized",
        "insufficient_credits",
        "budget_exceeded",
        "feature_not_available",
        "integration_disabled",
        "content_policy_violation",
        "resource_not_found",
        "conflict",
        "operation_not_supported",
        "environment_setup_failed",
        "resource_unavailable",
        "internal_error",
        "infrastructure_timeout",
        "agent_process_failed",
        "agent_stream_network_error",
        "agent_stream_failure");
  }

  @Test
  public void finalErrorCodesAreTheThreeThatMustNotBeRetried() throws Exception {
    assertThat(values(ErrorCode.class).stream().filter(ErrorCode::isFinal))
        .extracting(ErrorCode::value)
        .containsExactly(
            "environment_setup_failed", "infrastructure_timeout", "agent_process_failed");
  }

  @Test
  public void artifactsAreOfFiveTypes() throws Exception {
    hasExactly(
        ArtifactType.class, "PLAN", "PULL_REQUEST", "SCREENSHOT", "FILE", "EXTERNAL_REFERENCE");
  }

  @Test
  public void pullRequestsHaveFiveStatuses() throws Exception {
    hasExactly(PullRequestStatus.class, "open", "draft", "merged", "closed", "unknown");
  }

  @Test
  public void followUpsHaveFourOutcomes() throws Exception {
    hasExactly(
        FollowUpOutcome.class,
        "queued_prompt",
        "live_session",
        "handoff_execution",
        "queue_pending");
  }

  @Test
  public void runsHaveThreeModes() throws Exception {
    hasExactly(RunMode.class, "normal", "plan", "orchestrate");
  }

  @Test
  public void runsAreHereOrElsewhere() throws Exception {
    hasExactly(ExecutionLocation.class, "LOCAL", "REMOTE");
  }

  @Test
  public void harnessTypesAreTheFourPublishedOnes() throws Exception {
    hasExactly(HarnessType.class, "oz", "claude", "gemini", "codex");
  }

  @Test
  public void sessionsAreSharedInTwoWays() throws Exception {
    hasExactly(PublicAccess.class, "VIEWER", "EDITOR");
  }

  @Test
  public void credentialStrategiesAreCreatorAndExecutor() throws Exception {
    hasExactly(CredentialStrategy.class, "CREATOR", "EXECUTOR");
  }

  @Test
  public void messagesHaveFourRoles() throws Exception {
    hasExactly(MessageRole.class, "user", "assistant", "tool", "system");
  }

  @Test
  public void timelinesHaveElevenTypesOfEvents() throws Exception {
    hasExactly(
        TimelineEventType.class,
        "oz_run_created",
        "oz_run_claimed",
        "worker_container_ready",
        "shared_session_started",
        "agent_started",
        "oz_run_done",
        "oz_run_blocked",
        "oz_run_cancelled",
        "oz_run_failed",
        "oz_run_errored",
        "vm_shutdown");
  }

  @Test
  public void modelsHaveThreeProvidersOrAnUnknownOne() throws Exception {
    hasExactly(ModelProvider.class, "OPENAI", "ANTHROPIC", "GOOGLE", "UNKNOWN");
  }

  @Test
  public void actionsHaveEightCategoriesAndFourStates() throws Exception {
    hasExactly(
        ActionCategory.class,
        "command",
        "files",
        "search",
        "integration",
        "documents",
        "computer",
        "review",
        "skill");
    hasExactly(ActionState.class, "running", "completed", "failed", "denied");
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        TimelineEventType.class,
        ModelProvider.class,
        ActionCategory.class,
        ActionState.class,
        RunStateValue.class,
        RunSource.class,
        ErrorCode.class,
        ArtifactType.class,
        PullRequestStatus.class,
        FollowUpOutcome.class,
        RunMode.class,
        ExecutionLocation.class,
        HarnessType.class,
        PublicAccess.class,
        CredentialStrategy.class,
        MessageRole.class
      })
  public void aValueOfALaterVersionIsKept(Class<?> type) throws Exception {
    var later = ClientJson.strict(TextNode.valueOf("Of next-year"), type);

    assertThat(later).hasToString("Of next-year");
    assertThat(ClientJson.tree(later)).isEqualTo(TextNode.valueOf("Of next-year"));
  }

  /// In their order.
  private static void hasExactly(Class<?> type, String... names) throws Exception {
    var written = new ArrayList<String>();
    for (var value : values(type)) {
      written.add(ClientJson.tree(value).textValue());
      assertThat(value).hasToString(ClientJson.tree(value).textValue());
      assertThat(ClientJson.strict(ClientJson.tree(value), type)).isEqualTo(value);
    }
    assertThat(written).containsExactly(names);
    for (var field : type.getDeclaredFields()) {
      if (isValue(field.getModifiers()) && field.getType().equals(type)) {
        assertThat(field.get(null)).asString().isEqualToIgnoringCase(field.getName());
      }
    }
  }

  private static <T> List<T> values(Class<T> type) throws Exception {
    var values = new ArrayList<T>();
    for (var field : type.getDeclaredFields()) {
      if (isValue(field.getModifiers()) && field.getType().equals(type)) {
        values.add(type.cast(field.get(null)));
      }
    }
    return values;
  }

  private static boolean isValue(int modifiers) {
    return Modifier.isStatic(modifiers) && Modifier.isPublic(modifiers);
  }
}
