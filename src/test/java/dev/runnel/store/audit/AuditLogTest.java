package dev.runnel.store.audit;

import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.THREAD;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.AuditEntry.Verb;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.AuditReader;
import dev.runnel.core.port.AuditReader.Filter;
import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import dev.runnel.testkit.MigratedFile;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AuditLogTest {
  @TempDir Path folder;
  private Database database;
  private AuditLog log;

  @BeforeEach
  void open() {
    database = MigratedFile.open(folder.resolve("runnel.db"), SqlStore.SCHEMA);
    log = new AuditLog(database);
  }

  @AfterEach
  void close() {
    database.close();
  }

  static AuditEntry entry(Instant at, String details) {
    return AuditEntry.of(
            at,
            new AuditEntry.Person(
                "slack:U1",
                "dana",
                Optional.of("T1"),
                new SurfaceId("slack"),
                Optional.of(new DeliveryId("slack:Ev1"))),
            Verb.START,
            details)
        .in(THREAD)
        .about(new RunId("run-1"));
  }

  private void addThree() {
    IntStream.range(0, 3)
        .forEach(i -> log.add(entry(NINE.plus(Duration.ofDays(i)), "to start a run")));
  }

  private List<String> lines() {
    var lines = new ArrayList<String>();
    log.export(Optional.empty(), Optional.empty(), lines::add);
    return lines;
  }

  private void change(String sql) {
    int _ = database.write(rows -> rows.change(sql));
  }

  @Test
  void anEntryIsOneLineOfJson() throws Exception {
    log.add(entry(NINE, "to start a run"));

    var line = new ObjectMapper().readTree(lines().getFirst());

    assertThat(line.path("seq").asInt()).isOne();
    assertThat(line.path("at").asText()).isEqualTo(NINE.toString());
    assertThat(line.path("who").path("id").asText()).isEqualTo("slack:U1");
    assertThat(line.path("who").path("team").asText()).isEqualTo("T1");
    assertThat(line.path("verb").asText()).isEqualTo("start");
    assertThat(line.path("verdict").asText()).isEqualTo("allowed");
    assertThat(line.path("rule").asText()).isEqualTo("default");
    assertThat(line.path("place").asText()).isEqualTo(THREAD.id());
    assertThat(line.path("run").asText()).isEqualTo("run-1");
    assertThat(line.path("hash").asText()).hasSize(64);
  }

  @Test
  void anEmptyLogIsIntact() {
    assertThat(log.verify()).isEqualTo(new AuditLog.Verification(0, 0, Optional.empty()));
  }

  @Test
  void anUnchangedLogIsIntact() {
    addThree();

    assertThat(log.verify()).isEqualTo(new AuditLog.Verification(3, 0, Optional.empty()));
  }

  @Test
  void exportTakesAnInterval() {
    addThree();
    var lines = new ArrayList<String>();

    log.export(
        Optional.of(NINE.plus(Duration.ofDays(1))),
        Optional.of(NINE.plus(Duration.ofDays(2))),
        lines::add);

    assertThat(lines).hasSize(1).first().asString().contains("\"seq\":2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE audit SET facts = replace(facts, 'start', 'read') WHERE seq = 2",
        "UPDATE audit SET facts = 'nothing' WHERE seq = 2",
        "UPDATE audit SET personal = replace(personal, 'dana', 'eve') WHERE seq = 2",
        "UPDATE audit SET personal = NULL WHERE seq = 2",
        "UPDATE audit SET salt = 'other' WHERE seq = 2",
        "UPDATE audit SET actor = 'slack:U2' WHERE seq = 2",
        "UPDATE audit SET run = NULL WHERE seq = 2",
        "UPDATE audit SET at = at + 1 WHERE seq = 2",
        "UPDATE audit SET hash = 'other' WHERE seq = 2"
      })
  void aChangedEntryIsNamed(String tampering) {
    addThree();

    change(tampering);

    assertThat(log.verify().problem())
        .get()
        .asString()
        .startsWith("Entry 2 of ")
        .endsWith("changed.");
  }

  @Test
  void aMissingEntryIsNamed() {
    addThree();
    change("DELETE FROM audit WHERE seq = 2");

    assertThat(log.verify().problem()).contains("Entry 2 is missing.");
  }

  @Test
  void aMissingEndIsNamed() {
    addThree();
    change("DELETE FROM audit WHERE seq = 3");

    assertThat(log.verify().problem()).contains("Entry 3 is missing.");
  }

  @Test
  void aMissingBeginningIsNamed() {
    addThree();
    change("DELETE FROM audit WHERE seq = 1");

    assertThat(log.verify().problem()).contains("Entry 1 is missing.");
  }

  @Test
  void anEntryThatReplacesTheLastOneIsNamed() {
    addThree();
    var second = row(2);
    var other = AuditRow.of(3, second.hash(), entry(NINE, "to read a run"));
    int _ =
        database.write(
            rows ->
                rows.change(
                    "UPDATE audit SET at = ?, facts = ?, personal = ?, salt = ?, hash = ? WHERE"
                        + " seq = 3",
                    other.at(),
                    other.facts(),
                    other.personal(),
                    other.salt(),
                    other.hash()));

    assertThat(log.verify().problem()).contains("Entry 3 was replaced.");
  }

  private AuditRow row(long seq) {
    return database
        .read(rows -> rows.first("SELECT * FROM audit WHERE seq = ?", AuditRow::read, seq))
        .orElseThrow();
  }

  @Test
  void anAddedEntryIsNamed() {
    addThree();
    var added = AuditRow.of(4, row(3).hash(), entry(NINE, "to start a run"));
    int _ =
        database.write(
            rows ->
                rows.change(
                    "INSERT INTO audit (seq, at, facts, personal, salt, actor, run, hash) VALUES"
                        + " (?, ?, ?, ?, ?, ?, ?, ?)",
                    added.seq(),
                    added.at(),
                    added.facts(),
                    added.personal(),
                    added.salt(),
                    added.actor(),
                    added.run(),
                    added.hash()));

    assertThat(log.verify())
        .isEqualTo(new AuditLog.Verification(3, 0, Optional.of("Entry 4 was added.")));
  }

  @Test
  void theRestOfAPrunedLogIsIntact() {
    addThree();

    assertThat(log.prune(NINE.plus(Duration.ofDays(1)))).isOne();

    assertThat(log.verify()).isEqualTo(new AuditLog.Verification(2, 0, Optional.empty()));
    assertThat(log.prune(NINE.plus(Duration.ofDays(9)))).isEqualTo(2);
    assertThat(log.verify().problem()).isEmpty();
    log.add(entry(NINE, "more"));
    assertThat(log.verify()).isEqualTo(new AuditLog.Verification(1, 0, Optional.empty()));
  }

  @Test
  void forgottenEntryStaysValidWithoutNamingThePerson() {
    addThree();

    change("UPDATE audit SET personal = NULL, salt = NULL, actor = NULL, run = NULL WHERE seq = 2");

    assertThat(log.verify()).isEqualTo(new AuditLog.Verification(3, 1, Optional.empty()));
    assertThat(lines().get(1)).contains("\"forgotten\":true").doesNotContain("dana", "run-1");
  }

  @Test
  void entriesPrunedDuringAVerificationAreNotReportedAsMissing() {
    addThree();
    var before = new AuditLog.Ends(0, "", 3, "other", 0);
    log.prune(NINE.plus(Duration.ofDays(1)));

    assertThat(log.verify(before).problem()).contains("Entry 1 is missing.");
    assertThat(log.verify()).isEqualTo(new AuditLog.Verification(2, 0, Optional.empty()));
  }

  @Test
  void verificationDuringPruningFindsNoProblem() throws Exception {
    for (int i = 0; i < 60; i++) {
      log.add(entry(NINE.plusSeconds(i), "entry"));
    }
    try (var pruner = Executors.newVirtualThreadPerTaskExecutor()) {
      var pruning =
          pruner.submit(
              () -> {
                for (int i = 0; i < 60; i++) {
                  log.prune(NINE.plusSeconds(i));
                }
              });
      do {
        assertThat(log.verify().problem()).isEmpty();
      } while (!pruning.isDone());
      pruning.get();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE audit SET facts = 'nothing' WHERE seq = 2",
        "UPDATE audit SET personal = '{' WHERE seq = 2",
        "UPDATE audit SET personal = 'null' WHERE seq = 2"
      })
  void aDamagedEntryIsNamedAndTheOthersAreExported(String damage) throws Exception {
    addThree();
    change(damage);

    var lines = lines();

    assertThat(lines).hasSize(3);
    var damaged = new ObjectMapper().readTree(lines.get(1));
    assertThat(damaged.path("seq").asInt()).isEqualTo(2);
    assertThat(damaged.path("damaged").asBoolean()).isTrue();
    assertThat(lines.get(2)).contains("\"seq\":3").doesNotContain("damaged");
  }

  @Test
  void concurrentWritersMakeOneValidChain() throws Exception {
    try (var other = Database.sqlite(folder.resolve("runnel.db"));
        var writers = Executors.newVirtualThreadPerTaskExecutor()) {
      var logs = List.of(log, new AuditLog(other));
      var writes =
          IntStream.range(0, 40)
              .<Callable<Boolean>>mapToObj(
                  i ->
                      () -> {
                        logs.get(i % 2).add(entry(NINE, "writer " + i));
                        return true;
                      })
              .toList();
      for (var write : writers.invokeAll(writes)) {
        write.get();
      }
    }

    assertThat(log.verify()).isEqualTo(new AuditLog.Verification(40, 0, Optional.empty()));
  }

  @Test
  void entriesAreListedNewestFirst() {
    log.add(entry(NINE, "one"));
    log.add(entry(NINE, "two"));

    assertThat(details(Filter.ALL, Long.MAX_VALUE)).containsExactly("two", "one");
    assertThat(details(Filter.ALL, 2)).containsExactly("one");
    assertThat(log.newest(Filter.ALL, Long.MAX_VALUE, 1)).hasSize(1);
  }

  private List<String> details(Filter filter, long before) {
    return log.newest(filter, before, 10).stream().map(AuditReader.Line::details).toList();
  }

  private static Filter filter(String person, String verb, String result, String day) {
    return new Filter(
        Optional.of(person).filter(it -> !it.isEmpty()),
        Optional.of(verb).filter(it -> !it.isEmpty()),
        Optional.of(result).filter(it -> !it.isEmpty()),
        Optional.of(day).filter(it -> !it.isEmpty()).map(LocalDate::parse));
  }

  @ParameterizedTest
  @CsvSource({
    "DAN,,,,true",
    "slack:u1,,,,true",
    "eve,,,,false",
    "%,,,,false",
    ",start,,,true",
    ",st%,,,false",
    ",say,,,false",
    ",,allowed,,true",
    ",,refused,,false",
    ",,,2026-01-05,true",
    ",,,2026-01-06,false",
    "dana,start,allowed,2026-01-05,true"
  })
  void anEntryIsFoundByPersonVerbResultAndDay(
      String person, String verb, String result, String day, boolean found) {
    log.add(entry(NINE, "one"));

    assertThat(
            log.newest(
                filter(
                    Objects.toString(person, ""),
                    Objects.toString(verb, ""),
                    Objects.toString(result, ""),
                    Objects.toString(day, "")),
                Long.MAX_VALUE,
                10))
        .hasSize(found ? 1 : 0);
  }

  @Test
  void entriesOfAPersonAreFoundAmongManyOthers() {
    log.add(entry(NINE, "the first"));
    int _ =
        database.write(
            rows -> {
              for (int i = 0; i < 1_100; i++) {
                AuditLog.add(
                    rows, AuditEntry.of(NINE, AuditEntry.Person.RUNNEL, Verb.SETTINGS, "other"));
              }
              return 1;
            });

    assertThat(details(filter("dana", "", "", ""), Long.MAX_VALUE)).containsExactly("the first");
  }

  @Test
  void aDamagedEntryIsReadAsSuch() {
    log.add(entry(NINE, "one"));
    change("UPDATE audit SET facts = 'nothing'");

    assertThat(log.newest(Filter.ALL, Long.MAX_VALUE, 10))
        .singleElement()
        .matches(AuditReader.Line::isDamaged)
        .matches(line -> line.seq() == 1);
  }
}
