package dev.runnel.service.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.workspace.PermissionRules;
import dev.runnel.testkit.FakeModel;
import dev.runnel.testkit.RealAgents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The real Claude Code asks before it makes a call that a permission rule names.
@Tag("slow")
class RealPermissionTest {
  private static final PermissionRules RULES = new PermissionRules(List.of("Bash(echo touched:*)"));

  @TempDir Path folder;
  @AutoClose private FakeModel model;
  private Map<String, String> environment;

  @BeforeEach
  void prepare() throws IOException {
    var path = RealAgents.path();
    model = FakeModel.start();
    var agent = RealAgent.claude(model);
    var home = Files.createDirectory(folder.resolve("home"));
    agent.settleIn(home);
    environment = new HashMap<>(agent.environment());
    environment.put("HOME", home.toString());
    environment.put("PATH", path + ":" + System.getenv("PATH"));
    environment.put("LANG", "C.UTF-8");
  }

  @Test
  void oneTimePermissionWorksAfterARestartAndTheNextCallAsksAgain() throws IOException {
    String id;
    try (var service = open()) {
      id = service.create("Please touch the file");
      awaitRequest(service, id, 1);

      assertThat(service.message(id)).contains(FakeModel.USUAL_COMMAND);
      assertThat(touched(id)).doesNotExist();
    }
    try (var service = open()) {
      service.followUp(id, "Allow once");
      awaitEnd(service, id);

      assertThat(touched(id)).hasContent("touched");
      service.followUp(id, "And once more");
      awaitRequest(service, id, 2);
      assertThat(touched(id)).hasContent("touched");
      service.followUp(id, "Allow for this run");
      awaitEnd(service, id);
      service.followUp(id, "And again");
      awaitEnd(service, id);
      assertThat(touched(id)).hasContent("touched\ntouched\ntouched");
    }
  }

  @Test
  void declinedCallIsNotMadeAndTheAgentGetsTheReason() throws IOException {
    try (var service = open()) {
      var id = service.create("Please touch the file");
      awaitRequest(service, id, 1);
      service.followUp(id, "Decline");
      // The model does not listen.
      awaitRequest(service, id, 2);
      assertThat(String.join("\n", model.asked().getLast().texts()))
          .contains("It is declined: do not make this call");

      service.followUp(id, "Leave it alone\nsh: true");
      awaitEnd(service, id);

      assertThat(String.join("\n", model.asked().getLast().texts())).contains("Leave it alone");
      assertThat(touched(id)).doesNotExist();
    }
  }

  private RunningService open() {
    return RunningService.inOnlyThisEnvironment(
        folder, Optional.empty(), environment, Setup.USUAL.with(RULES));
  }

  private static void awaitRequest(RunningService service, String id, int number) {
    await()
        .atMost(Duration.ofSeconds(90))
        .untilAsserted(
            () -> assertThat(service.message(id)).contains("(request %d of".formatted(number)));
    assertThat(service.state(id)).isEqualTo("BLOCKED");
  }

  private static void awaitEnd(RunningService service, String id) {
    await()
        .atMost(Duration.ofSeconds(90))
        .untilAsserted(
            () -> assertThat(service.state(id)).as(service.message(id)).isEqualTo("SUCCEEDED"));
  }

  private Path touched(String id) {
    return folder.resolve("workspaces").resolve(id).resolve("touched.txt");
  }
}
