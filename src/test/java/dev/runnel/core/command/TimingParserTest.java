package dev.runnel.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Question.ChangeSchedule.Change;
import dev.runnel.core.model.run.Request;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimingParserTest {
  /// A Monday, half past ten.
  private static final Instant NOW = Instant.parse("2026-01-05T10:30:00Z");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "every weekday at 9:00 fix it          | 2026-01-06T09:00:00Z | every weekday at 09:00",
        "Every Weekday at 9 fix it             | 2026-01-06T09:00:00Z | every weekday at 09:00",
        "every workday at 11am: fix it         | 2026-01-05T11:00:00Z | every weekday at 11:00",
        "every day at 09:30, fix it            | 2026-01-06T09:30:00Z | every day at 09:30",
        "daily at 5 pm fix it                  | 2026-01-05T17:00:00Z | every day at 17:00",
        "weekdays at noon fix it               | 2026-01-05T12:00:00Z | every weekday at 12:00",
        "each weekend at 12:15 p.m. fix it     | 2026-01-10T12:15:00Z | every Saturday and Sunday"
            + " at 12:15",
        "every monday at 9:00 fix it           | 2026-01-12T09:00:00Z | every Monday at 09:00",
        "every mon, wed and fri at 7:05 fix it | 2026-01-07T07:05:00Z | every Monday and Wednesday"
            + " and Friday at 07:05",
        "on Tuesdays and Thursdays at 9 fix it | 2026-01-06T09:00:00Z | ",
        "at 9:00 every tuesday fix it          | 2026-01-06T09:00:00Z | every Tuesday at 09:00",
        "weekly on sunday at midnight fix it   | 2026-01-11T00:00:00Z | every Sunday at 00:00",
        "every month on the 1st at 8:00 fix it | 2026-02-01T08:00:00Z | every month on day 1 at"
            + " 08:00",
        "monthly on the 31 at 8:00 fix it      | 2026-01-31T08:00:00Z | every month on day 31 at"
            + " 08:00",
        "every 4 hours fix it                  | 2026-01-05T14:30:00Z | every 4 hours",
        "hourly: fix it                        | 2026-01-05T11:30:00Z | every hour",
        "every other week at 9:00 fix it       | 2026-01-06T09:00:00Z | every 2 weeks at 09:00",
        "every two weeks fix it                | 2026-01-19T10:30:00Z | every 2 weeks",
        "every day fix it                      | 2026-01-06T10:30:00Z | every day",
        "in 2 weeks fix it                     | 2026-01-19T10:30:00Z | ''",
        "in an hour fix it                     | 2026-01-05T11:30:00Z | ''",
        "in 3 days at 8:00 fix it              | 2026-01-08T08:00:00Z | ''",
        "in a month fix it                     | 2026-02-05T10:30:00Z | ''",
        "tomorrow at 17:00 fix it              | 2026-01-06T17:00:00Z | ''",
        "tomorrow fix it                       | 2026-01-06T10:30:00Z | ''",
        "today at 17:00 fix it                 | 2026-01-05T17:00:00Z | ''",
        "on 2026-12-24 at 9:00 fix it          | 2026-12-24T09:00:00Z | ''",
        "next friday at 16:00 fix it           | 2026-01-09T16:00:00Z | ''",
        "on monday at 9:00 fix it              | 2026-01-12T09:00:00Z | ''",
        "every monday at 12am fix it           | 2026-01-12T00:00:00Z | every Monday at 00:00"
      })
  void timeAtTheBeginningIsParsed(String text, String first, String words) {
    if (words == null) {
      // Days without "every" would be ambiguous.
      assertThat(TimingParser.parse(text)).isEmpty();
      return;
    }
    var parsed = TimingParser.parse(text).orElseThrow();

    assertThat(parsed.rest()).isEqualTo("fix it");
    assertThat(parsed.zone()).isEmpty();
    assertThat(parsed.timing().first(NOW, ZoneOffset.UTC)).isEqualTo(first);
    assertThat(parsed.timing().words()).isEqualTo(words);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "every day at 9:00 Europe/Berlin fix it            | Europe/Berlin                  | fix"
            + " it",
        "every day at 9:00 europe/berlin: fix it           | Europe/Berlin                  | fix"
            + " it",
        "every day at 9:00 (America/New_York) fix it       | America/New_York               | fix"
            + " it",
        "every day at 9:00 America/Argentina/Salta, fix it | America/Argentina/Salta        | fix"
            + " it",
        "every day at 9:00 UTC fix it                      | UTC                            | fix"
            + " it",
        "every day at 9:00 docs/guide is out of date       |                                |"
            + " docs/guide is out of date",
        "in 2 weeks at 9:00 Asia/Tokyo                     | Asia/Tokyo                     | ''"
      })
  void timeZoneAfterTheTimeIsParsed(String text, String zone, String rest) {
    var parsed = TimingParser.parse(text).orElseThrow();

    assertThat(parsed.zone()).isEqualTo(Optional.ofNullable(zone).map(ZoneId::of));
    assertThat(parsed.rest()).isEqualTo(rest);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "the nightly build in CI",
        "fix it",
        "every monday fix it",
        "every weekday fix it",
        "every day at 25:00 fix it",
        "every day at 9:75 fix it",
        "every day at 13 pm fix it",
        "every month on the 32nd at 9:00 fix it",
        "every 0 hours fix it",
        "every 2 hours at 9:00 fix it",
        "every minute fix it",
        "every 5 minutes fix it",
        "on 2026-02-30 at 9:00 fix it",
        "every day at 9:00 and 17:00 fix it",
        "every other week on monday at 9:00 fix it",
        "every day at 9:00 CET fix it",
        "every day at 9:00 EST fix it",
        "every day at 9:00 Europe/Berlinn fix it",
        "every day at 9:00 until 2026-02-01 fix it",
        "tomorrowland fix it",
        "in the morning fix it"
      })
  void ambiguousOrInvalidTimeIsNotParsed(String text) {
    assertThat(TimingParser.parse(text)).isEmpty();
  }

  @Test
  void scheduleCommandIsParsedWithItsOptions() {
    assertThat(MessageParser.command("schedule in 2 weeks --env web fix it"))
        .isInstanceOfSatisfying(
            Intent.Ask.class,
            ask ->
                assertThat(
                        ((Question.Schedule) ask.question())
                            .request()
                            .orElseThrow()
                            .options()
                            .environment())
                    .contains("web"));
    assertThat(MessageParser.command("schedule"))
        .isEqualTo(new Intent.Ask(new Question.Schedules()));
    assertThat(MessageParser.command("Schedules"))
        .isEqualTo(new Intent.Ask(new Question.Schedules()));
    assertThat(MessageParser.command("schedule pause 1A2B"))
        .isEqualTo(new Intent.Ask(new Question.ChangeSchedule("1a2b", Change.PAUSE)));
  }

  @Test
  void unreadableTimeStartsNoRunAndShowsExamples() {
    assertThat(MessageParser.command("schedule every monday fix it"))
        .isInstanceOfSatisfying(
            Intent.Unclear.class,
            unclear -> {
              assertThat(unclear.why())
                  .startsWith(
                      "I don't understand the time in `every monday fix it`. Write the time first")
                  .contains("`schedule every weekday at 9:00 …`");
              assertThat(unclear.work()).contains(Request.of("schedule every monday fix it"));
            });
    assertThat(MessageParser.command("schedule every day at 9:00"))
        .isInstanceOfSatisfying(
            Intent.Unclear.class,
            unclear -> assertThat(unclear.why()).startsWith("Write the prompt after the time"));
  }

  @Test
  void theExamplesCanBeRead() {
    assertThat(TimingParser.EXAMPLES.split("`"))
        .filteredOn(each -> each.startsWith("schedule "))
        .hasSize(7)
        .allSatisfy(
            example ->
                assertThat(MessageParser.command(example.replace("…", "fix it")))
                    .isInstanceOf(Intent.Ask.class));
    assertThat(MessageParser.command(Verb.SCHEDULE.example())).isInstanceOf(Intent.Ask.class);
    assertThat(MessageParser.command(Verb.AGAIN.example())).isInstanceOf(Intent.Ask.class);
  }

  @Test
  void againIsTheOnlyTimingVerbThatNeedsNoMentionInAThread() {
    assertThat(MessageParser.words("again in 2 weeks", false).orElseThrow())
        .isInstanceOf(Intent.Ask.class);
    assertThat(MessageParser.words("again in 2 weeks we should look at it", false).orElseThrow())
        .isInstanceOf(Intent.Say.class);
    assertThat(MessageParser.words("schedule every day at 9:00 a backup", false).orElseThrow())
        .isInstanceOf(Intent.Say.class);
  }
}
