package dev.runnel.app.command;

import dev.runnel.surface.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The parsed command line of `./runnel`.
public sealed interface CommandLine {
  /// The options of every command.
  ///
  /// @param file the settings file
  /// @param overrides settings that override the file and the environment
  record Options(Optional<Path> file, Map<Setting, String> overrides) {}

  /// Runs bot, embedded service and console.
  ///
  /// @param exitWhenReady whether to stop once everything has started: for a smoke test, and for
  ///   the training run of the class cache
  record Serve(Options options, boolean exitWhenReady) implements CommandLine {}

  /// Prints a link that opens the console.
  record Console(Options options) implements CommandLine {}

  /// Checks what is connected.
  ///
  /// @param escape whether to try the ways out of the isolation of agents, too
  record Check(Options options, boolean escape) implements CommandLine {}

  /// Shows what a hook would do with a sample, without starting anything.
  ///
  /// @param sample a file; `-` for standard input
  record TryHook(Options options, String name, String sample) implements CommandLine {}

  record Manifest(Options options) implements CommandLine {}

  /// Guides through connecting a platform.
  ///
  /// @param platform `slack` or `github`
  /// @param chosen the answers that were given as options
  record Connect(Options options, String platform, Map<String, String> chosen)
      implements CommandLine {
    public Connect {
      chosen = Map.copyOf(chosen);
    }
  }

  /// Stops all starts, or permits them again.
  record FreezeStarts(Options options, boolean on, Optional<String> reason)
      implements CommandLine {}

  /// Shows which rule of the policy decides about a request.
  ///
  /// @param who `slack:T012AB/U012345`
  /// @param verb `start`
  /// @param where `slack:T012AB/C012345`
  /// @param chosen `env`, `model`, and `groups`: groups of the platform that contain the person,
  ///   separated by commas
  /// @param own whether it concerns the person's own run
  record PolicyTest(
      Options options,
      String who,
      String verb,
      String where,
      Map<String, String> chosen,
      boolean own)
      implements CommandLine {
    public PolicyTest {
      chosen = Map.copyOf(chosen);
    }
  }

  /// The options of `run` that take no value.
  enum RunFlag {
    JSON,
    /// A start then watches the run.
    WAIT,
    /// The transcript is printed while the run is watched.
    LOGS,
    /// A list has all runs, not only the latest; a cancellation means all that are queued or work.
    ALL;

    String option() {
      return "--" + name().toLowerCase(Locale.ROOT);
    }
  }

  /// Calls the Agent Run API from a terminal.
  ///
  /// @param verb start, list, show, follow, cancel or watch
  /// @param chosen the options of a start besides its prompt, by name: `model`, `env`, …; and those
  ///   of a list: `state`, `name`
  record RunCommand(
      Options options,
      String verb,
      List<String> arguments,
      Set<RunFlag> flags,
      Map<String, String> chosen)
      implements CommandLine {
    public RunCommand {
      flags = Set.copyOf(flags);
      chosen = Map.copyOf(chosen);
    }

    boolean has(RunFlag flag) {
      return flags.contains(flag);
    }
  }

  /// Reads the audit log.
  ///
  /// @param verb export or verify
  /// @param chosen `since` and `until` of an export
  record Audit(Options options, String verb, Map<String, String> chosen) implements CommandLine {
    public Audit {
      chosen = Map.copyOf(chosen);
    }
  }

  /// Copies the data folder of a running or stopped server.
  record Backup(Options options, Path folder) implements CommandLine {}

  /// Makes the data folder from a backup.
  record Restore(Options options, Path folder) implements CommandLine {}

  /// Removes all traces of a run or a person.
  ///
  /// @param kind run or person
  record Forget(Options options, String kind, String id) implements CommandLine {}

  /// Prints how to go on with a run in a terminal.
  record Attach(Options options, String id) implements CommandLine {}

  /// Prints a script that completes words.
  ///
  /// @param shell bash, zsh or fish
  record Completion(String shell) implements CommandLine {}

  /// Lets the running server read its settings again.
  record Reload(Options options) implements CommandLine {}

  record Help() implements CommandLine {}

  record Version() implements CommandLine {}

  /// An invalid command line.
  record Wrong(String why) implements CommandLine {}

  /// The options of every command that take a value.
  List<String> VALUE_OPTIONS = List.of("--config", "--port", "--data");

  /// The options of `run start`.
  List<String> START_OPTIONS =
      List.of("--name", "--model", "--env", "--title", "--skill", "--factory");

  /// The options of `run list` that take a value.
  List<String> LIST_OPTIONS = List.of("--state", "--name");

  List<String> COMMANDS =
      List.of(
          """
          serve console check connect manifest hook run attach audit backup restore forget reload
          freeze unfreeze policy completion help
          """
              .split("\\s+"));

  /// The options of `audit export`.
  List<String> EXPORT_OPTIONS = List.of("--since", "--until");

  /// Minimum number of arguments of each verb of `run`; the last argument takes all remaining
  /// words.
  Map<String, Integer> RUN_VERBS =
      Map.of("start", 1, "list", 0, "show", 1, "follow", 2, "cancel", 1, "watch", 1);

  static CommandLine parse(List<String> words) {
    return new CommandLineParser().parse(words);
  }
}
