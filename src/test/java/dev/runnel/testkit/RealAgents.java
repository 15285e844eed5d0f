package dev.runnel.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/// Where the real coding agents are that tests start: `src/test/agents`, filled by `npm ci` there.
public final class RealAgents {
  private RealAgents() {}

  /// The folder of the programs, which must be there when `RUNNEL_TESTS_NEED_AGENTS` is `true`;
  /// without it the test is skipped.
  public static Path programs() {
    var folder = Path.of(System.getProperty("runnel.agents", "src/test/agents"));
    var programs = folder.resolve("node_modules/.bin").toAbsolutePath();
    var hint = programs + " is not there. Run: npm ci --prefix src/test/agents";
    if ("true".equals(System.getenv("RUNNEL_TESTS_NEED_AGENTS"))) {
      Assertions.assertTrue(Files.exists(programs), hint);
    }
    Assumptions.assumeTrue(Files.exists(programs), "Skipped: " + hint);
    return programs;
  }
}
