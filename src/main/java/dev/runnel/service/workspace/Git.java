package dev.runnel.service.workspace;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Runs git safely: without prompts, and without executing programs from a repository or a
/// template. The operator's configuration, which can name filters, hooks and helpers, counts only
/// for reaching a server. Its messages are in English, because failures are told apart by them.
///
/// @param variableValues the values of variables by name, which hold the tokens of repositories
record Git(CommandRunner commandRunner, Map<String, String> variableValues) {
  private static final List<String> BASE_COMMAND =
      List.of(
          "git",
          "-c",
          "core.hooksPath=/dev/null",
          "-c",
          "core.fsmonitor=false",
          "-c",
          "core.quotePath=false",
          // Cleanup must finish before the command does.
          "-c",
          "gc.autoDetach=false",
          "-c",
          "maintenance.autoDetach=false",
          "-c",
          "submodule.recurse=false",
          "-c",
          "core.attributesFile=/dev/null",
          // The mirrors are trusted bare repositories.
          "-c",
          "safe.bareRepository=all");
  private static final Map<String, String> VARIABLES =
      Map.of(
          "GIT_TERMINAL_PROMPT",
          "0",
          "GIT_ASKPASS",
          "",
          "SSH_ASKPASS",
          "",
          "LC_ALL",
          "C",
          "GIT_ATTR_NOSYSTEM",
          "1");
  private static final Map<String, String> WITHOUT_CONFIGURATION =
      Map.of("GIT_CONFIG_GLOBAL", "/dev/null", "GIT_CONFIG_NOSYSTEM", "1");
  private static final String TOKEN = "RUNNEL_GIT_TOKEN";

  /// Refers to the variable, not the value, since arguments are visible to every user.
  private static final String HELPER =
      "!f() { test \"$1\" = get && printf 'username=x-access-token\\npassword=%s\\n' \"$"
          + TOKEN
          + "\"; }; f";

  /// @throws SetupException if git fails; the message is `failure` followed by git's error output
  CommandRunner.Result runOrFail(String failure, Path folder, String... arguments)
      throws SetupException, StoppedException, InterruptedException {
    var result = run(folder, arguments);
    if (result.status() != 0) {
      throw SetupException.of(failure, result);
    }
    return result;
  }

  /// Runs git on this machine, without the operator's configuration.
  CommandRunner.Result run(Path folder, String... arguments)
      throws StoppedException, InterruptedException {
    return run(Optional.empty(), folder, arguments);
  }

  /// Runs git with the operator's configuration, which may be needed to reach the server of a
  /// repository, and with the token of the repository, which is only sent to that repository's
  /// host.
  ///
  /// @param repository empty if no server is needed
  CommandRunner.Result run(Optional<Repository> repository, Path folder, String... arguments)
      throws StoppedException, InterruptedException {
    var command = new ArrayList<>(BASE_COMMAND);
    var token = repository.flatMap(Repository::token).map(variableValues::get);
    if (token.isPresent()) {
      var key = "credential." + repository.get().origin() + ".helper=";
      // The empty value clears the helpers of the operator's own configuration.
      command.addAll(List.of("-c", key, "-c", key + HELPER));
    }
    command.addAll(List.of(arguments));
    var variables = new HashMap<>(VARIABLES);
    if (repository.isEmpty()) {
      variables.putAll(WITHOUT_CONFIGURATION);
    }
    token.ifPresent(value -> variables.put(TOKEN, value));
    return commandRunner.program(command, folder, variables);
  }

  @Override
  public String toString() {
    return "Git[values of variables withheld]";
  }
}
