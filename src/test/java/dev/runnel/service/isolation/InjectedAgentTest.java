package dev.runnel.service.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.runnel.testkit.Bubblewrapped;
import dev.runnel.testkit.ContainerRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class InjectedAgentTest {
  @Nested
  class InBubblewrap implements InjectedAgentContract.OnThisMachine {
    @BeforeEach
    void works() {
      Bubblewrapped.require();
    }

    @Override
    public Isolation isolation(Machine machine, Path folder) {
      return Isolations.choose("bubblewrap", machine);
    }

    /// Not every image has this program.
    @Test
    void agentThatAllocatesDiskSpaceBeyondItsFileSizesIsStopped(@TempDir Path folder)
        throws IOException {
      try (var stage = InjectedAgentContract.Stage.open(folder, this)) {
        InjectedAgentContract.assertFillsTheDisk(
            stage, "touch big; fallocate --keep-size --length 50M big");
      }
    }

    @Test
    void agentSharesNoNamespaceWithRunnel(@TempDir Path folder) throws IOException {
      var kinds = List.of("user", "pid", "ipc", "uts", "cgroup", "mnt", "net");
      var outside = new ArrayList<String>();
      for (var kind : kinds) {
        outside.add(Files.readSymbolicLink(Path.of("/proc/self/ns", kind)).toString());
      }
      try (var stage = InjectedAgentContract.Stage.open(folder, this)) {
        var inside = stage.obey("cd /proc/self/ns; readlink %s".formatted(String.join(" ", kinds)));

        assertThat(inside.lines()).hasSameSizeAs(kinds).doesNotContainAnyElementsOf(outside);
      }
    }

    /// It is 0 if the session began outside. A process in the session of a terminal could type
    /// there.
    @Test
    void agentRunsInItsOwnProcessSession(@TempDir Path folder) throws IOException {
      try (var stage = InjectedAgentContract.Stage.open(folder, this)) {
        assertThat(stage.obey("cut -d ' ' -f 6 /proc/self/stat")).matches("[1-9][0-9]*\n");
      }
    }

    /// Asks the kernel for the numbers of its keyrings: of its session, and of its account. A list
    /// shows only those of accounts that the namespace knows.
    @Test
    void agentSharesNoKernelKeysWithOtherRuns(@TempDir Path folder) throws IOException {
      assumeThat(Path.of("/usr/bin/perl")).exists();
      var keyctl = System.getProperty("os.arch").equals("amd64") ? 250 : 219;
      var ask = "perl -e 'print syscall(%d, 0, $_, 1), qq(\\n) for (-3, -4)'".formatted(keyctl);
      try (var stage = InjectedAgentContract.Stage.open(folder, this)) {
        var one = stage.obey(ask).lines().toList();
        var other = stage.obey(ask).lines().toList();

        assertThat(one).hasSize(2).doesNotContain("-1").doesNotContainAnyElementsOf(other);
      }
    }
  }

  @Nested
  class InAContainer implements InjectedAgentContract.OnThisMachine {
    @Override
    public Isolation isolation(Machine machine, Path folder) throws IOException {
      return new Container(ContainerRuntime.install(folder.resolve("bin")), machine);
    }

    @Test
    void agentCannotExceedItsProcessLimit(@TempDir Path folder) throws IOException {
      try (var stage = InjectedAgentContract.Stage.open(folder, this)) {
        var said = stage.obey("i=0; while [ $i -lt 600 ]; do sleep 30 & i=$((i+1)); echo $i; done");

        assertThat(said).contains("200\n").doesNotContain("400\n");
        assertThat(stage.obey("echo fine")).isEqualTo("fine\n");
      }
    }
  }
}
