package dev.runnel.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.testkit.Emulators;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The official TypeScript library, as npm has it, against this service.
@Tag("slow")
class OfficialLibraryTest {
  @Test
  void everyOperationOfTheOfficialLibraryWorks(@TempDir Path folder) throws Exception {
    Emulators.program("oz-agent-sdk");
    try (var service =
        RunningService.withCommand(
            folder,
            "read -r line; case \"$line\" in SLOW) sleep 300;; esac; echo \"$line\"; cat")) {
      var process =
          new ProcessBuilder(
                  "node",
                  "official-library.mjs",
                  service.uri("/api/v1").toString(),
                  RunningService.KEY)
              .directory(Emulators.folder().toFile())
              .redirectErrorStream(true)
              .start();
      var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(output).isZero();
      assertThat(output.lines())
          .containsExactly(
              "ok creates on /agent/run",
              "ok creates on /agent/runs",
              "ok retrieves",
              "ok lists",
              "ok follows up",
              "ok cancels",
              "ok lists skills",
              "ok keeps schedules",
              "ok reads errors",
              "ok shows raw responses");
    }
  }
}
