package dev.runnel.service.agent;

import dev.runnel.service.run.ExecutionRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Which of the operator's variables reach the programs of a run. Only what is named here, by the
/// agent, or by the run's environment does: a list of what to hide would miss the next secret.
///
/// A name that ends with `*` stands for all names that begin so.
public final class AgentEnvironment {
  /// For every program.
  public static final List<String> COMMON =
      List.of("PATH", "HOME", "LANG", "LC_*", "TZ", "TERM", "TMPDIR");

  /// For the git that Runnel itself runs, which no agent can look into: how it reaches a server.
  /// Not `GIT_DIR` and the like: they would lead every clone to one repository, where Runnel was
  /// started from a hook.
  public static final List<String> FOR_GIT =
      List.of(
          "SSH_AUTH_SOCK",
          "GIT_SSH",
          "GIT_SSH_COMMAND",
          "GIT_SSL_CAINFO",
          "GIT_SSL_CAPATH",
          "GIT_PROXY_COMMAND",
          "GIT_CONFIG_GLOBAL",
          "GIT_CONFIG_SYSTEM",
          "GIT_TRACE*",
          "SSL_CERT_FILE",
          "SSL_CERT_DIR",
          "XDG_CONFIG_HOME",
          "HTTP_PROXY",
          "HTTPS_PROXY",
          "ALL_PROXY",
          "NO_PROXY",
          "http_proxy",
          "https_proxy",
          "all_proxy",
          "no_proxy");

  private AgentEnvironment() {}

  /// What tells a program which run it works for.
  public static Map<String, String> of(ExecutionRequest executionRequest) {
    return Map.of(
        "RUNNEL_RUN_ID",
        executionRequest.runId(),
        "RUNNEL_SESSION_ID",
        executionRequest.sessionId(),
        "RUNNEL_EXECUTION",
        Integer.toString(executionRequest.execution()));
  }

  /// The variables of these names that there are.
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
