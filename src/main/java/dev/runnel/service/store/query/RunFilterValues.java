package dev.runnel.service.store.query;

import dev.runnel.service.run.RequestProblem;
import java.util.List;
import java.util.Map;

/// The permitted values of list filters; others are rejected.
final class RunFilterValues {
  static final List<String> STATES =
      List.of(
          "QUEUED PENDING CLAIMED INPROGRESS BLOCKED SUCCEEDED FAILED ERROR CANCELLED".split(" "));
  static final List<String> RUNNING = List.of("QUEUED", "PENDING", "CLAIMED", "INPROGRESS");
  static final Map<String, List<String>> TASK_STATES =
      Map.of(
          "running", RUNNING,
          "failed", List.of("FAILED", "ERROR"),
          "blocked", List.of("BLOCKED"),
          "cancelled", List.of("CANCELLED"),
          "complete", List.of("SUCCEEDED"));
  static final List<String> ARTIFACTS =
      List.of("PLAN", "PULL_REQUEST", "SCREENSHOT", "FILE", "EXTERNAL_REFERENCE");
  static final List<String> LOCATIONS = List.of("LOCAL", "REMOTE");

  /// All published sources; most of them never occur here.
  public static final List<String> SOURCES =
      List.of(
          """
          LINEAR API SLACK LOCAL SCHEDULED_AGENT WEB_APP GITHUB_ACTION CLOUD_MODE CLI JIRA
          SELF_IMPROVEMENT GITHUB_WEBHOOK GITLAB_WEBHOOK AUTOFIX RUN_SCORER ORCHESTRATION TEAMS
          AZURE_DEVOPS_WEBHOOK BENCHMARK_TRIAL CREATE_BENCHMARK_TASK CUSTOM_WEBHOOK MCP
          """
              .split("\\s+"));

  private RunFilterValues() {}

  /// @throws RequestProblem if the value is not among the permitted ones
  static String requireKnown(String parameter, String value, List<String> values) {
    if (!values.contains(value)) {
      throw RequestProblem.invalid(parameter + " must be one of " + String.join(", ", values));
    }
    return value;
  }
}
