package dev.runnel.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.testkit.Emulators;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The official clients of the Model Context Protocol, as npm has them, with this service.
@Tag("slow")
class McpClientsTest {
  private static final String AGENT =
      """
      read -r line
      case "$line" in
        ASK*) echo "::blocked ${line#ASK }";;
        SLOW) sleep 300;;
        *) echo "heard: $line";;
      esac
      """;

  @Test
  void mcpClientsWorkInBothVersionsOfTheProtocol(@TempDir Path folder) throws Exception {
    Emulators.program("@modelcontextprotocol/client");
    try (var service = RunningService.withCommand(folder, AGENT)) {
      var process =
          new ProcessBuilder(
                  "node", "mcp-clients.mjs", service.uri("/mcp").toString(), RunningService.KEY)
              .directory(Emulators.folder().toFile())
              .redirectErrorStream(true)
              .start();
      var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(output).isZero();
      assertThat(output.lines())
          .containsExactlyElementsOf(
              Stream.of("2025-11-25", "2026-07-28")
                  .flatMap(
                      version ->
                          Stream.of(
                                  "connects",
                                  "lists tools",
                                  "starts a run and waits for its question",
                                  "answers it",
                                  "reads the transcript",
                                  "lists runs",
                                  "stops a run",
                                  "reads errors")
                              .map(it -> "ok " + version + " " + it))
                  .toList());
    }
  }
}
