package dev.runnel.console.view;

import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.port.AuditReader;
import dev.runnel.core.port.AuditReader.Filter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// A page of the audit log. The filter and the place in the log are in its URL.
///
/// Public because the templates are in another package.
///
/// @param person the filter; empty for everybody, like the other filters
/// @param day `2026-11-01`
/// @param isNewest whether it begins with the newest entry
/// @param older the URL of the next page; empty on the last one
/// @param newest the URL of the first page with this filter
/// @param download the URL of all entries with this filter, as lines of JSON
public record AuditPage(
    String person,
    String verb,
    String result,
    String day,
    List<Entry> entries,
    boolean isNewest,
    String older,
    String newest,
    String download) {
  public static final String PATH = "/audit";
  public static final String DOWNLOAD = "/audit.jsonl";
  private static final int LENGTH = 50;
  private static final int MAX_TEXT = 300;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);

  /// An entry for people.
  ///
  /// @param at ISO timestamp
  /// @param time the same for people, in UTC
  /// @param who the name, or why there is none
  /// @param id the person's id; empty if there is none
  /// @param only the URL of the entries of this person; empty if there is none
  /// @param run the run's id; empty if the entry is about none
  public record Entry(
      long seq,
      String at,
      String time,
      String verb,
      String result,
      String who,
      String id,
      String only,
      String details,
      String place,
      String rule,
      String run) {}

  /// The parameters of a URL.
  ///
  /// @param before the number of the entry after the page's first
  public record Query(Filter filter, long before) {
    /// @param parameter reads a parameter of the URL; null if it is not there
    /// @throws IllegalArgumentException with a sentence for people
    public static Query of(Function<String, Optional<String>> parameter) {
      var before = parameter.apply("before").filter(it -> !it.isBlank());
      try {
        return new Query(
            new Filter(
                text(parameter, "person"),
                text(parameter, "verb"),
                text(parameter, "result"),
                text(parameter, "day").map(LocalDate::parse)),
            before.map(Long::parseLong).orElse(Long.MAX_VALUE));
      } catch (DateTimeException e) {
        throw new IllegalArgumentException("A day is written like 2026-11-01.", e);
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("The place in the log is a number.", e);
      }
    }

    private static Optional<String> text(
        Function<String, Optional<String>> parameter, String name) {
      return parameter.apply(name).map(String::strip).filter(it -> !it.isEmpty());
    }
  }

  public static AuditPage of(AuditReader log, Query query) {
    var filter = query.filter();
    var lines = log.newest(filter, query.before(), LENGTH + 1);
    var shown = lines.subList(0, Math.min(LENGTH, lines.size()));
    return new AuditPage(
        filter.person().orElse(""),
        filter.verb().orElse(""),
        filter.result().orElse(""),
        filter.day().map(LocalDate::toString).orElse(""),
        shown.stream().map(line -> entry(line, filter)).toList(),
        query.before() == Long.MAX_VALUE,
        lines.size() > LENGTH ? url(PATH, filter, Optional.of(shown.getLast().seq())) : "",
        url(PATH, filter, Optional.empty()),
        url(DOWNLOAD, filter, Optional.empty()));
  }

  /// The verbs that can be chosen.
  public static List<String> verbs() {
    return Stream.of(AuditEntry.Verb.values()).map(AuditEntry.Verb::word).sorted().toList();
  }

  /// The results that can be chosen.
  public static List<String> results() {
    return Stream.of(AuditEntry.Verdict.values()).map(AuditEntry.Verdict::word).toList();
  }

  private static Entry entry(AuditReader.Line line, Filter filter) {
    var id = line.who().map(AuditReader.Who::id).orElse("");
    var name =
        line.who()
            .map(AuditReader.Who::name)
            .orElse(line.isDamaged() ? "This entry is damaged" : "Forgotten");
    return new Entry(
        line.seq(),
        line.at().toString(),
        TIME.format(line.at()),
        line.verb(),
        line.result(),
        name.isBlank() ? id : name,
        id,
        id.isEmpty()
            ? ""
            : url(
                PATH,
                new Filter(Optional.of(id), filter.verb(), filter.result(), filter.day()),
                Optional.empty()),
        line.details().length() > MAX_TEXT
            ? line.details().substring(0, MAX_TEXT) + "…"
            : line.details(),
        line.place().orElse(""),
        line.rule(),
        line.run().orElse(""));
  }

  private static String url(String path, Filter filter, Optional<Long> before) {
    var parts = new ArrayList<String>();
    part("person", filter.person(), parts);
    part("verb", filter.verb(), parts);
    part("result", filter.result(), parts);
    part("day", filter.day().map(LocalDate::toString), parts);
    part("before", before.map(String::valueOf), parts);
    return parts.isEmpty() ? path : path + "?" + String.join("&", parts);
  }

  private static void part(String name, Optional<String> value, List<String> parts) {
    value.ifPresent(it -> parts.add(name + "=" + URLEncoder.encode(it, StandardCharsets.UTF_8)));
  }
}
