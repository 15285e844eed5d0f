package dev.runnel.service.output;

import dev.runnel.service.run.ServiceJson;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// What Runnel saw of an execution, to be shown beside what the agent says. Pure.
///
/// @param changed number of files that were changed in the workspace
/// @param commits number of commits made in its clones
/// @param tests the commands that ran tests, in order; empty if the agent's output does not tell
///   which commands ran
/// @param ranBefore whether an earlier execution of the run ran tests
/// @param claim whether the agent's answer says more than was seen
public record ExecutionEvidence(
    int changed,
    int commits,
    Optional<List<TestRun>> tests,
    boolean ranBefore,
    Optional<Mismatch> claim) {
  private static final String BEFORE = "tests_before";
  private static final int MAX_TESTS = 10;

  /// Only where a command of a shell begins, so that no argument counts.
  private static final Pattern TESTS =
      Pattern.compile(
          "(?:^|[;&|(]|\\b(?:ba|z)?sh -l?c ['\"]?)\\s*(?:\\w+=\\S*\\s+)*(?:(?:time|sudo|nice|bundle"
              + " exec|poetry run|uv run|pipenv run|xvfb-run|npx|bunx|timeout"
              + " \\S+)\\s+)*(?:(?:npm|yarn|pnpm|bun|deno)(?: run)?"
              + " (?:test|t\\b)|(?:jest|vitest|mocha|ava|tape|playwright test|cypress"
              + " run)\\b|(?:python3? -m )?(?:pytest|unittest)\\b|tox\\b|nox\\b"
              + "|(?:\\./)?mvnw?\\b[^;&|]*\\b(?:test|verify|install)|(?:\\./)?gradlew?\\b[^;&|]*\\b(?:test|check|build)|go"
              + " test|cargo (?:test|nextest)|make (?:\\S+ )*(?:test|check)|dotnet"
              + " test|rspec\\b|rake (?:test|spec)|phpunit\\b|ctest\\b|bazel test|mix test|swift"
              + " test|sbt test|bats\\b|prove\\b|composer test|rails test|(?:\\w*sh"
              + " )?\\S*/(?:run[-_]?)?tests?\\.sh\\b)");

  /// Parts of a shell command after which its exit status is not that of the tests.
  private static final Pattern HIDES_EXIT = Pattern.compile("\\||;|&\\s*$");

  private static final Pattern CLAIM =
      Pattern.compile(
          "\\btests?(?: suite)?\\b:?(?: \\w+){0,3}?"
              + " (?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green|ok)\\b|\\b(?:passing|green)"
              + " tests?\\b",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern DENIAL =
      Pattern.compile(
          "\\b(?:not|n't|cannot|couldn't|didn't|don't|without|fail(?:s|ed|ing)?|if|once|when|should|until|to"
              + " make|so that)\\b",
          Pattern.CASE_INSENSITIVE);

  /// What the agent says and Runnel did not see.
  enum Mismatch {
    /// It says that tests pass, and no command ran tests.
    NONE_RAN,
    /// It says that tests pass, and the last command that ran tests failed.
    FAILED
  }

  /// A command that ran tests.
  ///
  /// @param exit empty if unknown
  record TestRun(String command, Optional<Integer> exit) {}

  /// A command of the agent as a test run, if it is one.
  static Optional<TestRun> testRun(String command, Optional<Integer> exit) {
    if (!TESTS.matcher(command).find()) {
      return Optional.empty();
    }
    var isHidden = HIDES_EXIT.matcher(command).find() && !command.contains("pipefail");
    return Optional.of(new TestRun(command, isHidden ? Optional.empty() : exit));
  }

  /// @param tests empty if the agent's output does not tell which commands ran
  /// @param answer what the agent says at the end
  /// @param ranBefore whether an earlier execution of the run ran tests
  public static ExecutionEvidence of(
      int changed, int commits, Optional<List<TestRun>> tests, String answer, boolean ranBefore) {
    var claim =
        tests
            .filter(_ -> claimsThatTestsPass(answer))
            .flatMap(
                runs -> {
                  if (runs.isEmpty()) {
                    return ranBefore ? Optional.empty() : Optional.of(Mismatch.NONE_RAN);
                  }
                  return runs.getLast().exit().filter(exit -> exit != 0).map(_ -> Mismatch.FAILED);
                });
    return new ExecutionEvidence(
        changed,
        commits,
        tests.map(runs -> runs.subList(Math.max(0, runs.size() - MAX_TESTS), runs.size())),
        ranBefore,
        claim);
  }

  /// Only plain statements count; a sentence with a condition or a denial is no claim.
  static boolean claimsThatTestsPass(String answer) {
    return answer
        .lines()
        .flatMap(line -> Pattern.compile("(?<=[.!?;])\\s+").splitAsStream(line))
        .anyMatch(sentence -> CLAIM.matcher(sentence).find() && !DENIAL.matcher(sentence).find());
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
    if (ranBefore) {
      json.put(BEFORE, true);
    }
    claim.ifPresent(it -> json.put("mismatch", it.name().toLowerCase(Locale.ROOT)));
    return json.toString();
  }

  /// Whether tests ran by then, according to stored evidence.
  public static boolean hasTests(String json) {
    var stored = ServiceJson.read(json);
    return !stored.path("tests").isEmpty() || stored.path(BEFORE).asBoolean();
  }
}
