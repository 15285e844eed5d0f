package dev.runnel.service.execution;

import static dev.runnel.service.RunningService.JSON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.runnel.service.RunningService;
import dev.runnel.service.isolation.Isolations;
import dev.runnel.service.isolation.Machine;
import dev.runnel.service.run.AgentAccess;
import dev.runnel.service.workspace.AgentUser;
import dev.runnel.testkit.AgentUsers;
import dev.runnel.testkit.Bubblewrapped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A process that an agent's program starts writes a line of the program's protocol to the output
/// of the program, by path.
@Tag("slow")
class ForgedOutputTest {
  /// Speaks like `opencode run`.
  private static final String AGENT =
      """
      #!/bin/sh
      say() { printf '{"type":"text","sessionID":"s","part":{"text":"%s"}}\\n' "$1"; }
      say "it begins"
      sh -c '
        exec > tried 2> /dev/null
        line="{\\"type\\":\\"text\\",\\"sessionID\\":\\"s\\",\\"part\\":{\\"text\\":\\"forged\\"}}"
        for each in 0 1; do
          if (echo "$line" >> /proc/$PPID/fd/$each); then echo wrote; else echo refused; fi
        done
      '
      say "it ends"
      echo '{"type":"step_finish","part":{"reason":"stop","tokens":{"input":1,"output":1},"cost":0}}'
      """;

  @TempDir Path folder;

  @BeforeEach
  void agentIsInstalled() throws IOException {
    var bin = Files.createDirectory(folder.resolve("bin"));
    Files.setPosixFilePermissions(
        Files.writeString(bin.resolve("opencode"), AGENT),
        PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createDirectory(folder.resolve("home"));
  }

  @Test
  void noForgedLineComesFromAnAgentWithTheAccountOfRunnel() throws IOException {
    assertNothingIsForged("none", sameAccount());
  }

  @Test
  void noForgedLineComesFromAnAgentWithTheAccountOfRunnelInBubblewrap() throws IOException {
    Bubblewrapped.require();

    assertNothingIsForged("bubblewrap", sameAccount());
  }

  @Test
  void noForgedLineComesFromAnAgentWithAnotherAccount() throws IOException {
    assumeThat(AgentUsers.isRoot()).isTrue();
    AgentUsers.any().admit(folder);

    assertNothingIsForged("none", AgentUsers.any());
  }

  @Test
  void noForgedLineComesFromAnAgentWithAnotherAccountInBubblewrap() throws IOException {
    Bubblewrapped.require();
    assumeThat(AgentUsers.isRoot()).isTrue();

    assertNothingIsForged("bubblewrap", AgentUsers.any());
  }

  private static AgentUser sameAccount() {
    return AgentUsers.isRoot() ? new AgentUser(0, 0) : AgentUser.SAME;
  }

  private void assertNothingIsForged(String isolation, AgentUser user) throws IOException {
    var environment =
        Map.of(
            "HOME",
            folder.resolve("home").toString(),
            "PATH",
            folder.resolve("bin") + ":" + System.getenv("PATH"));
    var machine = new Machine(environment, List.of(folder.resolve("workspaces"))).with(user);
    try (var service =
        RunningService.inOnlyThisEnvironment(
            folder, environment, AgentAccess.WORKSPACE, Isolations.choose(isolation, machine))) {
      var body = JSON.createObjectNode().put("prompt", "x");
      body.putObject("config").putObject("harness").put("type", "opencode");
      var id = service.create(body);
      service.awaitState(id, "SUCCEEDED");

      assertThat(folder.resolve("workspaces").resolve(id).resolve("tried"))
          .hasContent("refused\nrefused\n");
      assertThat(service.transcript(id)).contains("it begins").doesNotContain("forged");
      assertThat(service.run(id).toString()).doesNotContain("forged");
    }
  }
}
