package dev.runnel.client;

import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunPage;
import java.util.HashSet;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// The pages of a list, each read when it is asked for. Every iterator begins anew.
///
/// The list ends where the service says so, at an empty page, and where no cursor is given. A
/// cursor that comes a second time would never end: it is a [RunsException.UnreadableAnswer].
public final class Pages implements Iterable<RunPage> {
  private final RunsClient client;
  private final ListRuns query;
  private final RequestOptions options;

  Pages(RunsClient client, ListRuns query, RequestOptions options) {
    this.client = client;
    this.query = query;
    this.options = options;
  }

  @Override
  public Iterator<RunPage> iterator() {
    return new Reading();
  }

  public Stream<RunPage> stream() {
    return StreamSupport.stream(spliterator(), false);
  }

  /// All runs of all pages. A run that changes meanwhile may come twice.
  public Stream<RunItem> runs() {
    return stream().flatMap(page -> page.runs().stream());
  }

  private final class Reading implements Iterator<RunPage> {
    private final Set<String> cursors = new HashSet<>();
    private Optional<ListRuns> next = Optional.of(query);

    @Override
    public boolean hasNext() {
      return next.isPresent();
    }

    @Override
    public RunPage next() {
      var page = client.list(next.orElseThrow(NoSuchElementException::new), options);
      next = after(page);
      return page;
    }

    private Optional<ListRuns> after(RunPage page) {
      var cursor = page.pageInfo().nextCursor();
      if (!page.pageInfo().hasNextPage()
          || page.runs().isEmpty()
          || cursor == null
          || cursor.isEmpty()) {
        return Optional.empty();
      }
      if (!cursors.add(cursor)) {
        throw new RunsException.UnreadableAnswer(
            "Could not list runs: the same page would come again and again", 200, false, null);
      }
      return Optional.of(query.cursor(cursor));
    }
  }
}
