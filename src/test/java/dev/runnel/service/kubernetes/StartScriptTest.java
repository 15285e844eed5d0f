package dev.runnel.service.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class StartScriptTest {
  private static final String AGENT =
      "trap 'echo bye >&2; touch bye; exit' TERM; touch ready; while :; do sleep 0.05; done";

  private static final List<String> PROGRAM = List.of("sh", "-c", AGENT);

  /// Writes when the shell that started it has ended.
  private static final String OUTLIVING =
      "trap 'until [ -s status ]; do :; done;"
          + " for each in 1 2 3 4 5; do echo $each >&2; sleep 0.1; done; touch bye; exit' TERM;"
          + " touch ready; while :; do sleep 0.05; done";

  @TempDir Path folder;

  /// The process that passes on what the agent writes to standard error is started beside the
  /// agent, and may come to its work later.
  @Test
  void aStopInTheFirstMomentLeavesTheAgentItsTimeToEnd() throws Exception {
    var process = start(PROGRAM, "} | {", "} | {\nsleep 1 & wait $!");
    await().until(() -> Files.exists(folder.resolve("ready")));

    process.toHandle().destroy();

    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(folder.resolve("bye")).exists();
    assertThat(process.inputReader().lines()).isEmpty();
    assertThat(process.errorReader().lines()).contains("> bye");
  }

  /// The process that becomes the agent ignores the request at first.
  @Test
  void aStopBeforeTheAgentBeginsKeepsItFromBeginning() throws Exception {
    var process = start(PROGRAM, "trap - TERM", "touch early\nsleep 1 & wait $!\ntrap - TERM");
    await().until(() -> Files.exists(folder.resolve("early")));

    process.toHandle().destroy();

    try {
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(folder.resolve("ready")).doesNotExist();
      assertThat(process.errorReader().lines()).isEmpty();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void aStopLeavesTheirTimeToProcessesThatOutliveTheProgramAndWriteToStandardError()
      throws Exception {
    var process = start(List.of("sh", "-c", "sh -c \"$0\"; exit", OUTLIVING), "", "");
    await().until(() -> Files.exists(folder.resolve("ready")));

    process.toHandle().destroy();

    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(folder.resolve("bye")).exists();
    assertThat(process.errorReader().lines()).contains("> 1", "> 5");
  }

  /// In a session of its own, since the script passes a request to end on to its whole group.
  private Process start(List<String> program, String part, String instead) throws IOException {
    Files.createFile(folder.resolve(StartScript.ENVIRONMENT));
    Files.createFile(folder.resolve(StartScript.INPUT));
    var command = new ArrayList<>(List.of("setsid"));
    StartScript.command("> ", folder.toString(), program).stream()
        .map(each -> each.replace(StartScript.FOLDER, folder.toString()).replace(part, instead))
        .forEach(command::add);
    return new ProcessBuilder(command).start();
  }
}
