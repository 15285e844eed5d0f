package dev.runnel.app.command;

import dev.runnel.app.connect.ConnectCommand;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/// Scripts that complete the words of a command line: commands, verbs, options, states, and files
/// where a path is expected. They call nothing.
public final class Completions {
  static final List<String> SHELLS = List.of("bash", "zsh", "fish");

  /// The states by which `run list` filters.
  static final List<String> STATES =
      List.of("queued", "inprogress", "blocked", "succeeded", "failed", "error", "cancelled");

  private static final List<String> RUN_FLAGS =
      Stream.of(CommandLine.RunFlag.values()).map(CommandLine.RunFlag::option).toList();

  private Completions() {}

  /// @param shell one of [#SHELLS]
  public static String of(String shell) {
    return switch (shell) {
      case "bash" -> bash();
      // zsh has the functions of bash.
      case "zsh" -> "#compdef runnel\nautoload -U +X bashcompinit && bashcompinit\n" + bash();
      default -> fish();
    };
  }

  private static String words(Stream<String> words) {
    return String.join(" ", words.toList());
  }

  private static List<String> runOptions() {
    return Stream.of(
            CommandLine.START_OPTIONS.stream(),
            CommandLine.LIST_OPTIONS.stream(),
            RUN_FLAGS.stream())
        .flatMap(it -> it)
        .distinct()
        .toList();
  }

  private static String bash() {
    return """
    # Completion of runnel: eval "$(./runnel completion bash)"
    _runnel() {
      local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" choices
      case "$before" in
        --config) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --data|backup|restore) COMPREPLY=($(compgen -d -- "$word")); return ;;
        --state) choices="%s" ;;
        run) choices="%s" ;;
        audit) choices="export verify" ;;
        connect) choices="%s" ;;
        policy) choices="test" ;;
        forget) choices="run person" ;;
        completion) choices="%s" ;;
        *)
          case "$word" in
            -*)
              choices="%s --help --version"
              case " ${COMP_WORDS[*]} " in *" run "*) choices="$choices %s" ;; esac
              case " ${COMP_WORDS[*]} " in *" export "*) choices="$choices %s" ;; esac
              case " ${COMP_WORDS[*]} " in *" connect "*) choices="$choices %s" ;; esac ;;
            *) if [ "$COMP_CWORD" -eq 1 ]; then choices="%s"; fi ;;
          esac ;;
      esac
      COMPREPLY=($(compgen -W "$choices" -- "$word"))
    }
    complete -F _runnel runnel ./runnel
    """
        .formatted(
            words(STATES.stream()),
            words(new TreeSet<>(CommandLine.RUN_VERBS.keySet()).stream()),
            words(ConnectCommand.PLATFORMS.stream()),
            words(SHELLS.stream()),
            words(CommandLine.VALUE_OPTIONS.stream()),
            words(runOptions().stream()),
            words(CommandLine.EXPORT_OPTIONS.stream()),
            words(ConnectCommand.OPTIONS.stream()),
            words(CommandLine.COMMANDS.stream()));
  }

  private static String fish() {
    var lines = new StringBuilder("# Completion of runnel: ./runnel completion fish | source\n");
    lines.append("complete -c runnel -f\n");
    lines.append(choice("__fish_use_subcommand", words(CommandLine.COMMANDS.stream())));
    lines.append(after("run", words(new TreeSet<>(CommandLine.RUN_VERBS.keySet()).stream())));
    lines.append(after("audit", "export verify"));
    lines.append(after("connect", words(ConnectCommand.PLATFORMS.stream())));
    lines.append(after("policy", "test"));
    lines.append(after("forget", "run person"));
    lines.append(after("completion", words(SHELLS.stream())));
    for (var option : CommandLine.VALUE_OPTIONS) {
      lines.append("complete -c runnel -l %s -r -F\n".formatted(option.substring(2)));
    }
    for (var option : runOptions()) {
      var values =
          option.equals("--state")
              ? " -x -a '" + words(STATES.stream()) + "'"
              : RUN_FLAGS.contains(option) ? "" : " -x";
      lines.append(
          "complete -c runnel -n '__fish_seen_subcommand_from run' -l %s%s\n"
              .formatted(option.substring(2), values));
    }
    for (var option : CommandLine.EXPORT_OPTIONS) {
      lines.append(
          "complete -c runnel -n '__fish_seen_subcommand_from export' -l %s -x\n"
              .formatted(option.substring(2)));
    }
    for (var option : ConnectCommand.OPTIONS) {
      lines.append(
          "complete -c runnel -n '__fish_seen_subcommand_from connect' -l %s -x\n"
              .formatted(option.substring(2)));
    }
    return lines.toString();
  }

  private static String after(String command, String words) {
    return choice("__fish_seen_subcommand_from " + command, words);
  }

  private static String choice(String condition, String words) {
    return "complete -c runnel -n '%s' -a '%s'\n".formatted(condition, words);
  }
}
