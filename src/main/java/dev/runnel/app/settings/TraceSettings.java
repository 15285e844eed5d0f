package dev.runnel.app.settings;

import dev.runnel.surface.Setting;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Where traces go.
///
/// @param headers of each request
public record TraceSettings(URI endpoint, Map<String, String> headers) {
  public TraceSettings {
    headers = Map.copyOf(headers);
  }

  /// @return empty if there are no traces
  /// @throws SettingsException if a value is not understood
  static Optional<TraceSettings> of(Settings settings) {
    return settings
        .get(RunnelSettings.TRACES_ENDPOINT)
        .map(String::strip)
        .filter(it -> !it.equals(Setting.OFF))
        .map(it -> new TraceSettings(endpoint(settings, it), headers(settings)));
  }

  private static URI endpoint(Settings settings, String text) {
    try {
      var uri = URI.create(text);
      if (("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
          && uri.getHost() != null) {
        return uri;
      }
      throw new IllegalArgumentException(text);
    } catch (IllegalArgumentException e) {
      throw settings.wrong(
          RunnelSettings.TRACES_ENDPOINT,
          "must be off or a web address, such as http://localhost:4318/v1/traces");
    }
  }

  private static Map<String, String> headers(Settings settings) {
    var headers = new LinkedHashMap<String, String>();
    for (var each :
        settings
            .get(RunnelSettings.TRACES_HEADERS)
            .map(it -> it.split(",", -1))
            .orElse(new String[0])) {
      var parts = each.strip().split("(?:(?<!\\s)\\s+)?+=\\s*", 2);
      if (parts.length < 2 || parts[0].isBlank()) {
        throw settings.wrong(
            RunnelSettings.TRACES_HEADERS, "needs headers as NAME=VALUE, separated by commas");
      }
      headers.put(parts[0], parts[1]);
    }
    return headers;
  }

  /// Omits the headers, which may be secret.
  @Override
  public String toString() {
    return "TraceSettings[" + endpoint + "]";
  }
}
