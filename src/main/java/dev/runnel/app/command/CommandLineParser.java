package dev.runnel.app.command;

import dev.runnel.app.command.CommandLine.Attach;
import dev.runnel.app.command.CommandLine.Audit;
import dev.runnel.app.command.CommandLine.Backup;
import dev.runnel.app.command.CommandLine.Check;
import dev.runnel.app.command.CommandLine.Completion;
import dev.runnel.app.command.CommandLine.Connect;
import dev.runnel.app.command.CommandLine.Console;
import dev.runnel.app.command.CommandLine.Forget;
import dev.runnel.app.command.CommandLine.FreezeStarts;
import dev.runnel.app.command.CommandLine.Help;
import dev.runnel.app.command.CommandLine.Options;
import dev.runnel.app.command.CommandLine.PolicyTest;
import dev.runnel.app.command.CommandLine.Reload;
import dev.runnel.app.command.CommandLine.Restore;
import dev.runnel.app.command.CommandLine.RunCommand;
import dev.runnel.app.command.CommandLine.RunFlag;
import dev.runnel.app.command.CommandLine.Serve;
import dev.runnel.app.command.CommandLine.TryHook;
import dev.runnel.app.command.CommandLine.Version;
import dev.runnel.app.command.CommandLine.Wrong;
import dev.runnel.app.connect.ConnectCommand;
import dev.runnel.app.settings.RunnelSettings;
import dev.runnel.app.settings.Settings;
import dev.runnel.surface.Setting;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Parses one command line of `./runnel`.
final class CommandLineParser {
  private static final String PORT = "--port";
  private static final int MAX_PORT = 65_535;
  private static final String POLICY = "policy";
  private static final String ESCAPE = "--escape";
  private static final String OWN = "--own";
  private static final String EXIT_WHEN_READY = "--exit-when-ready";

  private static final List<String> WITH_ARGUMENTS =
      List.of(
          "freeze connect run attach hook audit backup restore forget policy completion"
              .split(" "));

  /// The commands whose first argument is a verb that takes options of its own.
  private static final Set<String> WITH_VERB = Set.of("run", "audit", POLICY);

  /// The options that only some commands take, with these commands.
  private static final Map<String, List<String>> TAKEN_BY =
      Stream.of(
              taken("run start", CommandLine.START_OPTIONS),
              taken("run list", CommandLine.LIST_OPTIONS),
              taken("audit export", CommandLine.EXPORT_OPTIONS),
              taken("connect", ConnectCommand.OPTIONS),
              taken("policy test", List.of("--env", "--model", "--groups", OWN)),
              taken("check", List.of(ESCAPE)),
              taken("run start", List.of(RunFlag.WAIT.option(), RunFlag.LOGS.option())),
              taken("run watch", List.of(RunFlag.LOGS.option())),
              taken("run list", List.of(RunFlag.ALL.option())),
              taken("run cancel", List.of(RunFlag.ALL.option())))
          .flatMap(it -> it)
          .collect(
              Collectors.groupingBy(
                  Map.Entry::getKey,
                  Collectors.mapping(Map.Entry::getValue, Collectors.toUnmodifiableList())));

  private static final List<String> WITHOUT_VALUE =
      Stream.concat(
              Stream.of(ESCAPE, OWN, EXIT_WHEN_READY),
              Stream.of(RunFlag.values()).map(RunFlag::option))
          .toList();

  private final List<String> arguments = new ArrayList<>();
  private final Map<Setting, String> overrides = new HashMap<>();
  private final Set<String> flags = new TreeSet<>();
  private final Map<String, String> chosen = new LinkedHashMap<>();
  private Optional<Path> file = Optional.empty();

  private static Stream<Map.Entry<String, String>> taken(String command, List<String> options) {
    return options.stream().map(option -> Map.entry(option, command));
  }

  CommandLine parse(List<String> words) {
    return read(words).orElseGet(this::command);
  }

  /// Sorts the words into arguments and options.
  ///
  /// @return what the words alone decide
  private Optional<CommandLine> read(List<String> words) {
    Deque<String> rest = new ArrayDeque<>(isPolicy(words) ? split(words) : words);
    while (!rest.isEmpty()) {
      var word = rest.remove();
      if (List.of("--help", "-h").contains(word)) {
        return Optional.of(new Help());
      }
      if (word.equals("--version")) {
        return Optional.of(new Version());
      }
      if (word.equals("--")) {
        arguments.addAll(rest);
        rest.clear();
      } else if (!word.startsWith("--")) {
        arguments.add(word);
      } else if (WITHOUT_VALUE.contains(word)) {
        flags.add(word);
      } else if (!TAKEN_BY.containsKey(word) && !CommandLine.VALUE_OPTIONS.contains(word)) {
        return wrong("There is no option %s.%s".formatted(word, suggestion(word)));
      } else if (rest.isEmpty()) {
        return wrong("%s needs a value.".formatted(word));
      } else {
        var value = rest.remove();
        if (word.equals(PORT) && !isPort(value)) {
          return wrong(
              "--port on the command line is %s, and must be a number from 0 to %d."
                  .formatted(value, MAX_PORT));
        }
        choose(word, value);
      }
    }
    return Optional.empty();
  }

  private static boolean isPort(String value) {
    try {
      var port = Integer.parseInt(value);
      return port >= 0 && port <= MAX_PORT;
    } catch (NumberFormatException _) {
      return false;
    }
  }

  private void choose(String option, String value) {
    switch (option) {
      case "--config" -> file = Optional.of(Path.of(value));
      case PORT -> overrides.put(RunnelSettings.PORT, value);
      case "--data" -> overrides.put(RunnelSettings.DATA, value);
      default -> chosen.put(option.substring(2), value);
    }
  }

  private static boolean isPolicy(List<String> words) {
    return words.contains(POLICY) && !words.contains("run");
  }

  /// The request may be quoted as one word.
  private static List<String> split(List<String> words) {
    return words.stream().flatMap(word -> Stream.of(word.strip().split("\\s+", -1))).toList();
  }

  private static String suggestion(String option) {
    var known =
        Stream.of(
                CommandLine.VALUE_OPTIONS.stream(),
                TAKEN_BY.keySet().stream().sorted(),
                Stream.of(RunFlag.JSON.option(), "--help", "--version"))
            .flatMap(it -> it)
            .toList();
    return Settings.suggestion(option, known);
  }

  private static Optional<CommandLine> wrong(String why) {
    return Optional.of(new Wrong(why));
  }

  private CommandLine command() {
    var command = arguments.isEmpty() ? "serve" : arguments.removeFirst();
    return unknown(command)
        .or(() -> surplus(command))
        .or(() -> misplaced(command))
        .orElseGet(() -> command(command, new Options(file, overrides)));
  }

  private static Optional<CommandLine> unknown(String command) {
    return CommandLine.COMMANDS.contains(command) || command.equals("version")
        ? Optional.empty()
        : wrong(
            "There is no command %s.%s"
                .formatted(command, Settings.suggestion(command, CommandLine.COMMANDS)));
  }

  private Optional<CommandLine> surplus(String command) {
    return WITH_ARGUMENTS.contains(command) || arguments.isEmpty()
        ? Optional.empty()
        : wrong("%s does not take the argument `%s`.".formatted(command, arguments.getFirst()));
  }

  /// An option that the command does not take.
  private Optional<CommandLine> misplaced(String command) {
    var name =
        WITH_VERB.contains(command) && !arguments.isEmpty()
            ? command + " " + arguments.getFirst()
            : command;
    return Stream.concat(flags.stream(), chosen.keySet().stream().map(option -> "--" + option))
        .filter(option -> !TAKEN_BY.getOrDefault(option, List.of(name)).contains(name))
        .findFirst()
        .flatMap(
            option ->
                wrong(
                    "%s is for %s."
                        .formatted(
                            option,
                            String.join(" and ", TAKEN_BY.getOrDefault(option, List.of())))));
  }

  private CommandLine command(String command, Options options) {
    return switch (command) {
      case "serve" -> new Serve(options, flags.contains(EXIT_WHEN_READY));
      case "console" -> new Console(options);
      case "check" -> new Check(options, flags.contains(ESCAPE));
      case "manifest" -> new CommandLine.Manifest(options);
      case "reload" -> new Reload(options);
      case "freeze" ->
          new FreezeStarts(
              options,
              true,
              Optional.of(String.join(" ", arguments)).filter(reason -> !reason.isBlank()));
      case "unfreeze" -> new FreezeStarts(options, false, Optional.empty());
      case "help" -> new Help();
      case "version" -> new Version();
      case "run" -> run(options);
      case "connect" -> connect(options);
      case "audit" -> audit(options);
      case POLICY -> policy(options);
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
      default -> throw new IllegalStateException("COMMANDS has one that is not parsed: " + command);
    };
  }

  private CommandLine connect(Options options) {
    if (arguments.size() != 1 || !ConnectCommand.PLATFORMS.contains(arguments.getFirst())) {
      return new Wrong(
          "connect needs one of: %s.".formatted(String.join(", ", ConnectCommand.PLATFORMS)));
    }
    var undecided =
        ConnectCommand.YES_OR_NO_OPTIONS.stream()
            .filter(
                it -> !List.of("yes", "no").contains(chosen.getOrDefault(it.substring(2), "no")))
            .findFirst();
    return undecided.isPresent()
        ? new Wrong("%s is yes or no.".formatted(undecided.get()))
        : new Connect(options, arguments.getFirst(), chosen);
  }

  private CommandLine audit(Options options) {
    var verb = arguments.isEmpty() ? "" : arguments.getFirst();
    return arguments.size() == 1 && List.of("export", "verify").contains(verb)
        ? new Audit(options, verb, chosen)
        : new Wrong("audit needs one of: export, verify.");
  }

  private CommandLine policy(Options options) {
    if (arguments.isEmpty() || !arguments.getFirst().equals("test")) {
      return new Wrong("policy needs: test WHO VERB WHERE.");
    }
    if (arguments.size() != 4) {
      return new Wrong(
          "policy test needs a person, a verb and a place, like"
              + " slack:T012AB/U012345 start slack:T012AB/C012345.");
    }
    return new PolicyTest(
        options, arguments.get(1), arguments.get(2), arguments.get(3), chosen, flags.contains(OWN));
  }

  private CommandLine run(Options options) {
    var verb = arguments.isEmpty() ? "" : arguments.getFirst();
    var needed = CommandLine.RUN_VERBS.get(verb);
    if (needed == null) {
      return new Wrong("run needs one of: start, list, show, follow, cancel, watch.");
    }
    var given = arguments.subList(1, arguments.size());
    var runFlags = EnumSet.allOf(RunFlag.class);
    runFlags.removeIf(flag -> !flags.contains(flag.option()));
    if (runFlags.contains(RunFlag.LOGS)
        && verb.equals("start")
        && !runFlags.contains(RunFlag.WAIT)) {
      return new Wrong("--logs of run start needs --wait.");
    }
    if (runFlags.containsAll(List.of(RunFlag.LOGS, RunFlag.JSON))) {
      return new Wrong("--logs prints text: leave --json or --logs out.");
    }
    var isOfAll = runFlags.contains(RunFlag.ALL) && verb.equals("cancel");
    if (isOfAll && !given.isEmpty()) {
      return new Wrong("run cancel takes an id or --all.");
    }
    if (given.size() < needed && !isOfAll) {
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
    return new RunCommand(options, verb, List.copyOf(given), runFlags, chosen);
  }
}
