package dev.runnel.console;

import dev.runnel.console.view.RunListQuery;
import dev.runnel.console.view.RunLists;
import dev.runnel.console.view.RunLists.Row;
import dev.runnel.console.view.Templates;
import io.javalin.http.sse.SseClient;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Keeps a page of the list of runs up to date. Sends the events `row`, a new or changed row, and
/// `order`, the ids of all rows, separated by spaces. Not thread-safe.
final class LiveRunListPage implements Streams.LivePage {
  /// Reading a list from the run service costs more than reading rows, so not each poll does it.
  private static final int POLLS_PER_READ = 4;

  private final RunLists lists;
  private final RunListQuery query;
  private final Templates pages;
  private final InstantSource clock;
  private final Map<String, Row> shown = new HashMap<>();
  private List<String> order = List.of();
  private int polls;

  LiveRunListPage(RunLists lists, RunListQuery query, Templates pages, InstantSource clock) {
    this.lists = lists;
    this.query = query;
    this.pages = pages;
    this.clock = clock;
  }

  @Override
  public boolean send(SseClient page) {
    if (polls++ % POLLS_PER_READ != 0) {
      return true;
    }
    var list = lists.read(query);
    if (list.problem().isPresent()) {
      return true;
    }
    var rows = list.all();
    for (var row : rows) {
      var id = row.entry().run().id().value();
      if (!row.equals(shown.put(id, row))) {
        page.sendEvent("row", pages.runRow(query, row.view(clock.instant())));
      }
    }
    var now = rows.stream().map(it -> it.entry().run().id().value()).toList();
    shown.keySet().retainAll(now);
    if (!now.equals(order)) {
      order = now;
      page.sendEvent("order", String.join(" ", now));
    }
    return true;
  }
}
