package dev.runnel.core.scope;

import dev.runnel.core.model.run.RunOptions;
import java.util.Map;
import java.util.TreeSet;

/// Named sets of run options from the configuration, picked by `--profile NAME` or the label
/// `agent:NAME`.
public record Profiles(Map<String, RunOptions> byName) {
  public static final Profiles NONE = new Profiles(Map.of());

  public Profiles {
    byName = Map.copyOf(byName);
  }

  public String unknown(String name) {
    return "There is no profile `%s`. %s"
        .formatted(
            name,
            byName.isEmpty()
                ? "None are configured yet."
                : "There are: " + String.join(", ", new TreeSet<>(byName.keySet())) + ".");
  }
}
