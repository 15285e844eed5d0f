package dev.runnel.client;

import dev.runnel.client.ClientContext.Received;
import dev.runnel.wire.PageInfo;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One page of a list. A page is the last if the service says so, if it is empty, or if it has no
/// cursor.
///
/// @param <T> type of the items
public final class Page<T> {
  private final Received received;
  private final List<T> items;
  private final Optional<String> cursor;
  private final Set<String> earlier;
  private final Next<T> next;

  /// Creates the call for the page after a cursor.
  @FunctionalInterface
  interface Next<T> {
    /// @param earlier all cursors so far, including this one
    Call<Page<T>> at(String cursor, Set<String> earlier);
  }

  /// @param earlier the cursors of the pages before
  Page(
      Received received,
      List<T> items,
      @Nullable PageInfo info,
      Set<String> earlier,
      Next<T> next) {
    this.received = received;
    this.items = items;
    this.cursor =
        Optional.ofNullable(info)
            .filter(it -> it.hasNextPage() && !items.isEmpty())
            .map(PageInfo::nextCursor)
            .filter(it -> !it.isEmpty());
    this.earlier = earlier;
    this.next = next;
  }

  static <P, T> Call.Reader<Page<T>> reader(
      Class<P> type,
      Function<P, List<T>> items,
      Function<P, @Nullable PageInfo> info,
      Set<String> earlier,
      Next<T> next) {
    return received -> {
      var page = Call.json(type).read(received);
      return new Page<>(received, items.apply(page), info.apply(page), earlier, next);
    };
  }

  public List<T> items() {
    return items;
  }

  public boolean hasNext() {
    return cursor.isPresent();
  }

  /// The cursor of the next page, to continue later; empty on the last page.
  public Optional<String> nextCursor() {
    return cursor;
  }

  /// The call for the next page, with the options of this one; empty on the last page.
  ///
  /// @throws RunsException.MalformedResponse if the cursor was returned before: the list would be
  ///   endless
  public Optional<Call<Page<T>>> next() {
    if (cursor.isEmpty()) {
      return Optional.empty();
    }
    if (earlier.contains(cursor.get())) {
      throw RunsException.unreadable(
          received.call(), received.answer(), "the same page would come again and again");
    }
    var seen = new HashSet<>(earlier);
    seen.add(cursor.get());
    var options = received.options().withoutQuery("cursor");
    return Optional.of(next.at(cursor.get(), seen).withOptions(ignored -> options));
  }
}
