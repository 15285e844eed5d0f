package dev.runnel.app.connect;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The known facts while a platform is being connected: settings by variable, answers, and the
/// steps that were taken.
record Facts(Map<String, String> values) {
  Facts {
    values = Map.copyOf(values);
  }

  Optional<String> get(String name) {
    return Optional.ofNullable(values.get(name)).filter(it -> !it.isBlank());
  }

  /// @throws IllegalStateException if a guide asks for it before it is known
  String require(String name) {
    return get(name).orElseThrow(() -> new IllegalStateException(name + " is not known yet"));
  }

  /// Also true for an optional question with an empty answer.
  boolean has(String name) {
    return values.containsKey(name);
  }

  Facts with(String name, String value) {
    return with(Map.of(name, value));
  }

  Facts with(Map<String, String> others) {
    var all = new HashMap<>(values);
    all.putAll(others);
    return new Facts(all);
  }

  Facts without(Iterable<String> names) {
    var rest = new HashMap<>(values);
    names.forEach(rest::remove);
    return new Facts(rest);
  }

  /// Omits the values, because some are secret.
  @Override
  public String toString() {
    return "Facts" + values.keySet();
  }
}
