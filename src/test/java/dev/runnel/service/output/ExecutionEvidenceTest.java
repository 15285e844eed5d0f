package dev.runnel.service.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.output.ExecutionEvidence.Mismatch;
import dev.runnel.service.output.ExecutionEvidence.TestRun;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExecutionEvidenceTest {
  private static final TestRun PASSED = new TestRun("npm test", Optional.of(0));
  private static final TestRun FAILED = new TestRun("npm test", Optional.of(1));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "npm test",
        "cd shop && npm run test -- --watch=false",
        "npx jest",
        "pytest -q",
        "python -m unittest",
        "mvn -q verify",
        "./mvnw test",
        "./gradlew :shop:test",
        "go test ./...",
        "cargo test",
        "make -j4 check",
        "dotnet test",
        "bundle exec rspec",
        "yarn test",
        "ctest",
        "./scripts/run-tests.sh",
        "bash -lc 'npm test'",
        "CI=1 npm test",
        "uv run pytest",
        "timeout 60 go test .",
        "bazel test //..."
      })
  void aCommandOfATestToolIsATestRun(String command) {
    assertThat(ExecutionEvidence.testRun(command, Optional.of(0)))
        .contains(new TestRun(command, Optional.of(0)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "npm install",
        "git commit -m 'Add test'",
        "ls test",
        "cat src/test/java/A.java",
        "mvn clean",
        "grep -rn pytesting .",
        "echo done",
        "rm -rf target"
      })
  void otherCommandsAreNoTestRun(String command) {
    assertThat(ExecutionEvidence.testRun(command, Optional.of(0))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"npm test | tail -5", "npm test || true", "npm test; echo done"})
  void testStatusIsUnknownIfTheCommandHidesIt(String command) {
    assertThat(ExecutionEvidence.testRun(command, Optional.of(0)))
        .contains(new TestRun(command, Optional.empty()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "All tests pass.",
        "I fixed it. The tests now pass!",
        "Done; all 12 tests passed",
        "Tests: ok",
        "The whole test suite is green.",
        "We have passing tests.",
        "Unit tests are passing"
      })
  void aPlainStatementThatTestsPassIsAClaim(String answer) {
    assertThat(ExecutionEvidence.claimsThatTestsPass(answer)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "I could not run the tests.", "Two tests fail, the others pass.", "The tests do not pass.",
        "Run the tests to see that they pass.", "If the tests pass, merge it.",
            "Fixed the checkout.",
        "I passed the token to the service.", "The latest release is ok."
      })
  void otherStatementsAreNoClaimOfPassingTests(String answer) {
    assertThat(ExecutionEvidence.claimsThatTestsPass(answer)).isFalse();
  }

  @Test
  void aClaimWithoutATestRunIsMarked() {
    assertThat(claim(List.of(), false)).contains(Mismatch.NONE_RAN);
    assertThat(claim(List.of(PASSED), false)).isEmpty();
    assertThat(claim(List.of(FAILED), false)).contains(Mismatch.FAILED);
    assertThat(claim(List.of(FAILED, PASSED), false)).isEmpty();
  }

  @Test
  void earlierTestRunSupportsAClaimOfALaterExecution() {
    assertThat(claim(List.of(), true)).isEmpty();
    assertThat(ExecutionEvidence.hasTests(evidence(List.of(PASSED), false).toJson())).isTrue();
    assertThat(ExecutionEvidence.hasTests(evidence(List.of(), true).toJson())).isTrue();
    assertThat(ExecutionEvidence.hasTests(evidence(List.of(), false).toJson())).isFalse();
  }

  @Test
  void claimIsNotMarkedIfTheCommandsAreUnknown() {
    assertThat(ExecutionEvidence.of(1, 0, Optional.empty(), "All tests pass.", false).claim())
        .isEmpty();
  }

  private static Optional<Mismatch> claim(List<TestRun> tests, boolean ranBefore) {
    return evidence(tests, ranBefore).claim();
  }

  private static ExecutionEvidence evidence(List<TestRun> tests, boolean ranBefore) {
    return ExecutionEvidence.of(1, 0, Optional.of(tests), "All tests pass.", ranBefore);
  }
}
