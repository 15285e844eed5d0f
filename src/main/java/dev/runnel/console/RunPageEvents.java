package dev.runnel.console;

import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.console.transcript.Transcripts;
import dev.runnel.console.view.RunFactsReader;
import dev.runnel.console.view.RunView;
import dev.runnel.console.view.Templates;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.RunId;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/// Keeps the page of one run up to date. Sends the events `head`, the part above the transcript;
/// `facts`, the part beside it; `lines`, the transcript's next lines, with the number of the last
/// one as event id; `notes`, the answers to people of the console; and `moved` when its
/// conversation has another run. Not thread-safe.
final class RunPageEvents implements Streams.PageEvents {
  /// Number of polls between two reads of a run that only the run service knows.
  private static final int POLLS_PER_READ = 20;

  private final ConsoleData data;
  private final ConsoleSurface surface;
  private final RunFactsReader facts;
  private final Templates pages;
  private final InstantSource clock;
  private RunView shown;
  private List<String> notes;
  private long line;
  private boolean mayGrow = true;
  private boolean first = true;
  private int polls;

  /// @param shown the run as initially rendered
  /// @param line the number of the last line that the page has
  RunPageEvents(
      ConsoleData data,
      ConsoleSurface surface,
      RunFactsReader facts,
      Templates pages,
      InstantSource clock,
      RunView shown,
      long line) {
    this.data = data;
    this.surface = surface;
    this.facts = facts;
    this.pages = pages;
    this.clock = clock;
    this.shown = shown;
    this.line = line;
    this.notes = List.of();
  }

  @Override
  public boolean collect(EventBuffer page) {
    var now = current();
    if (!now.run().id().equals(shown.run().id())) {
      page.add("moved", now.path());
      return false;
    }
    if (first || !now.isSameAs(shown)) {
      page.add("head", pages.runHead(now));
      if (!first && !now.run().stateName().equals(shown.run().stateName())) {
        page.add("facts", pages.facts(facts.of(now)));
      }
      mayGrow = true;
    }
    first = false;
    shown = now;
    sendNotes(page);
    sendLines(page);
    return true;
  }

  private RunView current() {
    var known =
        shown
            .place()
            .flatMap(place -> data.store().<Optional<Binding>>read(bindings -> bindings.of(place)));
    if (known.isPresent()) {
      return RunView.of(known.get(), clock.instant()).permitting(shown.permitted());
    }
    if (shown.binding().isPresent()) {
      return shown;
    }
    if (!shown.isActive() || ++polls % POLLS_PER_READ != 0) {
      return shown;
    }
    RunId run = shown.run().id();
    return data.runs().find(run) instanceof Outcome.Done(var found)
        ? RunView.unbound(found, clock.instant()).permitting(shown.permitted())
        : shown;
  }

  private void sendNotes(EventBuffer page) {
    var current = shown.place().map(surface::notes).orElse(List.of());
    if (!current.equals(notes)) {
      notes = current;
      page.add("notes", pages.notes(current));
    }
  }

  private void sendLines(EventBuffer page) {
    if (!mayGrow) {
      return;
    }
    var part = data.transcripts().after(shown.run().id(), line).map(Transcripts.Part::firstPart);
    mayGrow = part.map(Transcripts.Part::mayGrow).orElse(false);
    var lines = part.map(Transcripts.Part::lines).orElse(List.of());
    if (!lines.isEmpty()) {
      line = lines.getLast().number();
      page.add("lines", pages.lines(lines), Long.toString(line));
    }
  }
}
