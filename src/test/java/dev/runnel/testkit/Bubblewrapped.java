package dev.runnel.testkit;

import dev.runnel.service.isolation.Isolations;
import dev.runnel.service.isolation.Machine;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/// Whether bubblewrap works on this machine.
public final class Bubblewrapped {
  private Bubblewrapped() {}

  /// Skips the test where it does not work. `RUNNEL_TESTS_NEED_BUBBLEWRAP=true` makes its absence a
  /// failure.
  public static void require() {
    var works = Isolations.choose("auto", new Machine(System.getenv(), List.of())).isOn();
    if ("true".equals(System.getenv("RUNNEL_TESTS_NEED_BUBBLEWRAP"))) {
      Assertions.assertTrue(works, "bubblewrap does not work here");
    }
    Assumptions.assumeTrue(works, "Skipped: bubblewrap does not work here");
  }
}
