package dev.runnel.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.run.Limits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two nodes that share the runs, with real processes.
@Tag("slow")
@OnPostgres
class NodesAtWorkTest {
  @TempDir Path folder;
  private Path here;
  private Path there;

  @BeforeEach
  void share() throws Exception {
    here = Files.createDirectory(folder.resolve("here"));
    there = Files.createDirectory(folder.resolve("there"));
    RunningService.share(here, there);
  }

  @Test
  void aStopAtOneNodeReachesTheAgentOfAnotherThatIsStopping() throws Exception {
    var waiting = Setup.USUAL.with(draining(Duration.ofSeconds(30)));
    try (var first = RunningService.with(here, "touch ready; sleep 300", 1, waiting)) {
      var id = first.create("x");
      RunningService.awaitFile(here.resolve("workspaces/" + id + "/ready"));
      try (var second = RunningService.withCommand(there, "cat")) {
        var stopping = Thread.ofVirtual().start(first.service::close);
        assertThat(stopping.join(Duration.ofSeconds(1))).isFalse();

        second.cancel(id);

        assertThat(second.state(id)).isEqualTo("CANCELLED");
        assertThat(stopping.join(Duration.ofSeconds(10))).isTrue();
      }
    }
  }

  private static Limits draining(Duration time) {
    var usual = Limits.USUAL;
    return new Limits(
        usual.start(),
        usual.idle(),
        usual.total(),
        usual.outputBytes(),
        usual.diskBytes(),
        usual.keep(),
        usual.keepBytes(),
        time);
  }
}
