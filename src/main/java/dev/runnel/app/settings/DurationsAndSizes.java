package dev.runnel.app.settings;

import dev.runnel.core.deliver.Reminders;
import dev.runnel.service.run.limit.Limits;
import dev.runnel.surface.Setting;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Parses durations and sizes in settings: `90s`, `15m`, `6h`, `7d`; `512KB`, `256MB`, `10GB`.
/// `off` is no limit.
public final class DurationsAndSizes {
  private static final Pattern SHAPE = Pattern.compile("(\\d{1,9})\\s*([A-Za-z]+)");
  private static final Pattern MONEY = Pattern.compile("\\d{1,9}(?:\\.\\d{1,6})?");
  private static final Map<String, Duration> TIMES =
      Map.of(
          "s", Duration.ofSeconds(1),
          "m", Duration.ofMinutes(1),
          "h", Duration.ofHours(1),
          "d", Duration.ofDays(1));
  private static final Map<String, Long> SIZES =
      Map.of("KB", 1L << 10, "MB", 1L << 20, "GB", 1L << 30, "TB", 1L << 40);

  private DurationsAndSizes() {}

  static Duration time(Settings settings, Setting setting, Duration defaultValue) {
    var text = settings.get(setting);
    if (text.isEmpty()) {
      return defaultValue;
    }
    if (settings.isOff(setting)) {
      return Limits.FOREVER;
    }
    return time(text.get())
        .orElseThrow(
            () ->
                settings.wrong(
                    setting,
                    "is %s, and must be a time like 90s, 15m, 6h or 7d, or off"
                        .formatted(text.get())));
  }

  /// @param setting one whose documented default is a time
  static Duration time(Settings settings, Setting setting) {
    return time(settings, setting, time(setting.defaultValue()).orElseThrow());
  }

  /// @return empty if it is not a duration
  public static Optional<Duration> time(String text) {
    var match = SHAPE.matcher(text.strip());
    return match.matches() && TIMES.containsKey(match.group(2))
        ? Optional.of(TIMES.get(match.group(2)).multipliedBy(Long.parseLong(match.group(1))))
            .filter(time -> time.compareTo(Limits.FOREVER) <= 0)
        : Optional.empty();
  }

  /// An amount such as `5` or `0.50`; empty for no limit.
  static Optional<BigDecimal> money(Settings settings, Setting setting) {
    var text = settings.get(setting).map(String::strip).filter(it -> !it.equals(Setting.OFF));
    if (text.isPresent() && !MONEY.matcher(text.get()).matches()) {
      throw settings.wrong(
          setting, "is %s, and must be an amount like 5 or 0.50, or off".formatted(text.get()));
    }
    return text.map(BigDecimal::new);
  }

  /// Ascending durations such as `30m, 4h, 24h`; `off` for none.
  static Reminders reminders(Settings settings, Setting setting) {
    var text = settings.get(setting);
    if (text.isEmpty()) {
      return Reminders.DEFAULT;
    }
    if (settings.isOff(setting)) {
      return Reminders.NONE;
    }
    try {
      return new Reminders(
          Stream.of(text.get().split(",", -1))
              .map(each -> time(each).orElseThrow(() -> new IllegalArgumentException(each)))
              .toList());
    } catch (IllegalArgumentException e) {
      throw settings.wrong(
          setting,
          "is %s, and must be times one after the other, like 30m, 4h, 24h, or off"
              .formatted(text.get()));
    }
  }

  static long size(Settings settings, Setting setting, long defaultValue) {
    var text = settings.get(setting);
    if (text.isEmpty()) {
      return defaultValue;
    }
    if (settings.isOff(setting)) {
      return Limits.UNLIMITED;
    }
    return size(text.get())
        .orElseThrow(
            () ->
                settings.wrong(
                    setting,
                    "is %s, and must be a size like 512KB, 256MB or 10GB, or off"
                        .formatted(text.get())));
  }

  /// @param setting one whose documented default is a size
  static long size(Settings settings, Setting setting) {
    return size(settings, setting, size(setting.defaultValue()).orElseThrow());
  }

  /// @return empty if it is not a size
  private static Optional<Long> size(String text) {
    var match = SHAPE.matcher(text.strip());
    if (!match.matches() || !SIZES.containsKey(match.group(2))) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          Math.multiplyExact(SIZES.get(match.group(2)), Long.parseLong(match.group(1))));
    } catch (ArithmeticException _) {
      return Optional.empty();
    }
  }
}
