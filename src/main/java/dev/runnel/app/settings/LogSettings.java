package dev.runnel.app.settings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// What is logged, and how.
///
/// @param json one JSON object a line, instead of text
/// @param level of Runnel's own loggers: `error`, `warn`, `info`, `debug` or `trace`
/// @param levels of single loggers, by their names
public record LogSettings(boolean json, String level, Map<String, String> levels) {
  private static final Set<String> LEVELS = Set.of("error", "warn", "info", "debug", "trace");

  public LogSettings {
    levels = Map.copyOf(levels);
  }

  /// @throws SettingsException if a value is not understood
  static LogSettings of(Settings settings) {
    var format = settings.get(RunnelSettings.LOG_FORMAT).orElse("text").strip();
    if (!List.of("text", "json").contains(format)) {
      throw settings.wrong(
          RunnelSettings.LOG_FORMAT, "is %s, and must be text or json".formatted(format));
    }
    var level = "info";
    var levels = new LinkedHashMap<String, String>();
    for (var each : settings.get(RunnelSettings.LOG_LEVEL).orElse("info").split(",", -1)) {
      var parts = each.strip().split("(?:(?<!\\s)\\s+)?+=\\s*", 2);
      var chosen = parts[parts.length - 1].toLowerCase(Locale.ROOT);
      if (!LEVELS.contains(chosen) || parts[0].isBlank()) {
        throw settings.wrong(
            RunnelSettings.LOG_LEVEL,
            "holds %s, and must be error, warn, info, debug or trace; for single loggers LOGGER=LEVEL, separated by commas, as in info,dev.runnel.surface.slack=debug"
                .formatted(each.strip()));
      }
      if (parts.length == 1) {
        level = chosen;
      } else {
        levels.put(parts[0], chosen);
      }
    }
    return new LogSettings(format.equals("json"), level, levels);
  }
}
