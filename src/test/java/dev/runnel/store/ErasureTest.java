package dev.runnel.store;

import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.OTHER_THREAD;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.Timing;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.policy.ApprovalRule;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Rule;
import dev.runnel.database.Database;
import dev.runnel.database.SqliteCopy;
import dev.runnel.store.PersonalData.PersonId;
import dev.runnel.store.audit.AuditLog;
import dev.runnel.testkit.World;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ErasureTest {
  private static final Actor ERIN = new Actor("UERIN7", "erin-the-forgotten");
  private static final Actor FRED = new Actor("UFRED8", "fred-who-stays");

  private static final URI PULL_REQUEST = URI.create("https://git.example/acme/shop/pull/7");
  private static final URI PULL_REQUEST_OF_FRED =
      URI.create("https://git.example/acme/shop/pull/8");

  /// An issue whose thread goes on with a run of Fred's.
  private static final Conversation ISSUE =
      new Conversation(new SurfaceId("fake"), "acme/shop/issues/5");

  private static final Instant TOMORROW = NINE.plus(Duration.ofDays(1));

  @TempDir Path folder;
  private String ofErin = "";
  private String ofFred = "";

  /// Erin asks for a run, which ends, and speaks to Fred's.
  @BeforeEach
  void live() {
    try (var world = new World(folder)) {
      world.says(delivery("1", start("paint the quokka")).withActor(ERIN));
      world.settle();
      ofErin = world.onlyRun().id().value();
      world.says(
          delivery("2", start("feed the wombat")).withActor(FRED).withConversation(OTHER_THREAD));
      world.settle();
      ofFred =
          world.runs.runs().stream()
              .map(run -> run.id().value())
              .filter(id -> !id.equals(ofErin))
              .findFirst()
              .orElseThrow();
      world.says(
          delivery("3", say("and the quokka, too")).withActor(ERIN).withConversation(OTHER_THREAD));
      world.says(
          delivery(
                  "4",
                  new Intent.Ask(new Question.Configure("model", Optional.of("small"), Level.ME)))
              .withActor(ERIN));
      world.settle();
      world.says(delivery("weekly", weekly("tidy the burrow")).withActor(ERIN));
      world.says(delivery("also", weekly("sweep the den"), OTHER_THREAD).withActor(FRED));
      world.settle();
      openPullRequests(world);
      workOnAnIssue(world);
      world.runs.runs().forEach(run -> world.runs.moves(run.id(), RunState.SUCCEEDED, "Done."));
      world.passes(Duration.ofSeconds(5));
      decideAboutEachOther(world);
    }
  }

  private static Intent weekly(String text) {
    return new Intent.Ask(
        new Question.Schedule(
            new Timing.Weekly(Set.of(DayOfWeek.MONDAY), LocalTime.NOON),
            Optional.empty(),
            Optional.of(Request.of(text))));
  }

  /// Both runs open a pull request, and the checks fail there.
  private void openPullRequests(World world) {
    for (var link : List.of(PULL_REQUEST, PULL_REQUEST_OF_FRED)) {
      var run = new RunId(link.equals(PULL_REQUEST) ? ofErin : ofFred);
      world.runs.makes(run, new Artifact(link.getPath(), link, true, Optional.of("fix")));
    }
    world.passes(Duration.ofSeconds(2));
    for (var link : List.of(PULL_REQUEST, PULL_REQUEST_OF_FRED)) {
      var place = new Conversation(world.elsewhere.id(), link.getPath().substring(1));
      var id = link.getPath().replace('/', '-');
      world.says(
          delivery(
                  "state" + id,
                  new Intent.PullRequestChanged(
                      link, PullRequestState.OPEN, NINE, Optional.empty()),
                  place)
              .withActor(FRED));
      world.says(
          delivery(
                  "needs" + id,
                  new Intent.PullRequestNeeds(link, "cause" + id, "News", "Do more.", true),
                  place)
              .withActor(FRED)
              .withOrigin(at(link)));
    }
    world.passes(Duration.ofSeconds(2));
  }

  /// Erin's run on an issue fails, and Fred starts another one there in words.
  private static void workOnAnIssue(World world) {
    world.surface.hasIssues();
    world.says(
        delivery("label", start("look at the quokka's issue"), ISSUE)
            .withActor(ERIN)
            .withOrigin(at(URI.create("https://fake.example/acme/shop/issues/5"))));
    world.settle();
    world.runs.moves(world.runs.runs().getLast().id(), RunState.FAILED, "It broke.");
    world.passes(Duration.ofSeconds(2));
    world.says(
        delivery("new", new Intent.New(Request.of("try the wombat's issue")), ISSUE)
            .withActor(FRED));
    world.settle();
  }

  private static Origin at(URI link) {
    return new Origin(Optional.of(link), Optional.empty(), Optional.empty(), false);
  }

  /// Each asks for a run that the other declines, and Erin freezes all starts.
  private static void decideAboutEachOther(World world) {
    var rule =
        new ApprovalRule(
            "policy.approve[0]",
            List.of(),
            Set.of(),
            Set.of(),
            false,
            List.of("any"),
            true,
            Duration.ofHours(1));
    world.obeys(new Policy(Map.of(), List.of(), List.of(rule), List.of()));
    var decline = new Intent.Ask(new Question.Decide(Optional.empty(), false));
    var ofErin = new Conversation(THREAD.surface(), "team/channel/erin");
    var ofFred = new Conversation(THREAD.surface(), "team/channel/fred");
    world.says(delivery("5", start("wash the platypus"), ofErin).withActor(ERIN));
    world.says(delivery("6", start("wash the numbat"), ofFred).withActor(FRED));
    world.settle();
    world.says(delivery("7", decline, ofErin).withActor(FRED));
    world.says(delivery("8", decline, ofFred).withActor(ERIN));
    world.settle();
    var freeze = new Intent.Ask(new Question.Freeze(true, Optional.empty()));
    world.obeys(
        new Policy(
            Map.of(),
            List.of(
                new Rule(
                    "policy.rules[0]",
                    List.of("any"),
                    List.of("any"),
                    Set.of(Permission.FREEZE),
                    true,
                    Set.of(),
                    Set.of())),
            List.of(),
            List.of()));
    world.says(delivery("9", freeze, ofErin).withActor(ERIN));
    world.settle();
  }

  private Database database() {
    return Database.sqlite(folder.resolve("runnel.db"));
  }

  private static List<String> tables(Database database) {
    return database.read(
        rows ->
            rows.list(
                "SELECT name FROM sqlite_master WHERE type = 'table'", row -> row.getString(1)));
  }

  /// Every row of every table, as text.
  private static String everything(Database database) {
    var all = new ArrayList<String>();
    for (var table : tables(database)) {
      all.addAll(
          database.<List<String>>read(
              rows ->
                  rows.list(
                      "SELECT * FROM " + table,
                      row -> {
                        var text = new StringBuilder(table);
                        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                          text.append('|').append(row.getString(i));
                        }
                        return text.toString();
                      })));
    }
    return String.join("\n", all);
  }

  @Test
  void nothingOfAForgottenRunIsLeft() {
    try (var database = database()) {
      assertThat(everything(database))
          .contains(ofErin, "paint the quokka")
          .containsPattern("schedules\\|.*tidy the burrow")
          .contains("pull_request_states|git.example/acme/shop/pull/7|")
          .contains("pull_request_follow_ups|git.example/acme/shop/pull/7|");

      assertThat(new Erasure(database).forgetRun(ofErin)).isPositive();

      assertThat(everything(database))
          .doesNotContain(ofErin, "paint the quokka", THREAD.id() + "|")
          .doesNotContain("|git.example/acme/shop/pull/7|")
          .doesNotContainPattern("schedules\\|.*tidy the burrow")
          .containsPattern("schedules\\|.*sweep the den")
          .contains(ofFred, "feed the wombat")
          .contains("pull_request_states|git.example/acme/shop/pull/8|")
          .contains("pull_request_follow_ups|git.example/acme/shop/pull/8|");
      assertThat(new AuditLog(database).verify().problem()).isEmpty();
      assertThat(new AuditLog(database).verify().forgotten()).isPositive();
    }
  }

  @Test
  void nothingOfAForgottenPersonIsLeft() {
    var erin = PersonId.parse("fake:UERIN7").orElseThrow();
    try (var database = database()) {
      assertThat(everything(database))
          .contains("UERIN7", "erin-the-forgotten")
          .contains("issue_claims|" + ISSUE.id() + "|" + ISSUE.id() + "|fake:label");
      // What she says in a review is passed on, too.
      change(
          database,
          "INSERT INTO pull_request_follow_ups (address, cause, delivery) VALUES"
              + " ('git.example/acme/shop/pull/8', 'review:5', 'fake:3')");
      change(
          database,
          "INSERT INTO console_sessions (hash, expires_at, person, name, names) VALUES"
              + " ('1', 1, 'fake:T1/UERIN7', 'Erin', 'fake:UERIN7'),"
              + " ('2', 1, 'fake:UFRED8', 'Fred', 'fake:UFRED8')");
      var traces = new PersonalData(database).traces(erin);
      assertThat(traces.own()).contains(new PersonalData.KnownRun(ofErin, false)).hasSize(2);
      assertThat(traces.others()).containsExactly(ofFred);

      new Erasure(database).forgetPerson(erin);

      assertThat(everything(database))
          .doesNotContain("UERIN7", "erin-the-forgotten", ofErin, "quokka", "platypus", "burrow")
          .doesNotContain("|git.example/acme/shop/pull/7|", "fake:label", "review:5")
          .contains("UFRED8", "fred-who-stays", ofFred, "the wombat's issue")
          .contains("|fake:UFRED8|Fred|")
          .containsPattern("schedules\\|.*sweep the den")
          .contains("pull_request_states|git.example/acme/shop/pull/8|");
      assertThat(new AuditLog(database).verify().problem()).isEmpty();
      assertThat(new PersonalData(database).traces(erin).isEmpty()).isTrue();
    }
    try (var world = new World(folder)) {
      assertThat(world.watcher()).isNotNull();
      world.says(delivery("10", say("more")).withActor(FRED).withConversation(OTHER_THREAD));
      world.settle();
    }
  }

  @Test
  void aPersonOfAnotherTeamOrSurfaceStays() {
    try (var database = database()) {
      var before = everything(database);

      new Erasure(database).forgetPerson(PersonId.parse("slack:UERIN7").orElseThrow());
      new Erasure(database).forgetPerson(PersonId.parse("fake:T9/UERIN7").orElseThrow());

      assertThat(everything(database).equals(before)).isTrue();
    }
  }

  @Test
  void aPersonWithATeamLosesTheSessionsOfThatTeamOnly() {
    try (var database = database()) {
      change(
          database,
          "INSERT INTO console_sessions (hash, expires_at, person) VALUES"
              + " ('1', 1, 'fake:T1/UGINA9'), ('2', 1, 'fake:T2/UGINA9'), ('3', 1, 'fake:UGINA9')");

      new Erasure(database).forgetPerson(PersonId.parse("fake:T1/UGINA9").orElseThrow());

      assertThat(everything(database))
          .doesNotContain("fake:T1/UGINA9")
          .contains("fake:T2/UGINA9", "|fake:UGINA9");
    }
  }

  @Test
  void oldRunsAreErasedButStayInTheAuditLog() {
    try (var database = database()) {
      assertThat(new Erasure(database).forgetRunsBefore(NINE, NINE)).isZero();

      assertThat(new Erasure(database).forgetRunsBefore(TOMORROW, TOMORROW)).isEqualTo(4);

      assertThat(new Erasure(database).forgetRunsBefore(TOMORROW, TOMORROW)).isZero();
      assertThat(everything(database)).doesNotContain("quokka", "wombat").contains(ofErin);
      assertThat(new AuditLog(database).verify().forgotten()).isZero();
    }
  }

  private static int change(Database database, String sql) {
    return database.write(rows -> rows.change(sql));
  }

  private static long count(Database database, String from) {
    return database.read(
        rows -> rows.first("SELECT COUNT(*) FROM " + from, row -> row.getLong(1)).orElseThrow());
  }

  @Test
  void anOldRunStaysWhileAMessageWaitsInItsConversation() {
    try (var database = database()) {
      assertThat(
              change(
                  database,
                  "UPDATE inbox SET state = 0 WHERE body LIKE '%paint the quokka%' AND state = 1"))
          .isPositive();

      assertThat(new Erasure(database).forgetRunsBefore(TOMORROW, TOMORROW)).isEqualTo(3);

      assertThat(everything(database))
          .contains("paint the quokka")
          .doesNotContain("feed the wombat");
    }
  }

  @Test
  void oldRunThatContinuesMeanwhileIsKept() {
    try (var database = database()) {
      var erasure = new Erasure(database);
      var old = erasure.endedBefore(TOMORROW);
      assertThat(old).hasSize(4);
      change(database, "UPDATE bindings SET active = 1, version = version + 1");
      change(database, "UPDATE bindings_aside SET active = 1, version = version + 1");

      assertThat(old).noneMatch(run -> erasure.forgetOld(run, TOMORROW));

      assertThat(everything(database)).contains("paint the quokka", "feed the wombat");
    }
  }

  @Test
  void anOldRunStaysIfItsRemovalCannotBeAudited() {
    try (var database = database()) {
      change(
          database,
          "CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END");

      assertThat(new Erasure(database).forgetRunsBefore(TOMORROW, TOMORROW)).isZero();

      assertThat(everything(database)).contains("paint the quokka", "feed the wombat");
    }
  }

  @Test
  void startsOutliveTheirRunsAndTheNewestOfEachPersonIsKept() {
    try (var database = database()) {
      var all = count(database, "starts");
      assertThat(all).isPositive();
      var people = count(database, "(SELECT DISTINCT person FROM starts)");
      var erasure = new Erasure(database);

      erasure.forgetRunsBefore(TOMORROW, TOMORROW);
      assertThat(count(database, "starts")).isEqualTo(all);
      change(
          database,
          "INSERT INTO starts (delivery, person, place, environment, at, seconds, micros) SELECT"
              + " delivery || '-earlier', person, place, environment, at - 1, 0, 0 FROM starts");

      assertThat(erasure.forgetStartsBefore(NINE.minus(Duration.ofDays(1)))).isZero();
      assertThat(erasure.forgetStartsBefore(TOMORROW)).isPositive();
      assertThat(count(database, "starts")).isEqualTo(people);
    }
  }

  @Test
  void startsAreKeptForLongerThanAMonth() {
    assertThat(retention(Duration.ofDays(7)).starts()).isGreaterThan(Duration.ofDays(31));
    assertThat(retention(Duration.ofDays(90)).starts()).isEqualTo(Duration.ofDays(90));
  }

  private static Retention retention(Duration runs) {
    return new Retention(runs, runs, runs, runs, runs);
  }

  @Test
  void erasedTextIsOverwrittenInTheDatabaseFile() throws Exception {
    try (var database = database()) {
      new Erasure(database).forgetRun(ofErin);
      SqliteCopy.scrub(folder.resolve("runnel.db"));

      try (var files = Files.list(folder)) {
        assertThat(files)
            .allSatisfy(
                file ->
                    assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                        .as("%s", file)
                        .doesNotContain(ofErin)
                        .doesNotContain("paint the quokka"));
      }
    }
  }

  @Test
  void aPersonIsNamedWithOrWithoutATeam() {
    assertThat(PersonId.parse("slack:U1")).contains(new PersonId("slack", Optional.empty(), "U1"));
    assertThat(PersonId.parse("slack:T1/U1"))
        .contains(new PersonId("slack", Optional.of("T1"), "U1"));
    assertThat(PersonId.parse("ann")).isEmpty();
    assertThat(PersonId.parse("slack:")).isEmpty();
  }
}
