package dev.runnel.surface.kit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads a tracker's lists page by page, up to a few pages.
public final class PagedReader {
  private static final Logger log = LoggerFactory.getLogger(PagedReader.class);
  private static final int MAX_PAGES = 5;

  private PagedReader() {}

  /// @param size the number of elements on a full page
  /// @param enough true for the first element that is not needed; reading stops there
  /// @return the readable elements; empty if the list does not exist
  /// @throws TrackerUnavailable after a temporary failure
  public static List<JsonNode> read(
      IntFunction<ApiResult> pages, int size, Predicate<JsonNode> enough) {
    return read(pages, size, enough, _ -> {});
  }

  /// The same, for callers that must know whether they have the whole list.
  ///
  /// @param refused receives the reason why a page may not be read
  public static List<JsonNode> read(
      IntFunction<ApiResult> pages,
      int size,
      Predicate<JsonNode> enough,
      Consumer<String> refused) {
    var all = new ArrayList<JsonNode>();
    for (var page = 1; page <= MAX_PAGES; page++) {
      switch (pages.apply(page)) {
        case ApiResult.Done(var list) -> {
          for (var each : list) {
            if (enough.test(each)) {
              return all;
            }
            all.add(each);
          }
          if (list.size() < size) {
            return all;
          }
        }
        case ApiResult.Busy(var after, var why) -> throw new TrackerUnavailable(after, why);
        case ApiResult.Gone(var why) -> {
          log.info("list not found why={}", why);
          return all;
        }
        case ApiResult.Refused(var why) -> {
          log.warn("list refused why={}", why);
          refused.accept(why);
          return all;
        }
      }
    }
    log.warn("list longer than what is read, the rest is left out elements={}", all.size());
    return all;
  }
}
