package dev.runnel.service.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.RunningService;
import dev.runnel.service.isolation.LineReader;
import dev.runnel.service.run.AgentAccess;
import dev.runnel.testkit.TextSink;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What an agent writes for a terminal, in what people see of its run.
@Tag("slow")
class TerminalOutputTest {
  @TempDir Path folder;

  @Test
  void coloursAndControlCharactersAreRemoved() {
    var script =
        """
        printf '::status \\033[1;33mLooking\\033[0m\\n'
        printf '\\033]0;window-name\\007\\033[32mPassed\\033[0m\\ttwo\\n'
        printf 'warn \\033[31mred\\033[0m\\n' >&2
        printf '10%%\\r50%%\\r100%% 👩🏽‍💻\\n'
        exit 3
        """;
    try (var service = RunningService.withCommand(folder, script)) {
      var id = service.create("Go");
      var run = service.awaitState(id, "FAILED");

      assertThat(service.message(id)).contains("warn red");
      assertThat(service.transcript(id)).isEqualTo("::status Looking\nPassed\ttwo\n100% 👩🏽‍💻\n");
      assertThat(run + service.service.transcript(id, 0).toString())
          .contains("text=Looking", "text=warn red")
          .doesNotContain("\u001B", "\\u001B", "\r", "window-name", "50%");
    }
  }

  @Test
  void coloursInsideJsonAreRemoved() throws IOException {
    var agent = folder.resolve("bin/claude");
    Files.createDirectories(agent.getParent());
    Files.writeString(
        agent,
        """
        #!/bin/sh
        head -n 1 >/dev/null
        printf '%s\\n' '{"type":"user","message":{"content":[{"type":"tool_result","content":"\\u001b[32mok\\u001b[0m\\r\\n1%\\r2%"}]}}'
        printf '%s\\n' '{"type":"result","result":"\\u001b[1mDone\\u001b[0m \\u202etxt"}'
        """);
    assertThat(agent.toFile().setExecutable(true)).isTrue();
    var environment =
        Map.of("PATH", agent.getParent() + ":" + System.getenv("PATH"), "HOME", folder.toString());
    try (var service =
        RunningService.inOnlyThisEnvironment(folder, environment, AgentAccess.FULL)) {
      var id = service.create("Go");
      service.awaitState(id, "SUCCEEDED");

      assertThat(service.message(id)).isEqualTo("Done txt");
      assertThat(service.service.transcript(id, 0).toString()).contains("text=ok,", "text=2%,");
    }
  }

  @Test
  void tooLongOverwrittenLineKeepsItsLastText() throws Exception {
    var progress = new StringBuilder();
    for (var percent = 0; percent <= 9_999; percent++) {
      progress.append("%07d done\r".formatted(percent));
    }
    var bytes = (progress + "finished\r\nnext\n").getBytes(StandardCharsets.UTF_8);

    var lines = TextSink.lines(new ByteArrayInputStream(bytes), LineReader.MAX);

    assertThat(lines).hasSize(2).endsWith("next");
    assertThat(lines.getFirst()).endsWith("0009999 done\rfinished");
  }
}
