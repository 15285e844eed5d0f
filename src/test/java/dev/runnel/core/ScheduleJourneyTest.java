package dev.runnel.core;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.OTHER_THREAD;
import static dev.runnel.testkit.Samples.SAM;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Rule;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Schedules that people make in a conversation. It is a Monday, nine o'clock UTC.
class ScheduleJourneyTest {
  /// As of a slash command: a place without a thread.
  private static final Conversation PLACE =
      new Conversation(THREAD.surface(), "team/channel/command");

  private static final Duration DAY = Duration.ofDays(1);

  @TempDir Path folder;
  private World world;

  @BeforeEach
  void open() {
    world = new World(folder);
  }

  @AfterEach
  void close() {
    world.close();
  }

  /// Says something by a slash command.
  private void commands(String id, String text) {
    world.says(command(id, text));
    world.settle();
  }

  private static Delivery command(String id, String text) {
    return delivery(id, MessageParser.command(text), PLACE)
        .withOrigin(new Origin(Optional.empty(), Optional.of("reply"), Optional.empty(), false));
  }

  private void says(String id, String text, Conversation thread) {
    world.says(delivery(id, MessageParser.words(text, false).orElseThrow(), thread));
    world.settle();
  }

  /// The messages, and the sentence of each card.
  private List<String> told(Conversation conversation) {
    return world.surface.posts(conversation).stream()
        .flatMap(
            each ->
                switch (each.update()) {
                  case Update.Message(_, var text, _) -> Stream.of(text);
                  case Update.Answered(_, var card) ->
                      Stream.of(
                          card.rows().isEmpty() ? card.title() : card.rows().getFirst().text());
                  default -> Stream.<String>of();
                })
        .toList();
  }

  /// The commands that the cards offer, in order.
  private List<String> choices() {
    return world.surface.posts(PLACE).stream()
        .flatMap(
            each ->
                each.update() instanceof Update.Answered(_, var card)
                    ? card.choices().stream()
                    : Stream.of())
        .map(InfoCard.Choice::command)
        .toList();
  }

  /// The id of the only schedule, as the button that deletes it names it.
  private String id() {
    return choices().getFirst().replace("schedule delete ", "");
  }

  private void ends() {
    world
        .runs
        .runs()
        .forEach(run -> world.runs.moves(run.id(), RunState.SUCCEEDED, "It is green."));
    world.passes(Duration.ofSeconds(2));
  }

  @Test
  void everyScheduledRunStartsInItsOwnThreadOfThePlace() {
    commands("1", "schedule every weekday at 9:30 check the build");

    assertThat(told(PLACE))
        .singleElement()
        .asString()
        .startsWith(
            "dana scheduled `check the build` every weekday at 09:30, first Mon 5 Jan 2026 09:30"
                + " (UTC, because I don't know your time zone");
    assertThat(choices()).singleElement().asString().startsWith("schedule delete ");
    assertThat(world.runs.starts()).isEmpty();

    world.leaps(Duration.ofMinutes(29));
    assertThat(world.runs.starts()).isEmpty();
    world.leaps(Duration.ofMinutes(1));
    assertThat(world.runs.starts()).hasSize(1);
    assertThat(world.surface.posts(new Conversation(THREAD.surface(), "team/channel/opened-1")))
        .isNotEmpty();
    ends();

    world.leaps(DAY);
    assertThat(world.surface.opens()).isEqualTo(2);
    assertThat(world.runs.starts()).hasSize(2);
  }

  @Test
  void scheduleUsesTheTimeZoneOfThePersonUnlessTheyNameAnother() {
    world.surface.hasTimeZone(ZoneId.of("America/New_York"));
    commands("1", "schedule every day at 9:30 check the build");
    commands("2", "schedule tomorrow at 9:30 Asia/Tokyo check the build");

    assertThat(told(PLACE).get(0))
        .contains("first Mon 5 Jan 2026 09:30 (America/New_York, your time zone).");
    assertThat(told(PLACE).get(1))
        .contains("`check the build` once, Tue 6 Jan 2026 09:30 (Asia/Tokyo).");
  }

  @Test
  void eachTimeStartsOneRunOnTwoNodesAndAcrossARestart() {
    commands("1", "schedule every day at 9:30 check the build");
    world.leaps(Duration.ofMinutes(31));
    world.restart(UnaryOperator.identity());
    world.settle();
    assertThat(world.runs.starts()).hasSize(1);
    ends();

    // Nobody worked for three days: one run makes up for them.
    world.leaps(DAY.multipliedBy(3));
    world.restart(UnaryOperator.identity());
    world.settle();
    assertThat(world.runs.starts()).hasSize(2);
    ends();

    world.leaps(DAY);
    assertThat(world.runs.starts()).hasSize(3);
  }

  @Test
  void scheduledRepeatOfAThreadRunsInThatThread() {
    world.says(delivery("1", start("fix the test")));
    world.settle();
    ends();
    says("2", "again in 2 weeks", THREAD);

    assertThat(told(THREAD))
        .last()
        .asString()
        .startsWith("dana scheduled `fix the test` once, Mon 19 Jan 2026 09:00 (UTC");
    world.leaps(DAY.multipliedBy(14));
    world.passes(Duration.ofSeconds(5));

    assertThat(world.runs.starts()).hasSize(2);
    assertThat(world.runs.starts().getLast().prompt().metadata())
        .containsEntry("runnel.conversation", THREAD.id());
    assertThat(world.runs.starts().getLast().prompt().text()).contains("fix the test");
    ends();
    world.leaps(DAY.multipliedBy(14));
    assertThat(world.runs.starts()).hasSize(2);
  }

  @Test
  void repeatCommandWithoutARunIsExplained() {
    world.says(delivery("1", MessageParser.words("again in 2 weeks").orElseThrow(), OTHER_THREAD));
    world.settle();

    assertThat(told(OTHER_THREAD))
        .containsExactly("There is no run here to repeat. Write it in the thread of a run.");
  }

  @Test
  void schedulesArePausedResumedAndDeleted() {
    commands("1", "schedule every day at 9:30 check the build");
    var id = id();
    commands("2", "schedule pause " + id);
    world.leaps(DAY);
    assertThat(world.runs.starts()).isEmpty();

    commands("3", "schedule resume " + id.substring(0, 4));
    world.leaps(DAY);
    assertThat(world.runs.starts()).hasSize(1);
    ends();

    commands("4", "schedule delete " + id);
    world.leaps(DAY);
    assertThat(world.runs.starts()).hasSize(1);
    assertThat(told(PLACE).subList(1, 4))
        .containsExactly(
            "dana paused the schedule `check the build`.",
            "dana resumed the schedule `check the build`, next Tue 6 Jan 2026 09:30 (UTC).",
            "dana deleted the schedule `check the build`.");
    assertThat(choices()).containsExactly("schedule delete " + id, "schedule resume " + id);
    commands("5", "schedule delete " + id);
    assertThat(told(PLACE)).last().isEqualTo("I can't find the schedule `%s` here.".formatted(id));
  }

  @Test
  void aScheduleIsDeletedInTheThreadOfItsRunWithoutAMention() {
    world.says(delivery("1", start("fix the test")));
    world.settle();
    ends();
    says("2", "again in 2 weeks", THREAD);
    var made =
        world.surface.posts(THREAD).stream()
            .map(each -> each.update())
            .filter(Update.Answered.class::isInstance)
            .map(each -> ((Update.Answered) each).sheet().choices().getFirst().command())
            .findFirst()
            .orElseThrow();
    says("3", made, THREAD);

    assertThat(told(THREAD)).last().isEqualTo("dana deleted the schedule `fix the test`.");
    assertThat(world.runs.followUps()).isEmpty();
    world.leaps(DAY.multipliedBy(14));
    assertThat(world.runs.starts()).hasSize(1);
  }

  @Test
  void aPlaceListsItsOwnSchedules() {
    commands("1", "schedule every day at 9:30 check the build");
    world.says(
        command("2", "schedule in 2 weeks look elsewhere")
            .withConversation(new Conversation(THREAD.surface(), "team/other/command")));
    commands("3", "schedules");

    var answered =
        world.surface.posts(PLACE).stream()
            .map(each -> each.update())
            .filter(Update.Answered.class::isInstance)
            .map(Update.Answered.class::cast)
            .toList();
    assertThat(answered).hasSize(2);
    assertThat(answered.getLast().sheet().rows())
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row.label()).isEqualTo(id());
              assertThat(row.text()).isEqualTo("check the build");
              assertThat(row.note())
                  .isEqualTo("every day at 09:30, next Mon 5 Jan 2026 09:30 (UTC) by dana");
            });
  }

  @Test
  void scheduleInThePastOrTooFarAheadIsRejected() {
    commands("1", "schedule today at 8:00 check the build");
    commands("2", "schedule on 2028-01-01 at 8:00 check the build");

    assertThat(told(PLACE))
        .containsExactly(
            "That time has passed.", "That is too far ahead: a schedule begins within a year.");
  }

  @Test
  void aPersonHasAtMostTwentySchedules() {
    for (int i = 0; i < 20; i++) {
      commands("a" + i, "schedule in 2 weeks check the build");
    }
    commands("b", "schedule in 2 weeks check the build");
    world.says(command("c", "schedule in 2 weeks check the build").withActor(SAM));
    world.settle();

    assertThat(told(PLACE))
        .filteredOn(each -> each.startsWith("You have 20 schedules, which is the maximum."))
        .hasSize(1);
    assertThat(told(PLACE)).last().asString().startsWith("sam scheduled ");
  }

  /// A policy that permits this to everybody.
  private static Policy permits(Permission... permissions) {
    return new Policy(
        Map.of(),
        List.of(
            new Rule(
                "policy.rules[0]",
                List.of("any"),
                List.of("any"),
                Set.of(permissions),
                true,
                Set.of(),
                Set.of())),
        List.of(),
        List.of());
  }

  @Test
  void permissionToStartIsCheckedForEveryScheduledRun() {
    commands("1", "schedule every day at 9:30 check the build");
    world.obeys(permits(Permission.SCHEDULE));
    world.leaps(Duration.ofMinutes(31));
    assertThat(world.runs.starts()).isEmpty();

    world.obeys(permits(Permission.START));
    world.leaps(DAY);
    assertThat(world.runs.starts()).hasSize(1);
    assertThat(world.audit())
        .filteredOn(each -> each.contains("\"verb\":\"start\""))
        .hasSize(2)
        .allMatch(each -> each.contains(DANA.id()));
  }

  @Test
  void aRuleDecidesWhoMakesAndChangesSchedules() {
    commands("1", "schedule every day at 9:30 check the build");
    world.obeys(permits(Permission.START, Permission.READ));
    commands("2", "schedule delete " + id());
    commands("3", "schedule in 2 weeks check the build");

    assertThat(told(PLACE)).hasSize(1);
    assertThat(world.audit())
        .filteredOn(
            each ->
                each.contains("\"verb\":\"schedule\"") && each.contains("\"verdict\":\"refused\""))
        .hasSize(2);
    world.leaps(DAY);
    assertThat(world.runs.starts()).hasSize(1);
  }
}
