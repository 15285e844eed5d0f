package dev.runnel.console.view;

import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.console.transcript.Transcripts;
import dev.runnel.core.model.Binding;
import dev.runnel.core.port.RunCatalog;
import dev.runnel.core.scope.ConversationScope;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// A row of the list of runs.
///
/// Public because the templates are in another package.
///
/// @param binding empty for a run that Runnel did not start
public record RunRowView(RunCatalog.Entry entry, Optional<Binding> binding, Instant now) {
  private static final int MAX_MESSAGE = 160;

  /// Markdown that means nothing on one line: bold, code, headings.
  private static final Pattern MARKS = Pattern.compile("\\*\\*|`|^#{1,6} ", Pattern.MULTILINE);

  /// The run, for the badge, the title and the results.
  public RunView run() {
    return new RunView(entry.run(), binding, now, Set.of());
  }

  public String id() {
    return entry.run().id().value();
  }

  public String who() {
    return binding.map(it -> it.requester().name()).orElse(entry.creator());
  }

  /// The message or issue it began with; empty if it has no web address.
  public String origin() {
    var link = run().placeLink();
    return link.isEmpty()
        ? entry
            .origin()
            .flatMap(it -> ConsoleSurface.web(it.toString()))
            .map(URI::toString)
            .orElse("")
        : link;
  }

  /// The channel or repository, as [RunListQuery#at] takes it; empty for a run that was requested
  /// elsewhere.
  public String place() {
    return binding
        .map(Binding::conversation)
        .filter(it -> !it.surface().equals(ConsoleSurface.ID))
        .map(ConversationScope::here)
        .orElse("");
  }

  public String created() {
    return entry.createdAt().map(Instant::toString).orElse("");
  }

  public String when() {
    return entry.createdAt().map(it -> RunView.ago(Duration.between(it, now))).orElse("");
  }

  public String took() {
    var run = run();
    return run.isActive() ? "" : run.elapsed();
  }

  /// The beginning of the question, the answer or the failure, on one line, without Markdown.
  public String message() {
    return entry
        .run()
        .message()
        .map(it -> MARKS.matcher(it).replaceAll(""))
        .map(it -> Transcripts.inShort(it.strip().replaceAll("\\s+", " "), MAX_MESSAGE))
        .orElse("");
  }

  /// The row of it that a page keeps up to date.
  public LiveRow live(Templates pages, RunListQuery query) {
    var run = run();
    return new LiveRow(
        id(),
        List.of(
            run.shown(),
            who(),
            entry.source(),
            origin(),
            place(),
            created(),
            run.cost(),
            entry.creatorId(),
            entry.agent(),
            entry.run().environmentName(),
            entry.run().model()),
        message(),
        () -> pages.runRow(query, this));
  }
}
