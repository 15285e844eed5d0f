package dev.runnel.service.isolation;

import dev.runnel.service.egress.EgressRelay;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The variables that configure the proxy of a run for programs.
final class ProxyVariables {
  private static final String HOST = "127.0.0.1";
  private static final String ADDRESS = "http://" + HOST + ":" + EgressRelay.PORT;
  private static final String NO_PROXY_HOSTS = "localhost,127.0.0.1,::1";

  /// Java programs ignore the common variables. `JAVA_TOOL_OPTIONS` would apply to all of them, but
  /// then each prints a line about it.
  private static final List<String> JAVA_TOOL_VARIABLES = List.of("MAVEN_OPTS", "GRADLE_OPTS");

  private static final String JAVA_OPTIONS =
      "-Dhttp.proxyHost=%1$s -Dhttp.proxyPort=%2$d -Dhttps.proxyHost=%1$s -Dhttps.proxyPort=%2$d -Dhttp.nonProxyHosts=localhost|127.*|[::1] -Daether.connector.http.useSystemProperties=true -Daether.transport.http.useSystemProperties=true"
          .formatted(HOST, EgressRelay.PORT);

  private ProxyVariables() {}

  /// @param existing the other variables of the command
  static Map<String, String> of(Map<String, String> existing) {
    var variables = new HashMap<String, String>();
    for (var name : List.of("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")) {
      variables.put(name, ADDRESS);
      variables.put(name.toLowerCase(Locale.ROOT), ADDRESS);
    }
    variables.put("NO_PROXY", NO_PROXY_HOSTS);
    variables.put("no_proxy", NO_PROXY_HOSTS);
    // Node.js ignores the variables above without it.
    variables.put("NODE_USE_ENV_PROXY", "1");
    for (var name : JAVA_TOOL_VARIABLES) {
      var options = existing.getOrDefault(name, "");
      variables.put(name, options.isBlank() ? JAVA_OPTIONS : options + " " + JAVA_OPTIONS);
    }
    return variables;
  }
}
