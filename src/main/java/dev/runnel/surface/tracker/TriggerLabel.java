package dev.runnel.surface.tracker;

import dev.runnel.core.model.run.RunState;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The label that starts a run, compared as a whole and ignoring case. Followed by `:NAME`, it
/// starts a run with the profile NAME, unless it is one of the state labels.
public record TriggerLabel(String name) {
  private enum Sign {
    RUNNING,
    DONE,
    FAILED,
    BLOCKED
  }

  public boolean isTrigger(String label) {
    return label.equalsIgnoreCase(name) || profile(label).isPresent();
  }

  public boolean isAmong(Collection<String> labels) {
    return labels.stream().anyMatch(this::isTrigger);
  }

  /// The profile in a label: `fast` in `agent:fast`.
  public Optional<String> profile(String label) {
    return suffix(label).filter(_ -> states().stream().noneMatch(label::equalsIgnoreCase));
  }

  private Optional<String> suffix(String label) {
    var prefix = name + ":";
    return label.regionMatches(true, 0, prefix, 0, prefix.length())
        ? Optional.of(label.substring(prefix.length()).strip()).filter(rest -> !rest.isEmpty())
        : Optional.empty();
  }

  /// The state labels: `agent:running`.
  public List<String> states() {
    return Arrays.stream(Sign.values()).map(this::state).toList();
  }

  /// The label for a state; empty for none.
  public Optional<String> state(RunState state) {
    return switch (state) {
      case QUEUED, RUNNING -> Optional.of(state(Sign.RUNNING));
      case BLOCKED -> Optional.of(state(Sign.BLOCKED));
      case SUCCEEDED -> Optional.of(state(Sign.DONE));
      case FAILED -> Optional.of(state(Sign.FAILED));
      case CANCELLED, UNKNOWN -> Optional.empty();
    };
  }

  private String state(Sign sign) {
    return name + ":" + sign.name().toLowerCase(Locale.ROOT);
  }
}
