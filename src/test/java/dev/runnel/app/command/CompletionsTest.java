package dev.runnel.app.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunStateValue;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompletionsTest {
  @Test
  void everyShellKnowsAllCommandsVerbsAndOptions() {
    for (var shell : Completions.SHELLS) {
      var script = Completions.of(shell);
      assertThat(script).contains(CommandLine.COMMANDS).contains(CommandLine.RUN_VERBS.keySet());
      for (var option : CommandLine.START_OPTIONS) {
        assertThat(script).contains(option.substring(2));
      }
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({
    "runnel ru,1,run",
    "runnel run wa,2,watch",
    "runnel run list --st,3,--state",
    "runnel run list --state bl,4,blocked",
    "runnel completion f,2,fish"
  })
  void bashCompletesAWord(String line, int at, String expected, @TempDir Path folder)
      throws Exception {
    var script = Files.writeString(folder.resolve("script"), Completions.of("bash"));
    var words = line.split(" ");
    var test =
        "source %s; COMP_WORDS=(%s); COMP_CWORD=%d; _runnel; echo \"${COMPREPLY[@]}\""
            .formatted(script, line, at);
    var process = new ProcessBuilder("bash", "-c", test).redirectErrorStream(true).start();

    assertThat(words).hasSize(at + 1);
    assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip())
        .isEqualTo(expected);
  }

  @Test
  void aTableShowsShortIdsAndNoControlCharactersOfATitle() {
    var run =
        RunItem.builder()
            .runId("7b3f1c2e-1111-4222-8333-944455556666")
            .state(RunStateValue.FAILED)
            .title("Fix\u001B[2J it")
            .createdAt(Instant.parse("2026-01-01T00:00:00Z"))
            .build();

    var lines = RunsOnTerminal.table(List.of(run), Instant.parse("2026-01-01T02:30:00Z")).toList();

    assertThat(lines.getFirst()).startsWith("ID        STATE");
    assertThat(lines.get(1)).startsWith("7b3f1c2e  ").contains("\u001B[31mFAILED", "2 h", "Fix it");
  }

  @Test
  void coloursAreDisabledWithNoColorOrADumbTerminal() {
    assertThat(RunsOnTerminal.isThere(Map.of("NO_COLOR", "1"))).isFalse();
    assertThat(RunsOnTerminal.isThere(Map.of("TERM", "dumb"))).isFalse();
  }
}
