package dev.runnel.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.text.PlanReply;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A run that makes a plan first, and what a reply to the plan does.
@Tag("slow")
class PlanRunTest {
  private static final String AGENT =
      """
      prompt=$(cat)
      case "$prompt" in
        *"Do not change anything yet"*) echo "1. look into it, execution $RUNNEL_EXECUTION" ;;
        *) echo "carried out" ;;
      esac
      """;

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"Approve", "yes", "Go ahead!", "LGTM"})
  void approvalExecutesThePlan(String yes) {
    assertThat(afterReply(yes, "SUCCEEDED")).isEqualTo("carried out");
  }

  @ParameterizedTest
  @ValueSource(strings = {"use Postgres instead", "yes, but without the tests", "why step 1?"})
  void replyThatIsNotAnApprovalCreatesANewPlan(String change) {
    assertThat(afterReply(change, "BLOCKED"))
        .startsWith("1. look into it, execution 2")
        .endsWith(PlanReply.QUESTION);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Decline", "No thanks."})
  void declineEndsTheRunWithoutAnotherExecution(String no) {
    assertThat(afterReply(no, "CANCELLED")).isEqualTo("The plan was declined.");
  }

  @Test
  void anApprovedPlanIsNotPlannedAgain() {
    try (var service = RunningService.withCommand(folder, AGENT)) {
      var id = planned(service);
      reply(service, id, "approve");
      service.awaitState(id, "SUCCEEDED");

      reply(service, id, "and now the docs");
      service.awaitState(id, "SUCCEEDED");
      assertThat(service.message(id)).isEqualTo("carried out");
    }
  }

  private String afterReply(String words, String state) {
    try (var service = RunningService.withCommand(folder, AGENT)) {
      var id = planned(service);
      reply(service, id, words);
      service.awaitState(id, state);
      return service.message(id);
    }
  }

  private static String planned(RunningService service) {
    var id =
        service.create(
            RunningService.JSON.createObjectNode().put("prompt", "x").put("mode", "plan"));
    service.awaitState(id, "BLOCKED");
    return id;
  }

  private static void reply(RunningService service, String id, String words) {
    service.ok(service.post("/agent/runs/" + id + "/followups", "{\"message\":\"" + words + "\"}"));
  }
}
