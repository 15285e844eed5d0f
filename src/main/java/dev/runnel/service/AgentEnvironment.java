package dev.runnel.service;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What an agent finds in its environment: the machine's, without what only Runnel may know.
final class AgentEnvironment {
  private static final List<String> OURS =
      List.of("RUNNEL_", "SLACK_", "GITLAB_", "JIRA_", "LINEAR_", "GITEA_");
  private static final Set<String> SECRETS =
      Set.of("GITHUB_TOKEN", "GITHUB_WEBHOOK_SECRET", "GITHUB_APP_ID", "GITHUB_PRIVATE_KEY_FILE");

  /// These would lead every git of a run to one repository, where Runnel was started from a hook.
  private static final Set<String> MISLEADING =
      Set.of(
          "GIT_DIR",
          "GIT_WORK_TREE",
          "GIT_INDEX_FILE",
          "GIT_COMMON_DIR",
          "GIT_OBJECT_DIRECTORY",
          "GIT_ALTERNATE_OBJECT_DIRECTORIES",
          "GIT_NAMESPACE",
          "GIT_PREFIX");

  private AgentEnvironment() {}

  static Map<String, String> of(Map<String, String> environment, Job job) {
    var result = new HashMap<String, String>();
    environment.forEach(
        (name, value) -> {
          if (!isSecret(name) && !MISLEADING.contains(name)) {
            result.put(name, value);
          }
        });
    result.put("RUNNEL_RUN_ID", job.runId());
    result.put("RUNNEL_SESSION_ID", job.sessionId());
    result.put("RUNNEL_EXECUTION", Integer.toString(job.execution()));
    return result;
  }

  private static boolean isSecret(String name) {
    return SECRETS.contains(name) || OURS.stream().anyMatch(name::startsWith);
  }
}
