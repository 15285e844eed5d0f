package dev.runnel.service.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.runnel.service.egress.EgressProxy;
import dev.runnel.text.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExecutionNetworkTest {
  @TempDir Path folder;

  /// Where the path of the workspaces is long, sockets are in `/tmp`, where any account can put a
  /// link of the same name.
  @Test
  void cleanupOfSocketsDoesNotFollowAForeignLink() throws IOException {
    var precious = Files.writeString(folder.resolve("precious"), "x");
    var workspaces = folder.resolve("long".repeat(25)).resolve("workspaces");
    var sockets = workspaces.toAbsolutePath().normalize().resolveSibling("egress");
    var link = Path.of("/tmp", "runnel-" + Sha256.hex(sockets.toString()).substring(0, 16));
    Files.createSymbolicLink(link, folder);
    try {
      ExecutionNetwork.deleteStaleSockets(workspaces);
    } finally {
      Files.delete(link);
    }

    assertThat(precious).exists();
  }

  @Test
  void socketsAreInAFolderOfThisUserOnly() throws IOException {
    var own = folder.resolve("egress");
    ExecutionNetwork.createPrivately(own);
    ExecutionNetwork.createPrivately(own);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
        .isEqualTo("rwx------");

    var link = Files.createSymbolicLink(folder.resolve("link"), own);
    assertThatThrownBy(() -> ExecutionNetwork.createPrivately(link))
        .hasMessageContaining("must belong to this user only");
    Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwx---"));
    assertThatThrownBy(() -> ExecutionNetwork.createPrivately(own))
        .hasMessageContaining("must belong to this user only");
  }

  /// Only root can give a folder to another account.
  @Test
  void aFolderOfAnotherAccountIsNeitherUsedNorEmptied() throws IOException {
    assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).isEqualTo(0);
    var foreign = folder.resolve("egress");
    ExecutionNetwork.createPrivately(foreign);
    var precious = Files.writeString(foreign.resolve("precious"), "x");
    Files.setAttribute(foreign, "unix:uid", 65_534);

    assertThatThrownBy(() -> ExecutionNetwork.createPrivately(foreign))
        .hasMessageContaining("must belong to this user only");
    ExecutionNetwork.deleteStaleSockets(folder.resolve("workspaces"));
    assertThat(precious).exists();
  }

  @Test
  void manyRequestedHostsDoNotHideTheReachedOnes() throws IOException {
    var asked = new ConcurrentLinkedQueue<EgressProxy.Request>();
    for (int i = 0; i < EgressProxy.MAX_REPORTED; i++) {
      asked.add(new EgressProxy.Request("h%03d.example".formatted(i), 443, true));
    }
    try (var network =
        new ExecutionNetwork(
            Optional.empty(), Optional.empty(), List.of(), ModelKeys.NONE, asked)) {
      assertThat(network.notes().getFirst()).contains("h000.example:443, ", "h199.example:443.");
      assertThat(network.notes().getLast())
          .isEqualTo(
              "Network: only the first 200 hosts are listed. The agent may have reached others.");
    }
  }
}
