package dev.runnel.surface.tracker;

import dev.runnel.core.model.run.RunState;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The stages of a run that an issue's status can show.
public enum IssueStage {
  RUNNING,
  BLOCKED,
  DONE,
  FAILED,
  CANCELLED;

  /// Reads `running=In progress`, `done=In review`.
  ///
  /// @return by stage; empty if an entry cannot be read
  public static Optional<Map<IssueStage, String>> read(List<String> entries) {
    var names = new EnumMap<IssueStage, String>(IssueStage.class);
    for (var entry : entries) {
      var parts = entry.split("=", 2);
      var stage = named(parts[0].strip());
      if (parts.length < 2 || parts[1].isBlank() || stage.isEmpty()) {
        return Optional.empty();
      }
      names.put(stage.get(), parts[1].strip());
    }
    return Optional.of(names);
  }

  private static Optional<IssueStage> named(String word) {
    return Arrays.stream(values())
        .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(word))
        .findFirst();
  }

  public static Optional<IssueStage> of(RunState state) {
    return switch (state) {
      case QUEUED, RUNNING -> Optional.of(RUNNING);
      case BLOCKED -> Optional.of(BLOCKED);
      case SUCCEEDED -> Optional.of(DONE);
      case FAILED -> Optional.of(FAILED);
      case CANCELLED -> Optional.of(CANCELLED);
      case UNKNOWN -> Optional.empty();
    };
  }
}
