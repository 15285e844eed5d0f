package dev.runnel.service;

import static dev.runnel.service.Probes.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.run.limit.Limits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/// Section 2.8 of the interface, and what 2.13 says of runs: how they end, and that no end is
/// final. An agent may work for a second here.
@Tag("slow")
@DisplayNameGeneration(Row.Names.class)
class StateRowsTest {
  private static final String COMMAND =
      """
      read -r line
      [ "$RUNNEL_EXECUTION" = 1 ] || { echo again; exit 0; }
      case "$line" in
        fail*) echo 'no disk' >&2; exit 3;;
        miss*) exit 127;;
        wait*) sleep 300;;
        ask*) echo '::blocked Which branch?';;
        *) echo done;;
      esac
      """;

  @TempDir static Path folder;
  private static RunningService service;
  private static String late;

  @BeforeAll
  static void start() {
    var usual = Limits.DEFAULT;
    var limits =
        new Limits(
            usual.start(),
            usual.idle(),
            Duration.ofSeconds(1),
            usual.outputBytes(),
            usual.diskBytes(),
            usual.keep(),
            usual.keepBytes(),
            Duration.ZERO);
    service = RunningService.with(folder, COMMAND, 4, Setup.USUAL.with(limits));
    late = service.create("wait");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Row("2.8 nine states")
  void aListKnowsAllNineStates() {
    for (var state :
        List.of(
            "QUEUED",
            "PENDING",
            "CLAIMED",
            "INPROGRESS",
            "BLOCKED",
            "SUCCEEDED",
            "FAILED",
            "ERROR",
            "CANCELLED")) {
      assertThat(service.get("/agent/runs?state=" + state).statusCode()).as(state).isEqualTo(200);
    }
    for (var wrong : List.of("IN_PROGRESS", "RUNNING", "CANCELED", "DONE")) {
      assertInvalid(service.get("/agent/runs?state=" + wrong));
    }
  }

  @Row("2.8 over")
  void whatIsOverCannotBeCancelledAndGoesOnWhenSomethingIsSaid() {
    var cancelled = service.create("wait");
    service.awaitState(cancelled, "INPROGRESS");
    service.cancel(cancelled);
    service.awaitState(late, "ERROR");
    var over =
        List.of(
            id(ended("x", "SUCCEEDED")),
            id(ended("fail", "FAILED")),
            late,
            id(service.awaitState(cancelled, "CANCELLED")));
    for (var id : over) {
      assertInvalid(service.cancel(id));
      assertThat(service.followUp(id, "more").get("outcome").asText())
          .isEqualTo("handoff_execution");
    }
    for (var id : over) {
      assertThat(service.awaitState(id, "SUCCEEDED").at("/status_message/message").asText())
          .isEqualTo("again");
    }
  }

  @Row("2.8 under way")
  void whatIsUnderWayCanBeCancelled(@TempDir Path other) {
    try (var full = RunningService.withCommand(other, "exec sleep 300", 1)) {
      var working = full.create("x");
      full.awaitState(working, "INPROGRESS");
      var queued = full.create("y");
      assertThat(full.state(queued)).isEqualTo("QUEUED");

      for (var id : List.of(queued, working)) {
        assertThat(full.cancel(id).statusCode()).isEqualTo(200);
        assertThat(full.state(id)).isEqualTo("CANCELLED");
      }
    }
  }

  @Row("2.8 BLOCKED")
  void whatWaitsForAnAnswerCannotBeCancelledAndGoesOnWithIt() {
    var run = ended("ask", "BLOCKED");

    assertThat(run.at("/status_message/message").asText()).isEqualTo("Which branch?");
    assertThat(run.get("status_message").has("error_code")).isFalse();
    assertInvalid(service.cancel(id(run)));
    service.followUp(id(run), "main");
    assertThat(service.awaitState(id(run), "SUCCEEDED").at("/status_message/message").asText())
        .isEqualTo("again");
  }

  @Row("2.13 final failures")
  void failuresThatStayAreSaidToStay() {
    assertThat(failure(ended("miss", "FAILED"))).isEqualTo("environment_setup_failed false");
    assertThat(failure(ended("fail", "FAILED"))).isEqualTo(" false");
    assertThat(failure(ended("wait", "ERROR"))).isEqualTo("infrastructure_timeout false");
  }

  private static String failure(JsonNode run) {
    return run.at("/status_message/error_code").asText()
        + " "
        + run.at("/status_message/retryable").booleanValue();
  }

  private static String id(JsonNode run) {
    return run.get("run_id").asText();
  }

  private static JsonNode ended(String prompt, String state) {
    return service.awaitState(service.create(prompt), state);
  }
}
