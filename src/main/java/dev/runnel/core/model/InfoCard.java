package dev.runnel.core.model;

import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.conversation.ListCopies;
import dev.runnel.core.model.run.RunId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A short answer in rows, for one person. Plain text; `code` in backticks is the only markup.
///
/// @param next commands to try next
/// @param changeable the levels whose defaults the person may change here; mostly empty
/// @param work text that starts a run if the person confirms; mostly empty
/// @param stoppable runs that the person may want to stop; mostly empty
/// @param choices commands that people may choose from, as buttons where the platform has them. A
///   card with choices is for everybody in the conversation
/// @param offers commands that only the person may want, as buttons where the platform has them;
///   mostly empty
@RecordBuilder
public record InfoCard(
    String title,
    List<Row> rows,
    List<Next> next,
    List<Level> changeable,
    Optional<String> work,
    List<Stoppable> stoppable,
    List<Choice> choices,
    List<Choice> offers)
    implements InfoCardBuilder.With {
  public InfoCard {
    rows = List.copyOf(rows);
    next = List.copyOf(next);
    // Rows of an older version have none.
    changeable = ListCopies.of(changeable);
    work = Objects.requireNonNullElse(work, Optional.empty());
    stoppable = ListCopies.of(stoppable);
    choices = ListCopies.of(choices);
    offers = ListCopies.of(offers);
  }

  public InfoCard(String title, List<Row> rows, List<Next> next) {
    this(title, rows, next, List.of(), Optional.empty(), List.of(), List.of(), List.of());
  }

  /// A card of one sentence.
  public static InfoCard sentence(String title) {
    return new InfoCard(title, List.of(), List.of());
  }

  /// The title and the rows, for places that show no cards.
  public String text() {
    return Stream.concat(Stream.of(title), rows.stream().map(Row::line))
        .collect(Collectors.joining("\n"));
  }

  /// @param label on the button: `Approve`
  /// @param command the command without the bot's name: `approve 1a2b3c4d`
  public record Choice(String label, String command) {}

  /// An active run, shown with a way to stop it.
  ///
  /// @param state as a heading: `Running`
  /// @param title may contain text of third parties
  public record Stoppable(RunId run, String state, String title) {}

  /// @param label empty for a row that is one sentence
  /// @param text may contain text of third parties
  /// @param note where the value comes from, in a few words; often empty
  /// @param mentions whether the platform notifies the people that the text names, as in a policy:
  ///   `slack:U012345`
  public record Row(String label, String text, String note, Optional<URI> link, boolean mentions) {
    public Row(String label, String text, String note, Optional<URI> link) {
      this(label, text, note, link, false);
    }

    public static Row of(String label, String text) {
      return new Row(label, text, "", Optional.empty());
    }

    public static Row of(String label, String text, String note) {
      return new Row(label, text, note, Optional.empty());
    }

    /// A copy that notifies the people named in its text, so the text must be Runnel's own.
    public Row mentioning() {
      return new Row(label, text, note, link, true);
    }

    private String line() {
      return (label.isEmpty() ? text : label + ": " + text) + (note.isEmpty() ? "" : " · " + note);
    }

    public static Row sentence(String text) {
      return of("", text);
    }
  }

  /// @param words the command's purpose: `To start it`
  /// @param command the command without the bot's name: `list all`
  public record Next(String words, String command) {}
}
