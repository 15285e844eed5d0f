package dev.runnel.app.server;

import dev.runnel.app.settings.Config;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/// Applies new settings to a running Runnel, as far as that is possible without a restart.
/// Thread-safe.
final class SettingsReload {
  private static final Pattern LIVE =
      Pattern.compile(
          "(profiles|defaults|hooks|files)\\..*|routes\\[.*|policy\\.(?!installations\\b).*|admins|reminders|log\\.level");
  private static final Pattern HOOK = Pattern.compile("hooks\\..*");

  /// The redactor learns new secrets only at a start.
  private static final Pattern PROOF = Pattern.compile("hooks\\.[^.]+\\.proof\\b.*");

  /// The result of a reload, by the paths of the settings.
  ///
  /// @param applied the settings that are in force now
  /// @param atRestart the settings that the next start applies
  record Result(List<String> applied, List<String> atRestart) {
    Result {
      applied = List.copyOf(applied);
      atRestart = List.copyOf(atRestart);
    }

    /// One line for each kind, for people.
    String text() {
      if (applied.isEmpty() && atRestart.isEmpty()) {
        return "Nothing has changed.\n";
      }
      return (applied.isEmpty() ? "" : "applied: " + String.join(", ", applied) + "\n")
          + (atRestart.isEmpty() ? "" : "needs a restart: " + String.join(", ", atRestart) + "\n");
    }
  }

  /// Guarded by this.
  private final Map<String, String> current;

  private final BiConsumer<Config, Boolean> apply;

  /// @param started the settings at the start
  /// @param apply applies settings; the flag says whether to apply the hooks, too
  SettingsReload(Config started, BiConsumer<Config, Boolean> apply) {
    this.current = new HashMap<>(started.settings().byPath());
    this.apply = apply;
  }

  /// @param next the settings, which are valid
  synchronized Result reload(Config next) {
    var after = next.settings().byPath();
    var changed = new TreeSet<String>(after.keySet());
    changed.addAll(current.keySet());
    changed.removeIf(path -> after.containsKey(path) && after.get(path).equals(current.get(path)));
    var withHooks = changed.stream().noneMatch(path -> PROOF.matcher(path).matches());
    var applied =
        changed.stream()
            .filter(path -> LIVE.matcher(path).matches())
            .filter(path -> withHooks || !HOOK.matcher(path).matches())
            .toList();
    if (!applied.isEmpty()) {
      apply.accept(next, withHooks);
      for (var path : applied) {
        if (after.containsKey(path)) {
          current.put(path, String.valueOf(after.get(path)));
        } else {
          current.remove(path);
        }
      }
    }
    changed.removeAll(applied);
    return new Result(applied, List.copyOf(changed));
  }

  /// The settings in force, by path.
  synchronized Map<String, String> current() {
    return Map.copyOf(current);
  }
}
