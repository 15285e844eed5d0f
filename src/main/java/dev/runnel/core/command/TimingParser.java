package dev.runnel.core.command;

import dev.runnel.core.model.Timing;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Parses the time with which a text begins: `every weekday at 9:00`, `in 2 weeks`.
final class TimingParser {
  /// Examples to show when a text could not be parsed.
  static final String EXAMPLES =
      "`schedule every weekday at 9:00 …`, `schedule every monday and thursday at 14:30"
          + " Europe/Berlin …`, `schedule every month on the 1st at 8:00 …`, `schedule every 4"
          + " hours …`, `schedule tomorrow at 17:00 …`, `schedule on 2027-01-31 at 9:00 …`,"
          + " `schedule in 2 weeks …`";

  /// @param zone the one in the text, if there is one
  /// @param rest the text after the time
  record Parsed(Timing timing, Optional<ZoneId> zone, String rest) {}

  private static final String NUMBERS =
      "one two three four five six seven eight nine ten eleven twelve";
  private static final String NUMBER = "(?<n>\\d{1,3}|an?|other|" + NUMBERS.replace(' ', '|') + ")";
  private static final String AM_PM = "\\s*(?<meridiem>[ap])\\.?m\\b\\.?";
  private static final String NOT_AM_PM = "(?!\\s*[ap]\\.?m\\b)";
  private static final String TIME =
      "(?:(?:at\\s+)?(?:(?<hour>1[0-2]|0?[1-9])(?::(?<minute>[0-5]\\d))?"
          + AM_PM
          + "|(?<clock>(?:[01]?\\d|2[0-3]):[0-5]\\d)"
          + NOT_AM_PM
          + "|(?<word>noon|midnight)\\b)|at\\s+(?<bare>[01]?\\d|2[0-3])(?![\\d:.])"
          + NOT_AM_PM
          + ")";
  private static final String DAY =
      "(?:mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)s?\\b";
  private static final String DAYS =
      "(?<days>(?:day|weekday|workday|weekend)s?\\b|"
          + DAY
          + "(?:(?:\\s*,\\s*(?:and\\s+)?|\\s+and\\s+|\\s*&\\s*)"
          + DAY
          + ")*)";
  private static final String END = "(?=[\\s:,;.]|$)";

  /// A pattern and its meaning; the first that matches counts.
  private record Form(Pattern pattern, Function<Matcher, Timing> timing) {
    static Form of(String regex, Function<Matcher, Timing> timing) {
      return new Form(
          Pattern.compile("^(?:" + regex + ")" + END, Pattern.CASE_INSENSITIVE), timing);
    }
  }

  private static final List<Form> FORMS =
      List.of(
          Form.of("(?:every|each)\\s+" + DAYS + "\\s+" + TIME, TimingParser::weekly),
          Form.of(TIME + "\\s+(?:every|each|on)\\s+" + DAYS, TimingParser::weekly),
          Form.of("(?:daily|(?<days>weekdays))\\s+" + TIME, TimingParser::weekly),
          Form.of("weekly\\s+on\\s+" + DAYS + "\\s+" + TIME, TimingParser::weekly),
          Form.of(
              "(?:every\\s+month|monthly)\\s+on\\s+(?:the\\s+|day\\s+)?(?<n>[12]?\\d|3[01])(?:st|nd|rd|th)?\\s+"
                  + TIME,
              form -> new Timing.Monthly(number(form), time(form).orElseThrow())),
          Form.of(
              "every\\s+(?:" + NUMBER + "\\s+)?(?<unit>hour|day|week)s?(?:\\s+" + TIME + ")?",
              TimingParser::periodic),
          Form.of("(?<unit>hour)ly", TimingParser::periodic),
          Form.of(
              "in\\s+" + NUMBER + "\\s+(?<unit>minute|hour|day|week|month)s?(?:\\s+" + TIME + ")?",
              form -> new Timing.In(number(form), unit(form), time(form))),
          Form.of(
              "(?<relative>today|tomorrow)\\s+" + TIME,
              form ->
                  new Timing.In(
                      form.group("relative").equalsIgnoreCase("today") ? 0 : 1,
                      ChronoUnit.DAYS,
                      time(form))),
          Form.of("tomorrow", _ -> new Timing.In(1, ChronoUnit.DAYS, Optional.empty())),
          Form.of(
              "(?:on\\s+)?(?<date>\\d{4}-\\d{2}-\\d{2})\\s+" + TIME,
              form -> new Timing.On(LocalDate.parse(form.group("date")), time(form).orElseThrow())),
          Form.of(
              "(?:on\\s+|next\\s+)(?<days>" + DAY + ")\\s+" + TIME,
              form ->
                  new Timing.Next(
                      days(form.group("days")).iterator().next(), time(form).orElseThrow())));

  private static final Pattern ZONE =
      Pattern.compile("^\\s+\\(?(?<zone>UTC|GMT|[A-Za-z_]+(?:/[A-Za-z_+-]+){1,2})\\)?" + END);

  /// The rest seems to belong to the time, but is not understood.
  private static final Pattern UNPARSED_TIME =
      Pattern.compile(
          "^[\\s,]*(?:(?:on|at|every|and|until|for)\\s+(?:the\\s+)?(?:\\d|"
              + DAY
              + ")|(?:[CEMPW]E?[SD]?T|BST|IST|JST|AES?T)\\b|(?-i:(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Etc|Europe|Indian|Pacific|US)/))",
          Pattern.CASE_INSENSITIVE);

  /// No prompt begins like this: `every tuesday`, `at 9`, `in 3 fortnights` but not `every test`,
  /// `in the morning`, `weekly reports`.
  private static final Pattern BEGIN_OF_TIME =
      Pattern.compile(
          "^(?:(?:every|each)\\s+(?:"
              + NUMBER
              + "\\s+)?(?:(?:minute|hour|day|weekday|workday|weekend|week|month|quarter|year)s?\\b|"
              + DAY
              + ")|at\\s+\\d|(?:on|next|this)\\s+"
              + DAY
              + "|(?:on\\s+)?\\d{4}-\\d|on\\s+the\\s+\\d|in\\s+(?:\\d+|an?)\\s+(?:second|minute|min|hour|day|week|fortnight|month|year)s?\\b|(?:daily|weekly|monthly|weekdays|hourly)\\s+(?:at|on)\\s|(?:today|tomorrow)\\s+(?:at|in)\\s|"
              + TIME
              + END
              + ")",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern SEPARATOR = Pattern.compile("^[\\s:,;.]+");
  private static final Map<String, Set<DayOfWeek>> GROUPS =
      Map.of(
          "day", EnumSet.allOf(DayOfWeek.class),
          "weekday", EnumSet.range(DayOfWeek.MONDAY, DayOfWeek.FRIDAY),
          "workday", EnumSet.range(DayOfWeek.MONDAY, DayOfWeek.FRIDAY),
          "weekend", EnumSet.of(DayOfWeek.SATURDAY, DayOfWeek.SUNDAY));

  private TimingParser() {}

  /// @return empty if the text does not begin with a time, or the time does not exist
  static Optional<Parsed> parse(String text) {
    for (var form : FORMS) {
      var matcher = form.pattern().matcher(text);
      if (matcher.find()) {
        try {
          return parsed(form.timing().apply(matcher), text.substring(matcher.end()));
        } catch (DateTimeException noSuchTime) {
          return Optional.empty();
        }
      }
    }
    return Optional.empty();
  }

  /// Whether a text begins with words of a time, also of one that cannot be parsed.
  static boolean beginsWithTime(String text) {
    return BEGIN_OF_TIME.matcher(text).find();
  }

  private static Optional<Parsed> parsed(Timing timing, String after) {
    var named = ZONE.matcher(after);
    var zone = named.find() ? zone(named.group("zone")) : Optional.<ZoneId>empty();
    var rest = zone.isPresent() ? after.substring(named.end()) : after;
    return UNPARSED_TIME.matcher(rest).find()
        ? Optional.empty()
        : Optional.of(new Parsed(timing, zone, SEPARATOR.matcher(rest).replaceFirst("").strip()));
  }

  private static Optional<ZoneId> zone(String name) {
    return ZoneId.getAvailableZoneIds().stream()
        .filter(name::equalsIgnoreCase)
        .findFirst()
        .map(ZoneId::of);
  }

  private static Timing weekly(Matcher form) {
    return new Timing.Weekly(days(form.group("days")), time(form).orElseThrow());
  }

  private static Timing periodic(Matcher form) {
    var every = number(form);
    var at = form.namedGroups().containsKey("clock") ? time(form) : Optional.<LocalTime>empty();
    if (every == 0 || (unit(form) == ChronoUnit.HOURS && at.isPresent())) {
      throw new DateTimeException("No such period");
    }
    return new Timing.Periodic(every, unit(form), at);
  }

  private static Set<DayOfWeek> days(@Nullable String words) {
    if (words == null) {
      return GROUPS.getOrDefault("day", Set.of());
    }
    var name = words.toLowerCase(Locale.ROOT);
    var group = GROUPS.get(name.replaceFirst("s$", ""));
    if (group != null) {
      return group;
    }
    var days = EnumSet.noneOf(DayOfWeek.class);
    for (var day : DayOfWeek.values()) {
      var start = day.name().substring(0, 3).toLowerCase(Locale.ROOT);
      if (Pattern.compile("\\b" + start).matcher(name).find()) {
        days.add(day);
      }
    }
    return days;
  }

  private static Optional<LocalTime> time(Matcher form) {
    if (form.group("clock") != null) {
      return Optional.of(
          LocalTime.parse("0".repeat(5 - form.group("clock").length()) + form.group("clock")));
    }
    if (form.group("word") != null) {
      return Optional.of(
          form.group("word").equalsIgnoreCase("noon") ? LocalTime.NOON : LocalTime.MIDNIGHT);
    }
    if (form.group("bare") != null) {
      return Optional.of(LocalTime.of(Integer.parseInt(form.group("bare")), 0));
    }
    if (form.group("hour") == null) {
      return Optional.empty();
    }
    var isMorning = form.group("meridiem").equalsIgnoreCase("a");
    var minute = form.group("minute");
    return Optional.of(
        LocalTime.of(
            Integer.parseInt(form.group("hour")) % 12 + (isMorning ? 0 : 12),
            minute == null ? 0 : Integer.parseInt(minute)));
  }

  private static int number(Matcher form) {
    if (!form.namedGroups().containsKey("n") || form.group("n") == null) {
      return 1;
    }
    var word = form.group("n").toLowerCase(Locale.ROOT);
    return switch (word) {
      case "a", "an" -> 1;
      case "other" -> 2;
      default -> {
        var named = List.of(NUMBERS.split(" ")).indexOf(word);
        yield named < 0 ? Integer.parseInt(word) : named + 1;
      }
    };
  }

  private static ChronoUnit unit(Matcher form) {
    return ChronoUnit.valueOf(form.group("unit").toUpperCase(Locale.ROOT) + "S");
  }
}
