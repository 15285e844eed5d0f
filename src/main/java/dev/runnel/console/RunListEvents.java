package dev.runnel.console;

import dev.runnel.console.view.RunListQuery;
import dev.runnel.console.view.RunLists;
import dev.runnel.console.view.Templates;
import java.time.InstantSource;

/// Keeps a page of the list of all runs up to date. Sends the events of [RowUpdates]. Not
/// thread-safe.
final class RunListEvents implements Streams.PageEvents {
  private final RunLists lists;
  private final RunListQuery query;
  private final Templates pages;
  private final InstantSource clock;
  private final RowUpdates updates = new RowUpdates();

  RunListEvents(RunLists lists, RunListQuery query, Templates pages, InstantSource clock) {
    this.lists = lists;
    this.query = query;
    this.pages = pages;
    this.clock = clock;
  }

  @Override
  public boolean collect(EventBuffer page) {
    if (!updates.isDue()) {
      return true;
    }
    var list = lists.read(query);
    if (list.problem().isEmpty()) {
      var now = clock.instant();
      updates.send(page, list.all().stream().map(row -> row.view(now).live(pages, query)).toList());
    }
    return true;
  }
}
