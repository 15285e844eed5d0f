package dev.runnel.core.text;

import dev.runnel.core.model.run.Evidence;
import java.util.List;
import java.util.Optional;

/// Texts about what was observed of a run, and which commands its agent program reports, the same
/// on every platform: one line for the end of a run, and lines with the details.
public final class EvidenceTexts {
  private static final int MAX_COMMAND = 60;

  private EvidenceTexts() {}

  /// Empty if nothing was observed, as for a run that only answered a question.
  ///
  /// `Seen by Runnel: 3 files changed, 1 commit. Told by the agent program: tests passed (npm
  /// test)`
  public static Optional<String> line(Evidence evidence) {
    if (evidence.changed() == 0
        && evidence.commits() == 0
        && evidence.tests().orElse(List.of()).isEmpty()) {
      return Optional.empty();
    }
    var seen =
        "Seen by Runnel: %s changed, %s"
            .formatted(
                count(evidence.changed(), "file", "files"),
                count(evidence.commits(), "commit", "commits"));
    // Runnel sees the commands only in the output, where a tool of the agent could write, too.
    return Optional.of(
        evidence
            .tests()
            .map(tests -> seen + ". Told by the agent program: " + tests(tests))
            .orElse(seen));
  }

  /// A sentence to show with a warning sign if the agent claims more than was observed.
  public static Optional<String> mismatch(Evidence evidence) {
    return evidence
        .mismatch()
        .map(
            it ->
                switch (it) {
                  case NONE_RAN ->
                      "The agent says that tests pass, but its program reports no command that ran"
                          + " tests.";
                  case FAILED ->
                      "The agent says that tests pass, but its program reports that the last"
                          + " command that ran tests failed.";
                });
  }

  /// Every command that ran tests, with its result: `npm test: exit status 0`.
  public static List<String> details(Evidence evidence) {
    return evidence.tests().orElse(List.of()).stream()
        .map(
            each ->
                command(each)
                    + ": "
                    + each.exit().map(exit -> "exit status " + exit).orElse("exit status unknown"))
        .toList();
  }

  private static String tests(List<Evidence.TestRun> tests) {
    if (tests.isEmpty()) {
      return "no tests ran";
    }
    var last = tests.getLast();
    var result =
        last.exit()
            .map(exit -> exit == 0 ? "tests passed" : "tests failed with exit status " + exit)
            .orElse("tests ran, result unknown");
    return result + " (" + command(last) + ")";
  }

  private static String command(Evidence.TestRun test) {
    return AnswerFormatter.cut(AnswerFormatter.line(test.command()), MAX_COMMAND);
  }

  private static String count(int number, String one, String many) {
    return number == 1 ? "1 " + one : number + " " + many;
  }
}
