package dev.runnel.service.workspace;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Runs git safely: it never prompts, and executes nothing that a repository or a template
/// provides.
final class Git {
  private static final List<String> SAFE =
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
          // Our mirrors are trusted bare repositories.
          "-c",
          "safe.bareRepository=all");
  private static final String TOKEN = "RUNNEL_GIT_TOKEN";

  /// Names the variable, not the value, since arguments are visible to every user.
  private static final String HELPER =
      "!f() { test \"$1\" = get && printf 'username=x-access-token\\npassword=%s\\n' \"$"
          + TOKEN
          + "\"; }; f";

  private final CommandRunner bench;
  private final Map<String, String> lent;

  Git(CommandRunner bench, Map<String, String> lent) {
    this.bench = bench;
    this.lent = lent;
  }

  /// @throws SetupException if git fails; the message is `orElse` followed by git's error output
  CommandRunner.Result must(String orElse, Path folder, String... arguments)
      throws SetupException, StoppedException, InterruptedException {
    var result = run(folder, arguments);
    if (result.status() != 0) {
      throw SetupException.of(orElse, result);
    }
    return result;
  }

  CommandRunner.Result run(Path folder, String... arguments)
      throws StoppedException, InterruptedException {
    return run(Optional.empty(), folder, arguments);
  }

  /// Runs git with the token of a repository, which is only sent to that repository's host.
  CommandRunner.Result run(Optional<Repository> remote, Path folder, String... arguments)
      throws StoppedException, InterruptedException {
    var command = new ArrayList<>(SAFE);
    var token = remote.flatMap(Repository::token).map(lent::get);
    if (token.isPresent()) {
      var key = "credential." + remote.get().origin() + ".helper=";
      // The empty value clears the helpers of the operator's own configuration.
      command.addAll(List.of("-c", key, "-c", key + HELPER));
    }
    command.addAll(List.of(arguments));
    return bench.program(
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
                TOKEN,
                token.get())
            : Map.of("GIT_TERMINAL_PROMPT", "0", "GIT_ASKPASS", "", "SSH_ASKPASS", ""));
  }
}
