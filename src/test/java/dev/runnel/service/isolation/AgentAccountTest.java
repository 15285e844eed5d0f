package dev.runnel.service.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.runnel.service.workspace.AgentUser;
import dev.runnel.testkit.AgentUsers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentAccountTest {
  private static final Map<String, String> PROGRAMS = Map.of("PATH", System.getenv("PATH"));

  @TempDir Path data;

  @Nested
  class OfARunnelThatRunsAsRoot {
    @BeforeEach
    void isRoot() {
      assumeThat(AgentUsers.isRoot()).isTrue();
    }

    @Test
    void defaultIsANumberWithoutAnAccountThatStaysTheSame() throws IOException {
      var first = AgentAccount.choose("", PROGRAMS, data);

      assertThat(first.uid()).isBetween(61184, 65519).isEqualTo(first.gid());
      assertThat(AgentAccount.choose("", PROGRAMS, data)).isEqualTo(first);
      assertThat(data.resolve("agents-user")).hasContent(Integer.toString(first.uid()));
    }

    @Test
    void defaultOfAnotherDataFolderIsAnotherNumber(@TempDir Path other) {
      assertThat(AgentAccount.choose("", PROGRAMS, data))
          .isNotEqualTo(AgentAccount.choose("", PROGRAMS, other));
    }

    @Test
    void numberThatAProcessHasIsNotChosen(@TempDir Path other) throws Exception {
      var chosen = AgentAccount.choose("", PROGRAMS, other.resolve("not-there"));
      var number = Integer.toString(chosen.uid());
      var process =
          new ProcessBuilder("setpriv", "--reuid", number, "--clear-groups", "cat").start();
      try {
        // Answers once it has changed.
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        process.getInputStream().read();

        assertThat(AgentAccount.choose("", PROGRAMS, other.resolve("not-there")))
            .isNotEqualTo(chosen);
      } finally {
        process.destroyForcibly();
      }
    }

    @Test
    void namedAccountIsUsed() {
      assertThat(AgentAccount.choose("nobody", PROGRAMS, data).uid()).isEqualTo(65534);
      assertThat(AgentAccount.choose("64000", PROGRAMS, data))
          .isEqualTo(new AgentUser(64000, 64000));
    }

    @Test
    void agentsWorkAsRootOnlyIfThatIsWritten() {
      assertThat(AgentAccount.choose("root", PROGRAMS, data)).isEqualTo(new AgentUser(0, 0));
      assertThat(AgentAccount.choose("", PROGRAMS, data).isAnother()).isTrue();
    }

    @Test
    void missingAccountIsRefused() {
      assertThatThrownBy(() -> AgentAccount.choose("no-such-account", PROGRAMS, data))
          .hasMessage(
              "is no-such-account, and there is no such account. Create it, or name another.");
    }

    @Test
    void machineWithoutTheProgramForTheChangeIsRefusedWithTheWaysOut() {
      assertThatThrownBy(() -> AgentAccount.choose("", Map.of("PATH", data.toString()), data))
          .hasMessageContaining("there is no setpriv on the PATH")
          .hasMessageContaining("Install util-linux")
          .hasMessageContaining("set it to root to accept that agents work as root");
    }

    @Test
    void changeThatTheSystemDoesNotPermitIsRefusedWithTheWaysOut() throws IOException {
      var program = Files.writeString(data.resolve("setpriv"), "#!/bin/sh\nexit 1\n");
      assertThat(program.toFile().setExecutable(true)).isTrue();

      assertThatThrownBy(() -> AgentAccount.choose("", Map.of("PATH", data.toString()), data))
          .hasMessageContaining("root may not change to it here")
          .hasMessageContaining("Run Runnel as another user");
    }

    @Test
    void dataFolderLetsTheAccountThroughAndNothingMore() throws Exception {
      var user = AgentAccount.choose("", PROGRAMS, data);
      // The folder of the test itself is closed to others.
      AgentUsers.any().admit(data);

      AgentAccount.admit(user, PROGRAMS, data);

      assertThat(Files.getAttribute(data, "unix:gid")).isEqualTo(user.gid());
      assertThat(Files.getPosixFilePermissions(data))
          .extracting(Enum::name)
          .containsExactlyInAnyOrder("OWNER_READ", "OWNER_WRITE", "OWNER_EXECUTE", "GROUP_EXECUTE");
    }

    @Test
    void dataFolderOfAnotherAccountStaysAsItIs() throws IOException {
      Files.setAttribute(data, "unix:uid", 64_500);

      var user = AgentAccount.choose("", PROGRAMS, data);

      assertThat(data).isEmptyDirectory();
      assertThatThrownBy(() -> AgentAccount.admit(user, PROGRAMS, data))
          .hasMessageContaining("cannot enter the data folder");
      assertThat(Files.getAttribute(data, "unix:gid")).isEqualTo(0);
    }

    @Test
    void dataFolderBelowAClosedFolderIsRefusedWithTheWaysOut() throws IOException {
      var below = Files.createDirectory(data.resolve("data"));
      var user = AgentAccount.choose("", PROGRAMS, below);

      for (var each : List.of(below, data.resolve("not/there"))) {
        assertThatThrownBy(() -> AgentAccount.admit(user, PROGRAMS, each))
            .hasMessageContaining("cannot enter the data folder " + each)
            .hasMessageContaining("move the data folder with RUNNEL_DATA");
      }
    }
  }

  @Nested
  class OfARunnelThatDoesNotRunAsRoot {
    @BeforeEach
    void isNotRoot() {
      assumeThat(AgentUsers.isRoot()).isFalse();
    }

    @Test
    void agentsHaveItsAccount() {
      assertThat(AgentAccount.choose("", PROGRAMS, data)).isEqualTo(AgentUser.SAME);
      assertThat(AgentAccount.choose(AgentUsers.own(), PROGRAMS, data)).isEqualTo(AgentUser.SAME);
    }

    @Test
    void otherAccountIsRefused() {
      assertThatThrownBy(() -> AgentAccount.choose("root", PROGRAMS, data))
          .hasMessageContaining("only root can start agents as another account");
    }
  }
}
