package dev.runnel.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/// Where the outside parts are that tests start as processes: `src/test/emulators`, filled by `npm
/// ci` there.
public final class Emulators {
  private Emulators() {}

  /// The program, which must be there when `RUNNEL_TESTS_NEED_EMULATORS` is `true`; without it the
  /// test is skipped.
  ///
  /// @param path below `node_modules`
  public static Path program(String path) {
    var program = folder().resolve("node_modules").resolve(path).toAbsolutePath();
    var hint = program + " is not there. Run: npm ci --prefix src/test/emulators";
    if ("true".equals(System.getenv("RUNNEL_TESTS_NEED_EMULATORS"))) {
      Assertions.assertTrue(Files.exists(program), hint);
    }
    Assumptions.assumeTrue(Files.exists(program), "Skipped: " + hint);
    return program;
  }

  /// Where they and the scripts that use them are.
  public static Path folder() {
    return Path.of(System.getProperty("runnel.emulators", "src/test/emulators")).toAbsolutePath();
  }
}
