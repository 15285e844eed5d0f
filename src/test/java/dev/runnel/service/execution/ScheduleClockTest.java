package dev.runnel.service.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.database.Database;
import dev.runnel.service.agent.Agents;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.limit.StartLimits;
import dev.runnel.service.store.Identities;
import dev.runnel.service.store.NodeMembership;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.RunService;
import dev.runnel.service.store.Schedules;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.service.store.SlotLimits;
import dev.runnel.service.store.query.RunQuery;
import dev.runnel.service.workspace.Environments;
import dev.runnel.testkit.RunChanges;
import dev.runnel.testkit.SettableClock;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs by the clock: due once, started once.
class ScheduleClockTest {
  private final SettableClock clock = new SettableClock();
  private final Semaphore changes = new Semaphore(0);
  private Database database;
  private RunService runs;
  private RunQueries queries;
  private Schedules schedules;
  private Identities identities;
  private ConfigResolution configs;
  private Optional<String> frozen = Optional.empty();

  @BeforeEach
  void open(@TempDir Path folder) {
    database = Database.sqlite(folder.resolve("agent-runs.db"));
    database.migrate(ServiceTables.ON_SQLITE);
    runs =
        RunChanges.on(database, clock, NodeMembership.alone(database, clock, 4), SlotLimits.DEFAULT)
            .runs();
    queries = new RunQueries(database);
    identities = new Identities(database, clock, Map.of());
    configs =
        new ConfigResolution(
            Agents.find(Optional.of("cat"), Map.of()), Environments.NONE, identities);
    schedules = new Schedules(database, clock, changes, configs::resolved);
  }

  private boolean start() {
    return runs.startNextDue(configs::resolved);
  }

  private List<RunRow> found(Map<String, List<String>> query) {
    return queries.list(RunQuery.parse(query)).runs();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void aScheduleStartsARunWhenItIsDue() {
    var schedule = schedules.create(ServiceJson.body(EVERY_HOUR));

    assertThat(start()).isFalse();
    clock.advance(Duration.ofHours(1));

    assertThat(start()).isTrue();
    assertThat(start()).isFalse();
    var run = queries.list(RunQuery.parse(Map.of())).runs().getFirst();
    assertThat(run.prompt()).isEqualTo("tidy up");
    assertThat(run.source()).isEqualTo("SCHEDULED_AGENT");
    assertThat(run.schedule().orElseThrow()).contains(schedule.id());
    assertThat(schedules.find(schedule.id()).orElseThrow().lastRan()).contains(clock.instant());
  }

  @Test
  void aScheduledRunIsConfiguredByTheAgentThatTheScheduleNames() {
    var writer =
        identities.create(
            ServiceJson.body(
                "{\"name\":\"writer\",\"prompt\":\"Write well\"}"
                    .getBytes(StandardCharsets.UTF_8)));
    var asked = ServiceJson.body(EVERY_HOUR).put("agent_uid", writer.path("uid").asText());
    schedules.create(asked);
    clock.advance(Duration.ofHours(1));

    start();

    var run = queries.list(RunQuery.parse(Map.of())).runs().getFirst();
    assertThat(run.configNode().path("base_prompt").asText()).isEqualTo("Write well");
    assertThat(run.executor().orElseThrow()).contains(writer.path("uid").asText());
    assertThat(found(Map.of("executor", List.of(writer.path("uid").asText())))).hasSize(1);
  }

  @Test
  void scheduleDueDuringAFreezeStartsNothingAndRecordsWhy() {
    var schedule = schedules.create(ServiceJson.body(EVERY_HOUR));
    frozen = Optional.of("Dana froze all starts");
    runs.limitStarts(
        new StartLimits() {
          @Override
          public Optional<String> frozen() {
            return frozen;
          }

          @Override
          public Optional<String> refuse(String delivery, String run) {
            return Optional.empty();
          }

          @Override
          public void used(String run, Duration worked, BigDecimal dollars) {}
        });
    clock.advance(Duration.ofHours(1));

    start();

    assertThat(queries.list(RunQuery.parse(Map.of())).runs()).isEmpty();
    assertThat(schedules.find(schedule.id()).orElseThrow().lastError()).isEqualTo(frozen);

    frozen = Optional.empty();
    clock.advance(Duration.ofHours(1));
    start();

    assertThat(queries.list(RunQuery.parse(Map.of())).runs()).hasSize(1);
    assertThat(schedules.find(schedule.id()).orElseThrow().lastError()).isEmpty();
  }

  @Test
  void deletedAgentIsRecordedAsTheErrorOfItsSchedule() {
    var agent = identities.create(ServiceJson.newObject().put("name", "a")).get("uid").asText();
    var schedule = schedules.create(ServiceJson.body(EVERY_HOUR).put("agent_uid", agent));
    identities.delete(agent);
    clock.advance(Duration.ofHours(1));

    start();

    assertThat(queries.list(RunQuery.parse(Map.of())).runs()).isEmpty();
    assertThat(schedules.find(schedule.id()).orElseThrow().lastError())
        .hasValueSatisfying(why -> assertThat(why).contains("names no agent"));
  }

  @Test
  void missedScheduleTimesStartOneRun() {
    schedules.create(ServiceJson.body(EVERY_HOUR));
    clock.advance(Duration.ofDays(3));

    assertThat(start()).isTrue();
    assertThat(start()).isFalse();
  }

  @Test
  void aPausedScheduleStartsNothing() {
    var schedule = schedules.create(ServiceJson.body(EVERY_HOUR));
    schedules.enable(schedule.id(), false);
    clock.advance(Duration.ofHours(2));

    assertThat(start()).isFalse();
    assertThat(schedules.nextDue()).isEmpty();
  }

  @Test
  void clockStartsDueSchedulesAutomatically() {
    schedules.create(ServiceJson.body(EVERY_HOUR));
    try (var _ = ScheduleClock.start(runs, schedules, configs, clock, changes)) {
      clock.advance(Duration.ofHours(1));
      changes.release();

      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> queries.list(RunQuery.parse(Map.of())).runs().size() == 1);
    }
  }

  @Test
  void closingWaitsForTheScheduleThatIsStartingAndStartsNoOther() throws Exception {
    schedules.create(ServiceJson.body(EVERY_HOUR));
    schedules.create(ServiceJson.body(EVERY_HOUR));
    clock.advance(Duration.ofHours(1));
    var isStarting = new Semaphore(0);
    var mayStart = new Semaphore(0);
    runs.limitStarts(
        new StartLimits() {
          @Override
          public Optional<String> frozen() {
            isStarting.release();
            // As a database that takes its time.
            mayStart.acquireUninterruptibly();
            return Optional.empty();
          }

          @Override
          public Optional<String> refuse(String delivery, String run) {
            return Optional.empty();
          }

          @Override
          public void used(String run, Duration worked, BigDecimal dollars) {}
        });
    var scheduleClock = ScheduleClock.start(runs, schedules, configs, clock, changes);
    isStarting.acquire();

    var closing = Thread.ofPlatform().start(scheduleClock::close);
    await().atMost(Duration.ofSeconds(60)).until(() -> WAITS_OR_ENDED.contains(closing.getState()));
    var isWaiting = closing.isAlive();
    mayStart.release(2);
    closing.join();

    assertThat(isWaiting).isTrue();
    assertThat(queries.list(RunQuery.parse(Map.of())).runs()).hasSize(1);
  }

  private static final Set<Thread.State> WAITS_OR_ENDED =
      EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.TERMINATED);

  private static final byte[] EVERY_HOUR =
      """
      {"name": "hourly", "cron_schedule": "0 * * * *", "prompt": "tidy up"}
      """
          .getBytes(StandardCharsets.UTF_8);
}
