package dev.runnel.service.agent;

import dev.runnel.service.run.ExecutionRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Selects the operator's environment variables that programs of a run receive: an allowlist of the
/// names here, those of the agent and those of the run's environment. A denylist would miss the
/// next secret.
///
/// A name that ends with `*` matches by prefix.
public final class AgentEnvironment {
  /// Variables for every program.
  public static final List<String> COMMON =
      List.of("PATH", "HOME", "LANG", "LC_*", "TZ", "TERM", "TMPDIR");

  /// Variables for the git that Runnel itself runs, which agents cannot inspect: how to reach a
  /// server. `GIT_DIR` and similar are excluded: if Runnel was started from a git hook, they would
  /// direct every clone to one repository.
  public static final List<String> FOR_GIT =
      List.of(
          """
          SSH_AUTH_SOCK GIT_SSH GIT_SSH_COMMAND GIT_SSL_CAINFO GIT_SSL_CAPATH GIT_PROXY_COMMAND
          GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_TRACE* SSL_CERT_FILE SSL_CERT_DIR XDG_CONFIG_HOME
          HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
          """
              .split("\\s+"));

  private AgentEnvironment() {}

  /// Variables that identify the run and execution.
  public static Map<String, String> of(ExecutionRequest executionRequest) {
    return Map.of(
        "RUNNEL_RUN_ID",
        executionRequest.runId(),
        "RUNNEL_SESSION_ID",
        executionRequest.sessionId(),
        "RUNNEL_EXECUTION",
        Integer.toString(executionRequest.execution()),
        "RUNNEL_CLAIM",
        executionRequest.claim());
  }

  /// The variables whose names match.
  public static Map<String, String> pick(Map<String, String> environment, List<String> names) {
    var picked = new HashMap<String, String>();
    environment.forEach(
        (name, value) -> {
          if (names.stream().anyMatch(allowed -> matches(allowed, name))) {
            picked.put(name, value);
          }
        });
    return picked;
  }

  private static boolean matches(String allowed, String name) {
    return allowed.endsWith("*")
        ? name.startsWith(allowed.substring(0, allowed.length() - 1))
        : name.equals(allowed);
  }
}
