package dev.runnel.surface.tracker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.PagedReader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Collects the deliveries that a tracker's webhooks made, or should have made, since a given time.
/// Bounded; remembers which lists the token may not read.
public final class MissedDeliveryCollector {
  private static final Logger log = LoggerFactory.getLogger(MissedDeliveryCollector.class);
  private static final int MAX_PLACES = 20;

  private final SurfaceId surface;
  private final Instant since;
  private final Instant from;
  private final Instant now;
  private final List<MissedDeliveries.ListedDelivery> listed = new ArrayList<>();
  private final List<String> unread = new ArrayList<>();
  private Optional<Instant> continueAt = Optional.empty();

  /// @param from see [dev.runnel.core.port.MissedDeliverySource#since]
  MissedDeliveryCollector(SurfaceId surface, Instant since, Instant from, Instant now) {
    this.surface = surface;
    this.since = since;
    this.from = from;
    this.now = now;
  }

  /// Parses the payload that the webhook of an event has.
  @FunctionalInterface
  public interface Parser {
    Optional<Delivery> parse(DeliveryId id, Instant arrivedAt);
  }

  /// Since when messages and changes count.
  public Instant since() {
    return since;
  }

  /// Since when issues must have changed to be read: later than [#since()] if an earlier check has
  /// read those before.
  public Instant from() {
    return from;
  }

  public Instant now() {
    return now;
  }

  /// Whether the time is before [#since()]; false for an unknown time.
  public boolean isBefore(Optional<Instant> at) {
    return at.filter(since::isAfter).isPresent();
  }

  /// The repositories or projects of the issues, without repetition: only the first few.
  public static <I> List<String> places(Collection<I> issues, Function<I, String> place) {
    return issues.stream().map(place).distinct().limit(MAX_PLACES).toList();
  }

  /// The elements of a list to read now: the first ones by their time, and all of the last one's
  /// time. Lets the next check continue at the first one that is left out.
  ///
  /// @param most the limit
  /// @param at when the element was changed; one without a time comes last
  public <T> List<T> first(int most, List<T> elements, Function<T, Optional<Instant>> at) {
    var sorted =
        elements.stream()
            .filter(each -> at.apply(each).filter(from::isAfter).isEmpty())
            .sorted(Comparator.comparing(each -> at.apply(each).orElse(Instant.MAX)))
            .toList();
    var count = Math.min(most, sorted.size());
    while (count > 0
        && count < sorted.size()
        && at.apply(sorted.get(count)).equals(at.apply(sorted.get(count - 1)))) {
      count++;
    }
    if (count < sorted.size()) {
      log.warn(
          "catch-up limit reached, the next check continues surface={} count={}",
          surface,
          sorted.size() - count);
      at.apply(sorted.get(count)).ifPresent(this::continueAt);
    }
    return sorted.subList(0, count);
  }

  /// Reads all pages of a list, up to a limit.
  ///
  /// @param size the number of elements on a full page
  public List<JsonNode> list(IntFunction<ApiResult> pages, int size) {
    return list(pages, size, _ -> false);
  }

  /// @param enough stops reading: whether this element and those after it are not needed
  public List<JsonNode> list(IntFunction<ApiResult> pages, int size, Predicate<JsonNode> enough) {
    return PagedReader.read(pages, size, enough, unread::add);
  }

  /// The elements of a list that has one page.
  public List<JsonNode> list(ApiResult page) {
    return list(_ -> page, Integer.MAX_VALUE);
  }

  /// The body of a single resource; empty if it does not exist or may not be read.
  public Optional<JsonNode> one(ApiResult result) {
    if (result instanceof ApiResult.Refused(var why)) {
      unread.add(why);
    }
    return result.found();
  }

  /// Adds an event that a list shows, unless it is too old or does not concern Runnel.
  ///
  /// @param at when it happened, by the tracker's clock
  /// @param id identifies the event among the missed ones
  /// @param sameMeaning whether its webhook delivery carries the same semantic key
  public void add(Optional<Instant> at, Optional<String> id, boolean sameMeaning, Parser parser) {
    if (at.isPresent() && id.isPresent() && !isBefore(at)) {
      add(at.get(), "caught-up-" + id.get(), sameMeaning, parser);
    }
  }

  /// Adds a delivery under its original id.
  public void add(Instant at, String id, boolean sameMeaning, Parser parser) {
    parser
        .parse(DeliveryId.of(surface, id), now)
        .ifPresent(it -> listed.add(new MissedDeliveries.ListedDelivery(it, at, sameMeaning)));
  }

  /// Lets the next check continue at this time, because there are too many deliveries for one. Of
  /// several times the earliest counts.
  public void continueAt(Instant at) {
    continueAt = continueAt.filter(at::isAfter).or(() -> Optional.of(at));
  }

  MissedDeliveries deliveries() {
    listed.sort(Comparator.comparing(MissedDeliveries.ListedDelivery::at));
    return new MissedDeliveries.Listed(listed, unread.stream().findFirst(), continueAt);
  }
}
