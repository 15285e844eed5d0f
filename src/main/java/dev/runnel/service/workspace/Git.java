package dev.runnel.service.workspace;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Runs git safely: without prompts, and without executing programs from a repository or a
/// template. Its messages are in English, because failures are told apart by them.
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
          // The mirrors are trusted bare repositories.
          "-c",
          "safe.bareRepository=all");
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

  CommandRunner.Result run(Path folder, String... arguments)
      throws StoppedException, InterruptedException {
    return run(Optional.empty(), folder, arguments);
  }

  /// Runs git with the token of a repository, which is only sent to that repository's host.
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
    return commandRunner.program(
        command,
        folder,
        token.isPresent()
            ? Map.of(
                "GIT_TERMINAL_PROMPT",
                "0",
                "GIT_ASKPASS",
                "",
                "SSH_ASKPASS",
                "",
                "LC_ALL",
                "C",
                TOKEN,
                token.get())
            : Map.of(
                "GIT_TERMINAL_PROMPT", "0", "GIT_ASKPASS", "", "SSH_ASKPASS", "", "LC_ALL", "C"));
  }

  @Override
  public String toString() {
    return "Git[values of variables withheld]";
  }
}
