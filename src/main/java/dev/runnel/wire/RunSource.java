package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// What created a run (the API's `RunSourceType`). Open: unknown values are preserved.
public record RunSource(@JsonValue String value) {
  public static final RunSource LINEAR = new RunSource("LINEAR");
  public static final RunSource API = new RunSource("API");
  public static final RunSource SLACK = new RunSource("SLACK");
  public static final RunSource LOCAL = new RunSource("LOCAL");
  public static final RunSource SCHEDULED_AGENT = new RunSource("SCHEDULED_AGENT");
  public static final RunSource WEB_APP = new RunSource("WEB_APP");
  public static final RunSource GITHUB_ACTION = new RunSource("GITHUB_ACTION");
  public static final RunSource CLOUD_MODE = new RunSource("CLOUD_MODE");
  public static final RunSource CLI = new RunSource("CLI");
  public static final RunSource JIRA = new RunSource("JIRA");
  public static final RunSource SELF_IMPROVEMENT = new RunSource("SELF_IMPROVEMENT");
  public static final RunSource GITHUB_WEBHOOK = new RunSource("GITHUB_WEBHOOK");
  public static final RunSource GITLAB_WEBHOOK = new RunSource("GITLAB_WEBHOOK");
  public static final RunSource AUTOFIX = new RunSource("AUTOFIX");
  public static final RunSource RUN_SCORER = new RunSource("RUN_SCORER");
  public static final RunSource ORCHESTRATION = new RunSource("ORCHESTRATION");
  public static final RunSource TEAMS = new RunSource("TEAMS");
  public static final RunSource AZURE_DEVOPS_WEBHOOK = new RunSource("AZURE_DEVOPS_WEBHOOK");
  public static final RunSource BENCHMARK_TRIAL = new RunSource("BENCHMARK_TRIAL");
  public static final RunSource CREATE_BENCHMARK_TASK = new RunSource("CREATE_BENCHMARK_TASK");
  public static final RunSource CUSTOM_WEBHOOK = new RunSource("CUSTOM_WEBHOOK");

  /// A tool server of the service.
  public static final RunSource MCP = new RunSource("MCP");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public RunSource {}

  @Override
  public String toString() {
    return value;
  }
}
