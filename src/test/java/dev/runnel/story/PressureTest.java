package dev.runnel.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.bench.Pressure;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The benchmark `bench/pressure` for a minute. What it says about time is not asserted here.
@Tag("alone")
@Timeout(600)
class PressureTest {
  @Test
  void processLivesAndLosesNothingWhileAllDoorsAreLoadedAtOnce(@TempDir Path folder)
      throws Exception {
    var report = Pressure.run(folder, Duration.ofSeconds(60));

    assertThat(report.problems()).as(report.table()).isEmpty();
  }
}
