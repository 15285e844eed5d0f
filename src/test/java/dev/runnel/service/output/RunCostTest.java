package dev.runnel.service.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.run.limit.CostLimit;
import dev.runnel.service.run.limit.Limits;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs that may cost a dollar, of a script that prints what opencode prints.
@Tag("slow")
class RunCostTest {
  private static final String STOPS = "stop";
  private static final String GOES_ON = "tool-calls";

  private static final String HINT =
      " Replies cannot continue it. `retry` starts a new run, which may cost as much again; your"
          + " Runnel admin can raise `agents.limits.money`.";

  @TempDir Path folder;

  @Test
  void anAgentIsStoppedWhenItReportsThatItHasCostTooMuch() throws IOException {
    try (var service = service(step("0.75", GOES_ON) + step("0.50", GOES_ON) + "sleep 300")) {
      var run = service.awaitState(service.create("x"), "FAILED");

      assertThat(message(run))
          .isEqualTo(
              "The agent was stopped: its run has cost $1.25, and one run may cost $1.00." + HINT);
    }
  }

  @Test
  void costLimitCountsAllExecutionsOfARun() throws IOException {
    try (var service = service(step("0.60", STOPS))) {
      var id = service.create("x");
      service.awaitState(id, "SUCCEEDED");
      service.followUp(id, "go on");
      service.awaitState(id, "SUCCEEDED");
      service.followUp(id, "go on");

      assertThat(message(service.awaitState(id, "FAILED")))
          .isEqualTo(
              "The agent was not started: its run has cost $1.20, and one run may cost $1.00."
                  + HINT);
    }
  }

  @Test
  void anAgentThatHasFinishedIsNotStopped() throws IOException {
    try (var service = service(step("1.50", STOPS) + "sleep 6")) {
      assertThat(
              service.awaitState(service.create("x"), "SUCCEEDED").at("/request_usage").toString())
          .contains("1.5");
    }
  }

  @Test
  void anAgentThatOnlySaysThatItHasFinishedIsStoppedNevertheless() throws IOException {
    try (var service = service(step("1.50", STOPS) + "sleep 300")) {
      assertThat(message(service.awaitState(service.create("x"), "FAILED")))
          .startsWith("The agent was stopped: its run has cost $1.50");
    }
  }

  private RunningService service(String script) throws IOException {
    var programs = Files.createDirectories(folder.resolve("programs"));
    var program = programs.resolve("opencode");
    Files.writeString(program, "#!/bin/sh\ncat > /dev/null\n" + script + "\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    var limit = new CostLimit(Optional.of(BigDecimal.ONE));
    return RunningService.inOnlyThisEnvironment(
        folder,
        Optional.empty(),
        Map.of("PATH", programs + ":/usr/bin:/bin", "HOME", folder.toString()),
        Setup.USUAL.with(Limits.DEFAULT.with(limit)));
  }

  private static String step(String cost, String reason) {
    return """
    cat <<END
    {"type":"step_finish","part":{"reason":"%s","cost":%s,"tokens":{"input":10,"output":5}}}
    END
    """
        .formatted(reason, cost);
  }

  private static String message(JsonNode run) {
    return run.at("/status_message/message").asText();
  }
}
