package dev.runnel.service.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.database.Database;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.NodeIdentity;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.Postgres;
import dev.runnel.testkit.RunChanges;
import dev.runnel.testkit.SettableClock;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// How many slots the runs of one person have.
class SlotsPerPersonTest {
  private static final Duration LEASE = Duration.ofMinutes(1);

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2", "3, 2", "4, 3", "12, 11"})
  void onePersonHasAllSlotsButOneWhereThereAreThreeOrMore(int slots, int most) {
    assertThat(SlotLimits.DEFAULT.ofPerson(slots)).isEqualTo(most);
  }

  @Test
  void theSettingIsTheLimitAndTheSlotsOfAllNodesCount() {
    var three = new SlotLimits(OptionalInt.empty(), OptionalInt.of(3));
    var ofAll = new SlotLimits(OptionalInt.of(5), OptionalInt.empty());

    assertThat(three.ofPerson(12)).isEqualTo(3);
    assertThat(ofAll.ofPerson(12)).isEqualTo(4);
    assertThat(SlotLimits.NONE.ofPerson(12)).isGreaterThan(12);
  }

  /// The same for both kinds of database.
  abstract static class Contract {
    final SettableClock clock = new SettableClock();

    @SuppressWarnings("NullAway.Init") // set by [#node]
    Database database;

    @SuppressWarnings("NullAway.Init")
    RunQueries queries;

    /// @param slots of this node; there are no others yet
    abstract RunChanges node(int slots, SlotLimits limits) throws SQLException;

    @AfterEach
    void close() {
      database.close();
    }

    @Test
    void aPersonWithThreeHundredWaitingLeavesASlotToOthers() throws SQLException {
      var node = node(4, SlotLimits.DEFAULT);
      for (int i = 0; i < 300; i++) {
        create(node, "ann");
      }
      claimAll(node, 3);

      var ofBen = create(node, "ben");
      assertThat(node.records().claimNext(0).orElseThrow().runId()).isEqualTo(ofBen);
    }

    @Test
    void endOfARunStartsTheNextRunOfThePerson() throws SQLException {
      var node = node(4, SlotLimits.DEFAULT);
      for (int i = 0; i < 5; i++) {
        create(node, "ann");
      }
      var first = claimAll(node, 3).getFirst();

      node.records().finish(first.claim(), ExecutionResult.succeeded("done"));
      claimAll(node, 1);
    }

    @Test
    void runThatWaitsForItsPersonsSlotReportsThat() throws SQLException {
      var node = node(4, SlotLimits.DEFAULT);
      for (int i = 0; i < 3; i++) {
        create(node, "ann");
      }
      claimAll(node, 3);
      var answer = asked(node, "ann");
      var ofBen = asked(node, "ben");

      assertThat(ServiceJson.read(answer).path("at_capacity").asBoolean()).isTrue();
      assertThat(ServiceJson.read(ofBen).path("at_capacity").asBoolean()).isFalse();
      assertThat(message(id(ofBen))).isEqualTo("Waiting for a free place (1st in the queue).");
      assertThat(message(id(answer)))
          .isEqualTo(
              "Waiting until another run of the same person ends: one person may have 3 at work"
                  + " (2nd in the queue).");
    }

    @Test
    void runsWithoutAPersonMayUseAllSlots() throws SQLException {
      var node = node(4, SlotLimits.DEFAULT);
      for (int i = 0; i < 5; i++) {
        node.runs().create(run(Map.of()), Caller.MAIN, Optional.empty(), Optional.empty());
      }

      claimAll(node, 5);
    }

    @Test
    void childRunsUseAtMostAllSlotsButOne() throws SQLException {
      var node = node(4, SlotLimits.DEFAULT);
      var lead = create(node, "ann");
      var other = create(node, "ann");
      for (int i = 0; i < 5; i++) {
        below(node, i % 2 == 0 ? lead : other);
      }
      for (int i = 0; i < 3; i++) {
        assertThat(node.records().claimNext(1)).isPresent();
      }
      assertThat(node.records().claimNext(1)).isEmpty();

      var ofBen = below(node, create(node, "ben"));
      assertThat(node.records().claimNext(1).orElseThrow().runId()).isEqualTo(ofBen);
    }

    @Test
    void runTreeHasAtMostAHundredChildRunsADay() throws SQLException {
      var node = node(4, SlotLimits.DEFAULT);
      var lead = create(node, "ann");
      var child = below(node, lead);
      for (int i = 1; i < 100; i++) {
        below(node, i % 2 == 0 ? lead : child);
      }

      assertThatThrownBy(() -> below(node, child))
          .hasMessageContaining("at most 100 runs below it in a day");
      below(node, create(node, "ann"));
      clock.advance(Duration.ofDays(1).plusSeconds(1));
      below(node, lead);
    }

    @Test
    void onePersonMayUseAllSlotsIfTheLimitIsOff() throws SQLException {
      var node = node(4, SlotLimits.NONE);
      for (int i = 0; i < 4; i++) {
        create(node, "ann");
      }

      claimAll(node, 4);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void randomLoadKeepsTheSlotLimitsAndIdlesNoSlot(long seed) throws SQLException {
      var random = new Random(seed);
      var slots = 3 + random.nextInt(4);
      var node = node(slots, SlotLimits.DEFAULT);
      var people = List.of("ann", "ben", "cem");
      var waiting = new HashMap<String, Integer>();
      var working = new ArrayList<Map.Entry<String, ExecutionRequest>>();
      var whose = new HashMap<String, String>();
      for (int step = 0; step < 60; step++) {
        if (random.nextInt(4) > 0) {
          // Mostly of one person.
          var person = people.get(Math.max(0, random.nextInt(12) - 9));
          whose.put(create(node, person), person);
          waiting.merge(person, 1, Integer::sum);
        } else if (!working.isEmpty()) {
          var ended = working.remove(random.nextInt(working.size()));
          node.records().finish(ended.getValue().claim(), ExecutionResult.succeeded("done"));
        }
        while (working.size() < slots) {
          var next = node.records().claimNext(0);
          if (next.isEmpty()) {
            break;
          }
          var person = whose.get(next.get().runId());
          waiting.merge(person, -1, Integer::sum);
          working.add(Map.entry(person, next.get()));
        }

        for (var person : people) {
          var has = working.stream().filter(it -> it.getKey().equals(person)).count();
          assertThat(has).isLessThanOrEqualTo(slots - 1);
          if (working.size() < slots && has < slots - 1) {
            assertThat(waiting.getOrDefault(person, 0)).as(person).isZero();
          }
        }
      }
    }

    String message(String run) {
      return requireNonNull(queries.show(run).orElseThrow().status().orElseThrow().message());
    }
  }

  @Nested
  class OnSqlite extends Contract {
    @TempDir Path folder;

    @Override
    RunChanges node(int slots, SlotLimits limits) throws SQLException {
      database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
      var membership = NodeMembership.alone(database, clock, slots);
      queries = new RunQueries(database, limits.personLimit(membership));
      return service(database, clock, membership, limits);
    }
  }

  @Nested
  @Tag("slow")
  class OnPostgres extends Contract {
    private final List<Database> others = new ArrayList<>();
    private String url;

    @BeforeEach
    void open() throws SQLException {
      url = Postgres.freshDatabase();
      database = ServiceTables.migrate(Database.postgres(url, ServiceTables.SCHEMA));
    }

    @AfterEach
    void closeOthers() {
      others.forEach(Database::close);
    }

    @Override
    RunChanges node(int slots, SlotLimits limits) throws SQLException {
      return node("a", slots, limits);
    }

    private RunChanges node(String name, int slots, SlotLimits limits) {
      var own = Database.postgres(url, ServiceTables.SCHEMA);
      others.add(own);
      var membership =
          NodeMembership.join(own, clock, new NodeIdentity(name, name, name), slots, LEASE);
      queries = new RunQueries(own, limits.personLimit(membership));
      return service(own, clock, membership, limits);
    }

    @Test
    void slotLimitAppliesToSimultaneousClaimsOfAllNodes() throws Exception {
      var nodes = List.of(node("a", 4, SlotLimits.DEFAULT), node("b", 4, SlotLimits.DEFAULT));
      for (int i = 0; i < 20; i++) {
        create(nodes.get(i % 2), "ann");
      }
      var claimed = new ConcurrentLinkedQueue<ExecutionRequest>();
      var threads =
          nodes.stream()
              .map(
                  node ->
                      Thread.ofVirtual()
                          .start(
                              () -> {
                                for (int i = 0; i < 4; i++) {
                                  node.records().claimNext(0).ifPresent(claimed::add);
                                }
                              }))
              .toList();
      for (var thread : threads) {
        thread.join();
      }
      assertThat(claimed).hasSize(7);

      var ofBen = create(nodes.getFirst(), "ben");
      assertThat(nodes.getLast().records().claimNext(0).orElseThrow().runId()).isEqualTo(ofBen);
    }
  }

  private static RunChanges service(
      Database database, SettableClock clock, NodeMembership membership, SlotLimits limits) {
    return RunChanges.on(database, clock, membership, limits);
  }

  /// Claims as many runs, and no more.
  private static List<ExecutionRequest> claimAll(RunChanges node, int number) {
    var claimed = new ArrayList<ExecutionRequest>();
    for (var next = node.records().claimNext(0);
        next.isPresent();
        next = node.records().claimNext(0)) {
      claimed.add(next.get());
    }
    assertThat(claimed).hasSize(number);
    return claimed;
  }

  private static String create(RunChanges node, String person) {
    return id(asked(node, person));
  }

  private static String asked(RunChanges node, String person) {
    return node.runs()
        .create(
            run(Map.of("runnel.surface", "slack", "runnel.person", person)),
            Caller.MAIN,
            Optional.empty(),
            Optional.empty());
  }

  private static String below(RunChanges node, String parent) {
    return id(
        node.runs()
            .create(
                run(Map.of()).withParentRunId(Optional.of(parent)),
                Caller.MAIN,
                Optional.empty(),
                Optional.empty()));
  }

  private static String id(String answer) {
    return ServiceJson.read(answer).path("run_id").asText();
  }

  private static NewRun run(Map<String, String> metadata) {
    var request = ServiceJson.newObject().put("prompt", "x");
    metadata.forEach((name, value) -> request.withObjectProperty("metadata").put(name, value));
    return NewRun.parse(request);
  }
}
