package dev.runnel.service.kubernetes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// The shell script that is the first process of a pod. It takes the variables and the input from
/// the files of the start, starts the program, marks the lines of its standard error, and passes
/// the request to terminate to all processes. Needs `/bin/sh` only.
final class StartScript {
  /// Where the files of the start are in the pod.
  static final String FOLDER = "/run/runnel";

  static final String INPUT = "input";
  static final String ENVIRONMENT = "environment";

  /// The exit status of a second pod for the same start, and of a start that was taken back.
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
      # Whoever asks this process to end means the program and what that has started. Their time to
      # end is over with this process, so it ends last. The file is for a program that has not begun.
      ending=
      if [ $$ = 1 ]; then
        trap 'ending=yes; echo > FOLDER/ending; kill -TERM -1' TERM
      else
        trap 'trap "" TERM; echo > FOLDER/ending; kill -TERM 0' TERM
      fi
      {
        # The reader of standard error starts beside the program and must outlive it, so it ignores
        # the request from its first moment on.
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
            [ "$line" = "$mark" ] && break
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
  /// @param mark what lines of standard error begin with
  static List<String> command(String mark, String folder, List<String> program) {
    var command = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, "sh", mark, folder));
    command.addAll(program);
    return command;
  }

  /// The variables as commands of a shell.
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
