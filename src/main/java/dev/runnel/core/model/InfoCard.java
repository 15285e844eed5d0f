package dev.runnel.core.model;

import dev.runnel.core.model.Question.Configure.Level;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// A short answer in rows, for one person. Plain words; `code` in backticks is the only mark.
///
/// @param next what to type next
/// @param changeable whose defaults, which it shows, the person may change; mostly empty
/// @param work words that a run is started with if the person wants that; mostly empty
public record InfoCard(
    String title, List<Row> rows, List<Next> next, List<Level> changeable, Optional<String> work) {
  public InfoCard(String title, List<Row> rows, List<Next> next) {
    this(title, rows, next, List.of());
  }

  public InfoCard(String title, List<Row> rows, List<Next> next, List<Level> changeable) {
    this(title, rows, next, changeable, Optional.empty());
  }

  /// @param label empty for a row that is one sentence
  /// @param text may have been said by others
  /// @param note where it comes from, in a few words; often empty
  public record Row(String label, String text, String note, Optional<URI> link) {
    public static Row of(String label, String text) {
      return new Row(label, text, "", Optional.empty());
    }

    public static Row of(String label, String text, String note) {
      return new Row(label, text, note, Optional.empty());
    }

    public static Row sentence(String text) {
      return of("", text);
    }
  }

  /// @param words what it does: `To start it`
  /// @param command without the name it is addressed by: `list all`
  public record Next(String words, String command) {}

  public InfoCard {
    rows = List.copyOf(rows);
    next = List.copyOf(next);
    // Rows of an older version have none.
    changeable = Copies.of(changeable);
    work = Objects.requireNonNullElse(work, Optional.empty());
  }
}
