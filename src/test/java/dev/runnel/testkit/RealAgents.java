package dev.runnel.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/// Where the real coding agents are that tests start: `src/test/agents`, filled by `npm ci` there.
public final class RealAgents {
  private RealAgents() {}

  /// What a `PATH` begins with so that the agents are found. They must be there when
  /// `RUNNEL_TESTS_NEED_AGENTS` is `true`; without it the test is skipped.
  public static String path() {
    var modules = folder().resolve("node_modules");
    var hint = modules + " is not there. Run: npm ci --prefix src/test/agents";
    if ("true".equals(System.getenv("RUNNEL_TESTS_NEED_AGENTS"))) {
      Assertions.assertTrue(Files.exists(modules), hint);
    }
    Assumptions.assumeTrue(Files.exists(modules), "Skipped: " + hint);
    return modules.resolve(".bin") + ":" + modules.resolve("opencode-linux-x64/bin");
  }

  /// A tool server that writes down what it finds to the file that is its argument.
  public static Path toolServer() {
    return folder().resolve("tool-server.cjs");
  }

  private static Path folder() {
    return Path.of(System.getProperty("runnel.agents", "src/test/agents")).toAbsolutePath();
  }
}
