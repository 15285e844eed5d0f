package dev.runnel.console;

import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.console.detail.RunFacts;
import dev.runnel.console.view.RunView;
import dev.runnel.console.view.Templates;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.port.Store;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Keeps the page of runs, `/`, up to date. Sends the events `list`, the whole list, for a new page
/// and for the first run; those of [RowUpdates]; and for a page that has just requested a run
/// `notes`, the answers to it, and `started`, the path of the run. Not thread-safe.
final class HomePageEvents implements Streams.PageEvents {
  private static final int RUNS = 100;

  private final Store store;
  private final ConsoleSurface surface;
  private final Templates pages;
  private final InstantSource clock;
  private final @Nullable Conversation awaited;
  private final RowUpdates updates = new RowUpdates();
  private boolean isEmpty = true;
  private boolean isNew = true;
  private List<String> notes = List.of();

  HomePageEvents(
      Store store,
      ConsoleSurface surface,
      Templates pages,
      InstantSource clock,
      @Nullable Conversation awaited) {
    this.store = store;
    this.surface = surface;
    this.pages = pages;
    this.clock = clock;
    this.awaited = awaited;
  }

  static List<Binding> newest(Store store) {
    return store.<List<Binding>>read(bindings -> bindings.recent(Optional.empty(), "", RUNS));
  }

  static List<RunView> views(List<Binding> bindings, InstantSource clock) {
    var now = clock.instant();
    return bindings.stream().map(binding -> RunView.of(binding, now)).toList();
  }

  @Override
  public boolean collect(EventBuffer page) {
    if (updates.isDue()) {
      sendList(page);
    }
    if (awaited != null) {
      await(page, awaited);
    }
    return true;
  }

  private void sendList(EventBuffer page) {
    var views = views(newest(store), clock);
    var rows = views.stream().map(view -> view.row(pages)).toList();
    if (isNew || isEmpty != views.isEmpty()) {
      page.add("list", pages.runList(views));
      updates.hasAll(rows);
    } else {
      updates.send(page, rows);
    }
    isNew = false;
    isEmpty = views.isEmpty();
  }

  private void await(EventBuffer page, Conversation conversation) {
    var current = surface.notes(conversation);
    if (!current.equals(notes)) {
      notes = current;
      page.add("notes", pages.notes(current));
    }
    store
        .<Optional<Binding>>read(bindings -> bindings.of(conversation))
        .ifPresent(binding -> page.add("started", RunFacts.path(binding.run().id())));
  }
}
