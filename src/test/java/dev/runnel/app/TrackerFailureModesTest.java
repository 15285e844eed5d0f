package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.runnel.testkit.Proof;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// What goes wrong in other systems that work on issues, numbered as in the notes they were
/// gathered in, and the tests that show that it does not here: `proofs/tracker-failures.txt`.
class TrackerFailureModesTest {
  @TestFactory
  Stream<DynamicTest> everyFailureHasItsTest() {
    var table = Proof.table("tracker-failures.txt");
    assertThat(table).extracting(Proof::name).doesNotHaveDuplicates().hasSizeGreaterThan(15);
    return table.stream()
        .map(
            line ->
                dynamicTest(
                    line.name() + " " + line.holds(), () -> assertThat(line.missing()).isEmpty()));
  }
}
