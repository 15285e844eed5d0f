package dev.runnel.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.run.Evidence;
import dev.runnel.core.model.run.Evidence.Mismatch;
import dev.runnel.core.model.run.Evidence.TestRun;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EvidenceTextsTest {
  @Test
  void evidenceLineStatesFilesCommitsAndTheLastTestRun() {
    assertThat(line(3, 1, new TestRun("mvn test", Optional.of(1)), passed("npm test")))
        .contains(
            "Seen by Runnel: 3 files changed, 1 commit. Told by the agent program: tests passed"
                + " (npm test)");
    assertThat(line(1, 2, new TestRun("npm test", Optional.of(1))))
        .contains(
            "Seen by Runnel: 1 file changed, 2 commits. Told by the agent program: tests failed"
                + " with exit status 1 (npm test)");
    assertThat(line(1, 0, new TestRun("npm test | tail", Optional.empty())))
        .contains(
            "Seen by Runnel: 1 file changed, 0 commits. Told by the agent program: tests ran,"
                + " result unknown (npm test | tail)");
    assertThat(line(1, 0))
        .contains(
            "Seen by Runnel: 1 file changed, 0 commits. Told by the agent program: no tests ran");
  }

  @Test
  void zeroChangesProduceNoLine() {
    assertThat(line(0, 0)).isEmpty();
  }

  @Test
  void testsAreOmittedIfTheCommandsAreUnknown() {
    var evidence = new Evidence(2, 0, Optional.empty(), Optional.empty());

    assertThat(EvidenceTexts.line(evidence)).contains("Seen by Runnel: 2 files changed, 0 commits");
  }

  @Test
  void theDetailsNameEveryTestRun() {
    var evidence =
        new Evidence(
            1,
            0,
            Optional.of(List.of(passed("npm test"), new TestRun("pytest", Optional.empty()))),
            Optional.of(Mismatch.NONE_RAN));

    assertThat(EvidenceTexts.details(evidence))
        .containsExactly("npm test: exit status 0", "pytest: exit status unknown");
    assertThat(EvidenceTexts.mismatch(evidence))
        .contains(
            "The agent says that tests pass, but its program reports no command that ran tests.");
  }

  private static TestRun passed(String command) {
    return new TestRun(command, Optional.of(0));
  }

  private static Optional<String> line(int changed, int commits, TestRun... tests) {
    return EvidenceTexts.line(
        new Evidence(changed, commits, Optional.of(List.of(tests)), Optional.empty()));
  }
}
