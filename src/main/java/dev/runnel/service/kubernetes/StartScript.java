package dev.runnel.service.kubernetes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// The shell script that runs as the first process of a container. It reads the variables and the
/// input from the files of the start, starts the program, adds a prefix to the lines of its
/// standard error, and forwards SIGTERM to all processes. Needs only `/bin/sh`.
final class StartScript {
  /// The folder with the files of the start, in the container.
  static final String FOLDER = "/run/runnel";

  static final String INPUT = "input";
  static final String ENVIRONMENT = "environment";

  /// The exit status of a second pod for the same start, and of a start that was withdrawn.
  static final int REFUSED = 97;

  private static final String SCRIPT =
      """
      (set -C; : > FOLDER/begun) 2>/dev/null || exit 97
      [ -r FOLDER/environment ] || exit 97
      . FOLDER/environment
      rm -f FOLDER/environment
      mark=$1; shift
      cd "$1" || exit 98
      shift
      # SIGTERM to this process is meant for the program and its child processes. When this process
      # ends, they are killed, so it must end last. The file is for a program that has not started.
      ending=
      if [ $$ = 1 ]; then
        trap 'ending=yes; echo > FOLDER/ending; kill -TERM -1' TERM
      else
        trap 'trap "" TERM; echo > FOLDER/ending; kill -TERM 0' TERM
      fi
      {
        # The reader of standard error must outlive the program, so it ignores SIGTERM from its start.
        trap '' TERM
        {
          (
            trap - TERM
            [ ! -e FOLDER/ending ] || exit 143
            exec "$@"
          ) < FOLDER/input 2>&1 1>&3 3>&-
          echo $? > FOLDER/status
          printf '%s\\n' "$mark"
        } | {
          while IFS= read -r line || [ -n "$line" ]; do
            # When a request to end has ended the program, processes that it started may still use
            # their time to end. Without a reader, SIGPIPE would kill them.
            if [ "$line" = "$mark" ]; then
              [ -e FOLDER/ending ] && continue
              break
            fi
            printf '%s%s\\n' "$mark" "$line" >&2
          done
        }
      } 3>&1 &
      main=$!
      while kill -0 $main 2>/dev/null; do wait $main; done
      [ -z "$ending" ] || while kill -0 -1 2>/dev/null; do sleep 0.1; done
      status=1
      read -r status < FOLDER/status
      exit $status
      """
          .replace("FOLDER", FOLDER);

  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private StartScript() {}

  /// The command of the container.
  ///
  /// @param errorPrefix the prefix of standard error lines in the log
  static List<String> command(String errorPrefix, String folder, List<String> program) {
    var command = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, "sh", errorPrefix, folder));
    command.addAll(program);
    return command;
  }

  /// The variables as shell commands.
  static String environment(Map<String, String> variables) {
    var text = new StringBuilder();
    new TreeMap<>(variables)
        .forEach(
            (name, value) -> {
              if (NAME.matcher(name).matches()) {
                text.append("export %s='%s'\n".formatted(name, value.replace("'", "'\\''")));
              }
            });
    return text.toString();
  }
}
