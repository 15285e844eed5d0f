package dev.runnel.service.isolation;

import dev.runnel.service.egress.EgressRelay;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Starts an [EgressRelay] beside a command, with the Java that runs Runnel: it is the one program
/// for it that is on every machine.
final class RelayCommand {
  /// Starts the command when the relay is ready. If the relay cannot start, the command has no
  /// network.
  private static final String SCRIPT =
      """
      exec 3<&0
      ready=/tmp/.relay-$$
      rm -f "$ready"; mkfifo "$ready" || exit 1
      "$JAVA" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx32m -cp "$RELAY" @MAIN@ "$SOCKET" \
        > "$ready" 2> /dev/null < /dev/null 3<&- &
      read -r _ < "$ready"; rm -f "$ready"
      unset JAVA RELAY SOCKET
      exec "$@" <&3 3<&-
      """
          .replace("@MAIN@", EgressRelay.class.getName());

  private static final String ADDRESS = "http://127.0.0.1:" + EgressRelay.PORT;

  private RelayCommand() {}

  /// The files that it needs inside.
  static List<Path> files() {
    return List.of(java(), classes());
  }

  static List<String> around(List<String> command, Path socket) {
    var whole = new ArrayList<>(List.of("/usr/bin/env"));
    whole.add("JAVA=" + java().resolve("bin/java"));
    whole.add("RELAY=" + classes());
    whole.add("SOCKET=" + socket.toAbsolutePath());
    whole.addAll(List.of("/bin/sh", "-c", SCRIPT, "sh"));
    whole.addAll(command);
    return whole;
  }

  /// The variables by which programs find the relay. The command of a [Isolation.Place] with a
  /// proxy needs them.
  static Map<String, String> variables() {
    var variables = new HashMap<String, String>();
    for (var name : List.of("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")) {
      variables.put(name, ADDRESS);
      variables.put(name.toLowerCase(Locale.ROOT), ADDRESS);
    }
    variables.put("NO_PROXY", "localhost,127.0.0.1,::1");
    variables.put("no_proxy", "localhost,127.0.0.1,::1");
    // Node.js ignores the variables above without it.
    variables.put("NODE_USE_ENV_PROXY", "1");
    return variables;
  }

  private static Path java() {
    return Path.of(System.getProperty("java.home"));
  }

  private static Path classes() {
    try {
      return Path.of(EgressRelay.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
