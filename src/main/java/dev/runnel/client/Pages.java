package dev.runnel.client;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// The pages of a list, loaded lazily. Every iterator starts again with the first page.
///
/// @param <T> type of the items
public final class Pages<T> implements Iterable<Page<T>> {
  private final ClientContext context;
  private final Call<Page<T>> first;

  Pages(ClientContext context, Call<Page<T>> first) {
    this.context = context;
    this.first = first;
  }

  /// Returns the same pages, requested with other options.
  public Pages<T> withOptions(UnaryOperator<RequestOptions> change) {
    return new Pages<>(context, first.withOptions(change));
  }

  /// The iterator's methods throw [RunsException].
  @Override
  public Iterator<Page<T>> iterator() {
    return new Reading();
  }

  public Stream<Page<T>> stream() {
    return StreamSupport.stream(spliterator(), false);
  }

  /// The items of all pages. An item that changes meanwhile may occur twice.
  public Stream<T> items() {
    return stream().flatMap(page -> page.items().stream());
  }

  /// Passes each item to the consumer, in order, on the client's executor. The future completes at
  /// the end of the list, or fails with the exception of a page or the consumer; cancelling it
  /// stops the iteration.
  public CompletableFuture<Done> forEachAsync(Consumer<T> consumer) {
    return context.async(
        () -> {
          items().forEach(consumer);
          return Done.DONE;
        });
  }

  private final class Reading implements Iterator<Page<T>> {
    private Optional<Call<Page<T>>> next = Optional.of(first);

    @Override
    public boolean hasNext() {
      return next.isPresent();
    }

    @Override
    public Page<T> next() {
      var page = next.orElseThrow(NoSuchElementException::new).send();
      next = page.next();
      return page;
    }
  }
}
