package dev.runnel.app;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What was typed after `./runnel`.
sealed interface CommandLine {
  /// Bot, embedded service and console.
  ///
  /// @param exitWhenReady stop as soon as everything works: a smoke test, and the training run
  ///     of the
  ///     class cache
  record Serve(Optional<Path> file, Map<Setting, String> overrides, boolean exitWhenReady)
      implements CommandLine {}

  record Check(Optional<Path> file) implements CommandLine {}

  /// What a sample gives at a hook, without starting anything.
  ///
  /// @param sample a file; `-` for standard input
  record TryHook(Optional<Path> file, String name, String sample) implements CommandLine {}

  record Manifest(Optional<Path> file) implements CommandLine {}

  /// The Agent Run API from a terminal.
  ///
  /// @param verb start, list, show, follow, cancel or watch
  record RunCommand(Optional<Path> file, String verb, List<String> arguments, boolean json)
      implements CommandLine {}

  record Help() implements CommandLine {}

  record Version() implements CommandLine {}

  /// Not understood.
  record Wrong(String why) implements CommandLine {}

  /// How many arguments each verb of `run` takes, at least; the last takes the rest of the words.
  Map<String, Integer> RUN_VERBS =
      Map.of("start", 1, "list", 0, "show", 1, "follow", 2, "cancel", 1, "watch", 1);

  static CommandLine parse(List<String> words) {
    Deque<String> rest = new ArrayDeque<>(words);
    var arguments = new ArrayList<String>();
    var overrides = new EnumMap<Setting, String>(Setting.class);
    Optional<Path> file = Optional.empty();
    var exitWhenReady = false;
    var json = false;
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
        case "--config", "--port", "--data" -> {
          if (rest.isEmpty()) {
            return new Wrong("%s needs a value.".formatted(word));
          }
          var value = rest.remove();
          switch (word) {
            case "--config" -> file = Optional.of(Path.of(value));
            case "--port" -> overrides.put(Setting.PORT, value);
            default -> overrides.put(Setting.RUNNEL_DATA, value);
          }
        }
        case "--" -> {
          arguments.addAll(rest);
          rest.clear();
        }
        default -> {
          if (word.startsWith("--")) {
            return new Wrong(
                "There is no option %s.%s"
                    .formatted(
                        word,
                        Settings.suggestion(
                            word,
                            List.of(
                                "--config", "--port", "--data", "--json", "--help", "--version"))));
          }
          arguments.add(word);
        }
      }
    }
    var command = arguments.isEmpty() ? "serve" : arguments.removeFirst();
    if (!List.of("run", "hook").contains(command) && !arguments.isEmpty()) {
      return new Wrong("%s takes no %s.".formatted(command, arguments.getFirst()));
    }
    return switch (command) {
      case "serve" -> new Serve(file, overrides, exitWhenReady);
      case "check" -> new Check(file);
      case "manifest" -> new Manifest(file);
      case "help" -> new Help();
      case "version" -> new Version();
      case "run" -> run(file, arguments, json);
      case "hook" ->
          arguments.size() == 1 || arguments.size() == 2
              ? new TryHook(
                  file, arguments.getFirst(), arguments.size() == 2 ? arguments.getLast() : "-")
              : new Wrong("hook needs the name of a hook, and perhaps the file of a sample.");
      default ->
          new Wrong(
              "There is no command %s.%s"
                  .formatted(
                      command,
                      Settings.suggestion(
                          command, List.of("serve", "check", "manifest", "hook", "run", "help"))));
    };
  }

  private static CommandLine run(Optional<Path> file, List<String> arguments, boolean json) {
    var verb = arguments.isEmpty() ? "" : arguments.getFirst();
    var needed = RUN_VERBS.get(verb);
    if (needed == null) {
      return new Wrong("run needs one of: start, list, show, follow, cancel, watch.");
    }
    var given = arguments.subList(1, arguments.size());
    if (given.size() < needed) {
      return new Wrong("run " + verb + " needs more words.");
    }
    return new RunCommand(file, verb, List.copyOf(given), json);
  }
}
