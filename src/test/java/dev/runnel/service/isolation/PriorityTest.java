package dev.runnel.service.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.runnel.service.process.Spawner;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PriorityTest {
  @ParameterizedTest
  @CsvSource({"0, 500", "-500, 500", "-1000, 500", "100, 600", "600, 1000", "1000, 1000"})
  void programsOfRunsAreEndedBeforeRunnel(int own, int expected) {
    assertThat(Priority.above(own)).isEqualTo(expected);
  }

  @Test
  void programsOfRunsHaveTheScoreAndLessOfTheProcessors() throws Exception {
    assumeThat(Path.of("/proc/self/oom_score_adj")).exists();
    var niceness = Integer.parseInt(output("nice").strip());
    var process =
        Spawner.system()
            .process(new ProcessBuilder("/bin/sh", "-c", "cat /proc/self/oom_score_adj; nice"));
    var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(said)
        .isEqualTo("%s\n%d\n".formatted(Priority.oomScore(), Math.min(niceness + 5, 19)));
  }

  private static String output(String program) throws Exception {
    return new String(
        new ProcessBuilder(program).start().getInputStream().readAllBytes(),
        StandardCharsets.UTF_8);
  }
}
