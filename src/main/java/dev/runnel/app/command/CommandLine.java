package dev.runnel.app.command;

import dev.runnel.app.connect.ConnectCommand;
import dev.runnel.app.settings.RunnelSettings;
import dev.runnel.app.settings.Settings;
import dev.runnel.surface.Setting;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

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

  /// Calls the Agent Run API from a terminal.
  ///
  /// @param verb start, list, show, follow, cancel or watch
  /// @param waits whether a start then watches the run
  /// @param logs whether the transcript is printed while the run is watched
  /// @param all whether a list has all runs, not only the latest, and a cancellation means all that
  ///   are queued or work
  /// @param chosen the options of a start besides its prompt, by name: `model`, `env`, …; and those
  ///   of a list: `state`, `name`
  record RunCommand(
      Options options,
      String verb,
      List<String> arguments,
      boolean json,
      boolean waits,
      boolean logs,
      boolean all,
      Map<String, String> chosen)
      implements CommandLine {
    public RunCommand {
      chosen = Map.copyOf(chosen);
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

  String POLICY = "policy";

  /// The option of `policy test`.
  String GROUPS = "--groups";

  /// Minimum number of arguments of each verb of `run`; the last argument takes all remaining
  /// words.
  Map<String, Integer> RUN_VERBS =
      Map.of("start", 1, "list", 0, "show", 1, "follow", 2, "cancel", 1, "watch", 1);

  List<String> WITH_ARGUMENTS =
      List.of("freeze connect run attach hook audit backup restore forget completion".split(" "));

  static CommandLine parse(List<String> words) {
    Deque<String> rest = new ArrayDeque<>(isPolicy(words) ? split(words) : words);
    var arguments = new ArrayList<String>();
    var overrides = new HashMap<Setting, String>();
    Optional<Path> file = Optional.empty();
    var exitWhenReady = false;
    var json = false;
    var waits = false;
    var logs = false;
    var all = false;
    var escape = false;
    var own = false;
    var chosen = new HashMap<String, String>();
    while (!rest.isEmpty()) {
      var word = rest.remove();
      switch (word) {
        case "--help", "-h" -> {
          return new Help();
        }
        case "--version" -> {
          return new Version();
        }
        case "--exit-when-ready" -> exitWhenReady = true;
        case "--json" -> json = true;
        case "--wait" -> waits = true;
        case "--logs" -> logs = true;
        case "--all" -> all = true;
        case "--escape" -> escape = true;
        case "--own" -> own = true;
        case "--" -> {
          arguments.addAll(rest);
          rest.clear();
        }
        default -> {
          if (!word.startsWith("--")) {
            arguments.add(word);
            continue;
          }
          if (!VALUE_OPTIONS.contains(word)
              && !START_OPTIONS.contains(word)
              && !LIST_OPTIONS.contains(word)
              && !EXPORT_OPTIONS.contains(word)
              && !ConnectCommand.OPTIONS.contains(word)
              && !word.equals(GROUPS)) {
            return new Wrong("There is no option %s.%s".formatted(word, suggestion(word)));
          }
          if (rest.isEmpty()) {
            return new Wrong("%s needs a value.".formatted(word));
          }
          var value = rest.remove();
          switch (word) {
            case "--config" -> file = Optional.of(Path.of(value));
            case "--port" -> overrides.put(RunnelSettings.PORT, value);
            case "--data" -> overrides.put(RunnelSettings.DATA, value);
            default -> chosen.put(word.substring(2), value);
          }
        }
      }
    }
    var command = arguments.isEmpty() ? "serve" : arguments.removeFirst();
    if (command.equals(POLICY)) {
      return policy(new Options(file, overrides), arguments, chosen, own);
    }
    if (own) {
      return new Wrong("--own is for policy test.");
    }
    if (command.equals("connect")) {
      return waits
          ? new Wrong("--wait is for run start.")
          : connect(new Options(file, overrides), arguments, chosen);
    }
    var answered =
        chosen.keySet().stream().filter(it -> isOf(ConnectCommand.OPTIONS, it)).findFirst();
    if (answered.isPresent()) {
      return new Wrong("--%s is for connect.".formatted(answered.get()));
    }
    if (!WITH_ARGUMENTS.contains(command) && !arguments.isEmpty()) {
      return new Wrong(
          "%s does not take the argument `%s`.".formatted(command, arguments.getFirst()));
    }
    if (command.equals("audit")) {
      return waits
          ? new Wrong("--wait is for run start.")
          : audit(new Options(file, overrides), arguments, chosen);
    }
    var exported = chosen.keySet().stream().filter(it -> isOf(EXPORT_OPTIONS, it)).findFirst();
    if (exported.isPresent()) {
      return new Wrong("--%s is for audit export.".formatted(exported.get()));
    }
    var verb = command.equals("run") && !arguments.isEmpty() ? arguments.getFirst() : "";
    if (all && !List.of("list", "cancel").contains(verb)) {
      return new Wrong("--all is for run list and run cancel.");
    }
    if (logs && !verb.equals("watch") && !(verb.equals("start") && waits)) {
      return new Wrong("--logs is for run watch, and for run start with --wait.");
    }
    if (logs && json) {
      return new Wrong("--logs prints text: leave --json or --logs out.");
    }
    if (verb.equals("start") && chosen.containsKey("state")) {
      return new Wrong("--state is for run list.");
    }
    var isListed = chosen.keySet().stream().allMatch(it -> isOf(LIST_OPTIONS, it));
    if (!verb.equals("start") && !(verb.equals("list") && isListed && !waits)) {
      if (waits) {
        return new Wrong("--wait is for run start.");
      }
      if (!chosen.isEmpty()) {
        return new Wrong("--%s is for run start.".formatted(chosen.keySet().iterator().next()));
      }
    }
    if (escape && !command.equals("check")) {
      return new Wrong("--escape is for check.");
    }
    var options = new Options(file, overrides);
    return switch (command) {
      case "serve" -> new Serve(options, exitWhenReady);
      case "console" -> new Console(options);
      case "check" -> new Check(options, escape);
      case "manifest" -> new Manifest(options);
      case "reload" -> new Reload(options);
      case "freeze" ->
          new FreezeStarts(
              options,
              true,
              Optional.of(String.join(" ", arguments)).filter(reason -> !reason.isBlank()));
      case "unfreeze" -> new FreezeStarts(options, false, Optional.empty());
      case "help" -> new Help();
      case "version" -> new Version();
      case "run" -> run(options, arguments, json, waits, logs, all, chosen);
      case "completion" ->
          arguments.size() == 1 && Completions.SHELLS.contains(arguments.getFirst())
              ? new Completion(arguments.getFirst())
              : new Wrong("completion needs one of: bash, zsh, fish.");
      case "hook" ->
          arguments.size() == 1 || arguments.size() == 2
              ? new TryHook(
                  options, arguments.getFirst(), arguments.size() == 2 ? arguments.getLast() : "-")
              : new Wrong("hook needs the name of a hook, and perhaps the file of a sample.");
      case "attach" ->
          arguments.size() == 1
              ? new Attach(options, arguments.getFirst())
              : new Wrong("attach needs the id of a run.");
      case "forget" ->
          arguments.size() == 2 && List.of("run", "person").contains(arguments.getFirst())
              ? new Forget(options, arguments.getFirst(), arguments.getLast())
              : new Wrong("forget needs run ID or person ID.");
      case "backup", "restore" -> {
        if (arguments.size() != 1) {
          yield new Wrong(command + " needs one folder.");
        }
        var folder = Path.of(arguments.getFirst());
        yield command.equals("backup") ? new Backup(options, folder) : new Restore(options, folder);
      }
      default ->
          new Wrong(
              "There is no command %s.%s"
                  .formatted(command, Settings.suggestion(command, COMMANDS)));
    };
  }

  private static boolean isOf(List<String> options, String name) {
    return options.contains("--" + name);
  }

  private static CommandLine connect(
      Options options, List<String> arguments, Map<String, String> chosen) {
    if (arguments.size() != 1 || !ConnectCommand.PLATFORMS.contains(arguments.getFirst())) {
      return new Wrong(
          "connect needs one of: %s.".formatted(String.join(", ", ConnectCommand.PLATFORMS)));
    }
    var other =
        chosen.keySet().stream().filter(it -> !isOf(ConnectCommand.OPTIONS, it)).findFirst();
    var undecided =
        ConnectCommand.YES_OR_NO_OPTIONS.stream()
            .filter(
                it -> !List.of("yes", "no").contains(chosen.getOrDefault(it.substring(2), "no")))
            .findFirst();
    if (undecided.isPresent()) {
      return new Wrong("%s is yes or no.".formatted(undecided.get()));
    }
    return other.isPresent()
        ? new Wrong("connect takes no --%s.".formatted(other.get()))
        : new Connect(options, arguments.getFirst(), chosen);
  }

  private static CommandLine audit(
      Options options, List<String> arguments, Map<String, String> chosen) {
    var verb = arguments.isEmpty() ? "" : arguments.getFirst();
    if (arguments.size() != 1 || !List.of("export", "verify").contains(verb)) {
      return new Wrong("audit needs one of: export, verify.");
    }
    var other =
        chosen.keySet().stream()
            .filter(it -> verb.equals("verify") || !isOf(EXPORT_OPTIONS, it))
            .findFirst();
    return other.isPresent()
        ? new Wrong("audit %s takes no --%s.".formatted(verb, other.get()))
        : new Audit(options, verb, chosen);
  }

  private static boolean isPolicy(List<String> words) {
    return words.contains(POLICY) && !words.contains("run");
  }

  /// The request may be quoted as one word.
  private static List<String> split(List<String> words) {
    return words.stream().flatMap(word -> Stream.of(word.strip().split("\\s+", -1))).toList();
  }

  private static CommandLine policy(
      Options options, List<String> arguments, Map<String, String> chosen, boolean own) {
    if (arguments.isEmpty() || !arguments.getFirst().equals("test")) {
      return new Wrong("policy needs: test WHO VERB WHERE.");
    }
    if (arguments.size() != 4) {
      return new Wrong(
          "policy test needs a person, a verb and a place, like"
              + " slack:T012AB/U012345 start slack:T012AB/C012345.");
    }
    return new PolicyTest(
        options, arguments.get(1), arguments.get(2), arguments.get(3), chosen, own);
  }

  private static String suggestion(String option) {
    var others =
        Stream.of("--json", "--wait", "--logs", "--all", "--escape", "--help", "--version");
    var known =
        Stream.of(
                VALUE_OPTIONS.stream(),
                START_OPTIONS.stream(),
                LIST_OPTIONS.stream(),
                EXPORT_OPTIONS.stream(),
                ConnectCommand.OPTIONS.stream(),
                others)
            .flatMap(it -> it)
            .toList();
    return Settings.suggestion(option, known);
  }

  private static CommandLine run(
      Options options,
      List<String> arguments,
      boolean json,
      boolean waits,
      boolean logs,
      boolean all,
      Map<String, String> chosen) {
    var verb = arguments.isEmpty() ? "" : arguments.getFirst();
    var needed = RUN_VERBS.get(verb);
    if (needed == null) {
      return new Wrong("run needs one of: start, list, show, follow, cancel, watch.");
    }
    var given = arguments.subList(1, arguments.size());
    if (all && verb.equals("cancel") && !given.isEmpty()) {
      return new Wrong("run cancel takes an id or --all.");
    }
    if (given.size() < needed && !(all && verb.equals("cancel"))) {
      return new Wrong(
          "run %s needs %s."
              .formatted(
                  verb,
                  switch (verb) {
                    case "start" -> "a PROMPT";
                    case "follow" -> "an ID and a TEXT";
                    case "cancel" -> "an ID, or --all";
                    default -> "an ID";
                  }));
    }
    return new RunCommand(options, verb, List.copyOf(given), json, waits, logs, all, chosen);
  }
}
