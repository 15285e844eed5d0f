package dev.runnel.service.workspace;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Git as Runnel runs it: it asks no questions, and executes nothing that a repository or a
/// template brings.
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
          // What cleans up must be over when the command is.
          "-c",
          "gc.autoDetach=false",
          "-c",
          "maintenance.autoDetach=false",
          "-c",
          "submodule.recurse=false",
          // The mirrors are ours.
          "-c",
          "safe.bareRepository=all");
  private static final String TOKEN = "RUNNEL_GIT_TOKEN";

  /// Names the variable, never the value: arguments are for everybody to see.
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

  /// @throws SetupException with the words and git's own, when it fails
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

  /// With the token of a repository, for its own host alone.
  CommandRunner.Result run(Optional<Repository> remote, Path folder, String... arguments)
      throws StoppedException, InterruptedException {
    var command = new ArrayList<>(SAFE);
    var token = remote.flatMap(Repository::token).map(lent::get);
    if (token.isPresent()) {
      var key = "credential." + remote.get().origin() + ".helper=";
      // The empty one takes the helpers of the operator's own configuration out.
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
