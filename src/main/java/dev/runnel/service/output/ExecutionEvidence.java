package dev.runnel.service.output;

import dev.runnel.service.run.ServiceJson;
import dev.runnel.text.Truncation;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// What is known of an execution, to be shown next to the agent's own statement. Pure.
///
/// @param changed number of files that were changed in the workspace
/// @param commits number of commits made in its clones
/// @param tests the commands that ran tests, in order, as the output of the agent program tells
///   them; Runnel does not see them itself. Empty if the output does not contain the commands
/// @param testsRanBefore whether an earlier execution of the run ran tests
/// @param claim the difference between the agent's answer and the observation; empty if there is
///   none
public record ExecutionEvidence(
    int changed,
    int commits,
    Optional<List<TestRun>> tests,
    boolean testsRanBefore,
    Optional<Mismatch> claim) {
  private static final String TESTS_BEFORE = "tests_before";
  private static final int MAX_TESTS = 10;

  /// The part of a command in which tests are searched for, so that this takes bounded time.
  private static final int MAX_SEARCHED = 1_000;

  /// Matches only at the beginning of a shell command, so that arguments do not count.
  private static final Pattern TESTS =
      Pattern.compile(
          "(?:^|[;&|(]|\\b(?:ba|z)?sh -l?c"
              + " ['\"]?)\\s*+(?:\\w++=\\S*+\\s++)*+(?:(?:time|sudo|nice|bundle exec|poetry run|uv"
              + " run|pipenv run|xvfb-run|npx|bunx|timeout"
              + " \\S++)\\s++)*+(?:(?:npm|yarn|pnpm|bun|deno)(?: run)?"
              + " (?:test|t\\b)|(?:jest|vitest|mocha|ava|tape|playwright test|cypress"
              + " run)\\b|(?:python3? -m )?(?:pytest|unittest)\\b|tox\\b|nox\\b"
              + "|(?:\\./)?mvnw?\\b[^;&|]*\\b(?:test|verify|install)|(?:\\./)?gradlew?\\b[^;&|]*\\b(?:test|check|build)|go"
              + " test|cargo (?:test|nextest)|make (?:(?!test|check)\\S++ )*+(?:test|check)|dotnet"
              + " test|rspec\\b|rake (?:test|spec)|phpunit\\b|ctest\\b|bazel test|mix test|swift"
              + " test|sbt test|bats\\b|prove\\b|composer test|rails test|(?:\\w*sh"
              + " )?\\S*/(?:run[-_]?)?tests?\\.sh\\b)");

  /// Parts of a shell command after which its exit status is not that of the tests.
  private static final Pattern HIDES_EXIT = Pattern.compile("\\||;|&\\s*$");

  private static final Pattern SENTENCE_END = Pattern.compile("(?<=[.!?;])\\s+");

  private static final Pattern CLAIM =
      Pattern.compile(
          "\\btests?(?: suite)?\\b:?(?: \\w+){0,3}?"
              + " (?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green|ok)\\b|\\b(?:passing|green)"
              + " tests?\\b",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern NEGATION =
      Pattern.compile(
          "\\b(?:not|n't|cannot|couldn't|didn't|don't|without|fail(?:s|ed|ing)?|if|once|when|should|until|to"
              + " make|so that)\\b",
          Pattern.CASE_INSENSITIVE);

  /// A statement of the agent that the observation does not support.
  enum Mismatch {
    /// The agent says that tests pass, but its output tells of no command that ran tests.
    NONE_RAN,
    /// The agent says that tests pass, but as its output tells, the last command that ran tests
    /// failed.
    FAILED
  }

  /// A command that ran tests.
  ///
  /// @param exit empty if unknown
  record TestRun(String command, Optional<Integer> exit) {}

  /// A command of the agent as a test run, if it is one.
  static Optional<TestRun> testRun(String command, Optional<Integer> exit) {
    if (!TESTS.matcher(Truncation.head(command, MAX_SEARCHED)).find()) {
      return Optional.empty();
    }
    var isHidden = HIDES_EXIT.matcher(command).find() && !command.contains("pipefail");
    return Optional.of(new TestRun(command, isHidden ? Optional.empty() : exit));
  }

  /// @param tests empty if the agent's output does not contain the commands
  /// @param answer the agent's answer
  /// @param testsRanBefore whether an earlier execution of the run ran tests
  public static ExecutionEvidence of(
      int changed,
      int commits,
      Optional<List<TestRun>> tests,
      String answer,
      boolean testsRanBefore) {
    var claim =
        tests
            .filter(_ -> claimsThatTestsPass(answer))
            .flatMap(
                runs -> {
                  if (runs.isEmpty()) {
                    return testsRanBefore ? Optional.empty() : Optional.of(Mismatch.NONE_RAN);
                  }
                  return runs.getLast().exit().filter(exit -> exit != 0).map(_ -> Mismatch.FAILED);
                });
    return new ExecutionEvidence(
        changed,
        commits,
        tests.map(runs -> runs.subList(Math.max(0, runs.size() - MAX_TESTS), runs.size())),
        testsRanBefore,
        claim);
  }

  /// Only plain statements count; a sentence with a condition or a negation is not a claim.
  static boolean claimsThatTestsPass(String answer) {
    return answer
        .lines()
        .flatMap(SENTENCE_END::splitAsStream)
        .anyMatch(sentence -> CLAIM.matcher(sentence).find() && !NEGATION.matcher(sentence).find());
  }

  /// The `evidence` member of a run.
  public String toJson() {
    var json = ServiceJson.newObject().put("files_changed", changed).put("commits", commits);
    tests.ifPresent(
        runs -> {
          var list = json.putArray("tests");
          for (var each : runs) {
            var test = list.addObject().put("command", each.command());
            each.exit().ifPresent(exit -> test.put("exit_code", exit));
          }
        });
    if (testsRanBefore) {
      json.put(TESTS_BEFORE, true);
    }
    claim.ifPresent(it -> json.put("mismatch", it.name().toLowerCase(Locale.ROOT)));
    return json.toString();
  }

  /// Whether stored evidence says that tests ran, in that execution or an earlier one.
  public static boolean hasTests(String json) {
    var stored = ServiceJson.read(json);
    return !stored.path("tests").isEmpty() || stored.path(TESTS_BEFORE).asBoolean();
  }
}
