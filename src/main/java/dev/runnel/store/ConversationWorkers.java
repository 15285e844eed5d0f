package dev.runnel.store;

import static com.github.kagkarlsson.scheduler.SchedulerClient.ScheduleOptions.WHEN_EXISTS_RESCHEDULE;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.exceptions.TaskInstanceException;
import com.github.kagkarlsson.scheduler.logging.LogLevel;
import com.github.kagkarlsson.scheduler.task.FailureHandler;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.CustomTask;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.FixedDelay;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.store.SqlWork.Touched;
import dev.runnel.store.audit.AuditLog;
import dev.runnel.store.row.QueueTable;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives each conversation's rows to one worker at a time, across all nodes: one db-scheduler task
/// instance per queue and conversation, and one for the watcher. Why the rows stay authoritative:
/// docs/decisions/0002.
public final class ConversationWorkers implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ConversationWorkers.class);
  private static final int STEPS_AT_ONCE = 64;
  private static final int MISSED_HEARTBEATS = 4;
  private static final Duration AFTER_A_FAILURE = Duration.ofSeconds(1);
  private static final int MAX_DOUBLINGS = 4;
  private static final Duration BETWEEN_DELETIONS = Duration.ofDays(1);
  private static final int WAKES = 10_000;
  private static final Duration RECOVERY = Duration.ofSeconds(5);
  private static final String WATCH = "watch";
  private static final String CATCH_UP = "catch-up";

  /// The work of the workers.
  ///
  /// @param watch polls all runs once; returns when the next poll is due, empty while there is
  ///   nothing to watch
  /// @param catchUp checks all surfaces once for missed deliveries; returns when the next check is
  ///   due
  /// @param recover probes failed services; each node probes by itself
  public record Steps(
      Step dispatch,
      Step post,
      Function<Instant, Optional<Instant>> watch,
      Function<Instant, Instant> catchUp,
      Consumer<Instant> recover) {
    /// Processes a conversation's rows that are due.
    @FunctionalInterface
    public interface Step {
      void run(Conversation conversation, Instant now);
    }
  }

  /// The scheduler's intervals.
  ///
  /// @param heartbeat of running steps; after four missed ones another node takes over
  /// @param sweep between searches for rows whose wake-up was lost
  /// @param drain maximum time for running steps to finish when the scheduler is closed
  record Pace(Duration poll, Duration heartbeat, Duration sweep, Duration drain) {
    static final Pace USUAL =
        new Pace(
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(15),
            Duration.ofSeconds(10));
  }

  private final SqlStore store;
  private final InstantSource clock;
  private final Steps steps;
  private final Pace pace;
  private final Retention retention;

  /// Accessed by the sweep only, which runs once at a time.
  private volatile Instant nextDeletion = Instant.EPOCH;

  private final Map<QueueTable, CustomTask<Void>> lanes = new EnumMap<>(QueueTable.class);
  private final CustomTask<Void> watch;
  private final CustomTask<Void> catchUp;
  private final Scheduler scheduler;

  /// Schedules conversations after commits, so that no sender waits for it. Wakes that are
  /// discarded when the queue is full are found by the sweep.
  private final ThreadPoolExecutor waker =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(WAKES),
          Thread.ofVirtual().name("waker").factory(),
          new ThreadPoolExecutor.DiscardPolicy());

  private final ScheduledExecutorService alarm =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("alarm").daemon().factory());

  /// Makes network calls, so it must not delay the alarm.
  private final ScheduledExecutorService recovery =
      Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().name("recovery").factory());

  public ConversationWorkers(SqlStore store, InstantSource clock, Steps steps) {
    this(store, clock, steps, Pace.USUAL);
  }

  public ConversationWorkers(
      SqlStore store, InstantSource clock, Steps steps, Retention retention) {
    this(store, clock, steps, Pace.USUAL, retention);
  }

  ConversationWorkers(SqlStore store, InstantSource clock, Steps steps, Pace pace) {
    this(store, clock, steps, pace, Retention.USUAL);
  }

  private ConversationWorkers(
      SqlStore store, InstantSource clock, Steps steps, Pace pace, Retention retention) {
    this.retention = retention;
    this.store = store;
    this.clock = clock;
    this.steps = steps;
    this.pace = pace;
    lanes.put(QueueTable.INBOX, lane(QueueTable.INBOX, steps.dispatch()));
    lanes.put(QueueTable.OUTBOX, lane(QueueTable.OUTBOX, steps.post()));
    this.watch = watching();
    this.catchUp = catchingUp();
    this.scheduler =
        Scheduler.create(
                store.database().dataSource(),
                lanes.get(QueueTable.INBOX),
                lanes.get(QueueTable.OUTBOX),
                watch,
                catchUp)
            .startTasks(sweeping())
            .schedulerName(new SchedulerName.Fixed(UUID.randomUUID().toString()))
            .clock(clock::instant)
            .executorService(Executors.newVirtualThreadPerTaskExecutor())
            .threads(STEPS_AT_ONCE)
            .pollingInterval(pace.poll())
            .heartbeatInterval(pace.heartbeat())
            .missedHeartbeatsLimit(MISSED_HEARTBEATS)
            .enableImmediateExecution()
            .shutdownMaxWait(pace.drain())
            .failureLogging(LogLevel.ERROR, true)
            .build();
  }

  /// Takes over the work that an earlier process left, and starts the workers.
  public void start() {
    if (store.database().isEmbedded()) {
      // No other process uses the file, so executions that are marked as picked belong to a process
      // that has ended.
      store
          .database()
          .write(
              rows ->
                  rows.change(
                      "UPDATE scheduled_tasks SET picked = ?, picked_by = NULL, last_heartbeat ="
                          + " NULL WHERE picked = ?",
                      false,
                      true));
    }
    store.onTouched(touched -> waker.execute(() -> wake(touched)));
    scheduler.start();
    sweep();
    wake(catchUp.instance("all"), clock.instant());
    var _ =
        recovery.scheduleWithFixedDelay(
            this::recover, 0, RECOVERY.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void recover() {
    try {
      steps.recover().accept(clock.instant());
    } catch (RuntimeException e) {
      log.warn("recovery step failed, will try again", e);
    }
  }

  private CustomTask<Void> lane(QueueTable queueTable, Steps.Step step) {
    return Tasks.custom(queueTable.task(), Void.class)
        .onDeadExecutionRevive()
        .onFailure(again())
        .execute(
            (instance, _) -> {
              var conversation = Conversation.parse(instance.getId());
              step.run(conversation, clock.instant());
              return (_, operations) -> {
                operations.remove();
                store.due(queueTable, conversation).ifPresent(due -> goOn(instance, due));
              };
            });
  }

  /// Schedules the conversation's next step unless it is scheduled already: rows added meanwhile
  /// have woken the conversation, and a later row must not postpone that.
  private void goOn(TaskInstance<Void> instance, Instant due) {
    scheduleIfAbsent(instance, due);
    triggerPollAt(due);
  }

  private CustomTask<Void> watching() {
    return Tasks.custom(WATCH, Void.class)
        .onDeadExecutionRevive()
        .onFailure(again())
        .execute(
            (_, _) -> {
              var next = steps.watch().apply(clock.instant());
              return (complete, operations) -> {
                if (next.isPresent()) {
                  operations.reschedule(complete, next.get());
                  triggerPollAt(next.get());
                } else {
                  operations.remove();
                  wakeWatcher();
                }
              };
            });
  }

  private CustomTask<Void> catchingUp() {
    return Tasks.custom(CATCH_UP, Void.class)
        .onDeadExecutionRevive()
        .onFailure(again())
        .execute(
            (_, _) -> {
              var next = steps.catchUp().apply(clock.instant());
              return (complete, operations) -> operations.reschedule(complete, next);
            });
  }

  /// Retries a failed execution. Steps handle exceptions of their own work; what reaches the
  /// scheduler are database errors.
  private FailureHandler<Void> again() {
    return (complete, operations) -> {
      int doublings = Math.min(complete.getExecution().consecutiveFailures, MAX_DOUBLINGS);
      operations.reschedule(
          complete, clock.instant().plus(AFTER_A_FAILURE.multipliedBy(1L << doublings)));
    };
  }

  private RecurringTask<Void> sweeping() {
    return Tasks.recurring("sweep", FixedDelay.of(pace.sweep())).execute((_, _) -> sweep());
  }

  private void sweep() {
    for (var queueTable : QueueTable.values()) {
      for (var conversation : store.forgotten(queueTable)) {
        log.info(
            "conversation scheduled by sweep lane={} conversation={}",
            queueTable.task(),
            conversation);
        schedule(queueTable, conversation, clock.instant());
      }
    }
    // Ended runs are polled, too.
    scheduleIfAbsent(watch.instance("all"), clock.instant());
    var now = clock.instant();
    store.forget(now.minus(retention.deliveries()), now.minus(retention.parked()));
    if (now.isAfter(nextDeletion)) {
      nextDeletion = now.plus(BETWEEN_DELETIONS);
      deleteOld(now);
    }
  }

  /// Deletes what is kept for months: once a day, because finding it takes longer.
  private void deleteOld(Instant now) {
    var entries = new AuditLog(store.database()).prune(now.minus(retention.audit()));
    var erasure = new Erasure(store.database());
    var runs = erasure.forgetRunsBefore(now.minus(retention.runs()), now);
    var starts = erasure.forgetStartsBefore(now.minus(retention.starts()));
    if (entries + runs + starts > 0) {
      log.info("old rows deleted audit={} runs={} starts={}", entries, runs, starts);
    }
  }

  private void wake(Set<Touched> touched) {
    var now = clock.instant();
    try {
      touched.forEach(each -> schedule(each.lane(), each.conversation(), now));
      if (touched.stream().anyMatch(each -> each.lane() == QueueTable.OUTBOX)) {
        wakeWatcher();
      }
    } catch (RuntimeException e) {
      // The rows are committed; the sweep schedules them.
      log.warn("conversations not scheduled count={}", touched.size(), e);
    }
  }

  private void wakeWatcher() {
    if (store.read(bindings -> bindings.hasActive())) {
      scheduleIfAbsent(watch.instance("all"), clock.instant());
    }
  }

  /// The scheduler fails when another thread's instance is there as it inserts, and has ended when
  /// it looks for it.
  private void scheduleIfAbsent(TaskInstance<Void> instance, Instant at) {
    try {
      scheduler.scheduleIfNotExists(instance, at);
    } catch (TaskInstanceException ended) {
      scheduler.scheduleIfNotExists(instance, at);
    }
  }

  private void schedule(QueueTable queueTable, Conversation conversation, Instant at) {
    wake(task(queueTable).instance(conversation.id()), at);
    triggerPollAt(at);
  }

  private void wake(TaskInstance<Void> instance, Instant at) {
    try {
      scheduler.schedule(instance, at, WHEN_EXISTS_RESCHEDULE);
    } catch (TaskInstanceException running) {
      // It is running, and checks for new rows when it ends.
      log.debug("already running task={} instance={}", instance.getTaskName(), instance.getId());
    }
  }

  private CustomTask<Void> task(QueueTable queueTable) {
    var task = lanes.get(queueTable);
    if (task == null) {
      throw new IllegalStateException("No task for " + queueTable);
    }
    return task;
  }

  /// Triggers a poll at that time, because the regular one may come later.
  private void triggerPollAt(Instant at) {
    var wait = Duration.between(clock.instant(), at);
    if (wait.isPositive()) {
      var _ =
          alarm.schedule(
              scheduler::triggerCheckForDueExecutions, wait.toMillis() + 1, TimeUnit.MILLISECONDS);
    } else {
      scheduler.triggerCheckForDueExecutions();
    }
  }

  /// Why the scheduler is not running; empty if it is. The database's state is reported by
  /// [DatabaseHealth].
  public Optional<String> problem() {
    if (scheduler.getSchedulerState().isShuttingDown()) {
      return Optional.of("Runnel is shutting down.");
    }
    return scheduler.getSchedulerState().isStarted()
        ? Optional.empty()
        : Optional.of("Runnel is starting.");
  }

  /// Waits for running steps to finish, and stops.
  @Override
  public void close() {
    alarm.shutdownNow();
    recovery.shutdownNow();
    waker.shutdown();
    scheduler.stop();
  }
}
