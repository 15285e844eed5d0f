package dev.runnel.store;

import static com.github.kagkarlsson.scheduler.SchedulerClient.ScheduleOptions.WHEN_EXISTS_RESCHEDULE;

import com.github.kagkarlsson.scheduler.ScheduledExecutionsFilter;
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
import dev.runnel.store.row.QueueTable;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
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
import org.slf4j.event.Level;

/// Lets one worker at a time process a conversation's rows, across all nodes: there is one
/// db-scheduler task instance per queue and conversation, and one for the watcher. The rows are
/// authoritative: see docs/decisions/0002 and 0097.
public final class ConversationWorkers implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ConversationWorkers.class);
  private static final int MAX_CONCURRENT_STEPS = 64;
  private static final int MISSED_HEARTBEATS = 4;
  private static final Duration RETRY_DELAY = Duration.ofSeconds(1);
  private static final int MAX_DOUBLINGS = 4;
  private static final int MAX_QUEUED_WAKES = 10_000;
  private static final Duration RECOVERY_INTERVAL = Duration.ofSeconds(5);
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
    static final Pace DEFAULT =
        new Pace(
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(15),
            Duration.ofSeconds(10));
  }

  private final SqlStore store;
  private final SchedulerTables tasks;
  private final InstantSource clock;
  private final Steps steps;
  private final Pace pace;
  private final RowCleanup cleanup;

  private final Map<QueueTable, CustomTask<Void>> queues = new EnumMap<>(QueueTable.class);
  private final CustomTask<Void> watch;
  private final CustomTask<Void> catchUp;
  private final Scheduler scheduler;

  /// Schedules conversations after commits, so that no sender waits for it. If the queue is full,
  /// wakes are discarded, and the sweep finds their rows.
  private final ThreadPoolExecutor waker =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(MAX_QUEUED_WAKES),
          Thread.ofVirtual().name("waker").factory(),
          new ThreadPoolExecutor.DiscardPolicy());

  private final ScheduledExecutorService alarm =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("alarm").daemon().factory());

  /// Separate from the alarm, because it makes network calls.
  private final ScheduledExecutorService recovery =
      Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().name("recovery").factory());

  public ConversationWorkers(SqlStore store, InstantSource clock, Steps steps) {
    this(store, clock, steps, Pace.DEFAULT);
  }

  public ConversationWorkers(
      SqlStore store, InstantSource clock, Steps steps, Retention retention) {
    this(store, clock, steps, Pace.DEFAULT, retention);
  }

  ConversationWorkers(SqlStore store, InstantSource clock, Steps steps, Pace pace) {
    this(store, clock, steps, pace, Retention.DEFAULT);
  }

  private ConversationWorkers(
      SqlStore store, InstantSource clock, Steps steps, Pace pace, Retention retention) {
    this(store, SchedulerTables.of(store.database()), clock, steps, pace, retention);
  }

  ConversationWorkers(
      SqlStore store,
      SchedulerTables tasks,
      InstantSource clock,
      Steps steps,
      Pace pace,
      Retention retention) {
    this.cleanup = new RowCleanup(store.database(), retention);
    this.store = store;
    this.tasks = tasks;
    this.clock = clock;
    this.steps = steps;
    this.pace = pace;
    queues.put(QueueTable.INBOX, queueTask(QueueTable.INBOX, steps.dispatch()));
    queues.put(QueueTable.OUTBOX, queueTask(QueueTable.OUTBOX, steps.post()));
    this.watch = watchTask();
    this.catchUp = catchUpTask();
    this.scheduler =
        Scheduler.create(
                tasks.dataSource(),
                queues.get(QueueTable.INBOX),
                queues.get(QueueTable.OUTBOX),
                watch,
                catchUp)
            .startTasks(sweepTask())
            .schedulerName(new SchedulerName.Fixed(UUID.randomUUID().toString()))
            .clock(clock::instant)
            .executorService(
                Executors.newFixedThreadPool(
                    MAX_CONCURRENT_STEPS, Thread.ofVirtual().name("step ", 0).factory()))
            .threads(MAX_CONCURRENT_STEPS)
            .pollingInterval(pace.poll())
            .heartbeatInterval(pace.heartbeat())
            .missedHeartbeatsLimit(MISSED_HEARTBEATS)
            .enableImmediateExecution()
            .shutdownMaxWait(pace.drain())
            .failureLogging(LogLevel.ERROR, true)
            .build();
  }

  /// Resumes the work of an earlier process, and starts the workers.
  public void start() {
    if (store.database().isEmbedded()) {
      // An older version kept its tasks in the file.
      store.database().write(rows -> rows.change("DELETE FROM scheduled_tasks"));
    }
    store.onTouched(touched -> waker.execute(() -> wake(touched)));
    scheduler.start();
    // At a start it is no surprise that rows are not scheduled.
    sweep(Level.DEBUG);
    wake(catchUp.instance("all"), clock.instant());
    var _ =
        recovery.scheduleWithFixedDelay(
            this::recover, 0, RECOVERY_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void recover() {
    try {
      steps.recover().accept(clock.instant());
    } catch (RuntimeException e) {
      // A close interrupts a step, which the next start repeats.
      if (!recovery.isShutdown()) {
        log.warn("recovery step failed, will try again", e);
      }
    }
  }

  private CustomTask<Void> queueTask(QueueTable queueTable, Steps.Step step) {
    return Tasks.custom(queueTable.task(), Void.class)
        .onDeadExecutionRevive()
        .onFailure(retry())
        .execute(
            (instance, _) -> {
              var conversation = Conversation.parse(instance.getId());
              step.run(conversation, clock.instant());
              return (_, operations) -> {
                operations.remove();
                store.due(queueTable, conversation).ifPresent(due -> scheduleNext(instance, due));
              };
            });
  }

  /// Schedules the conversation's next step unless it is scheduled already: rows added meanwhile
  /// have woken the conversation, and a later row must not postpone that.
  private void scheduleNext(TaskInstance<Void> instance, Instant due) {
    scheduleIfAbsent(instance, due);
    triggerPollAt(due);
  }

  private CustomTask<Void> watchTask() {
    return Tasks.custom(WATCH, Void.class)
        .onDeadExecutionRevive()
        .onFailure(retry())
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

  private CustomTask<Void> catchUpTask() {
    return Tasks.custom(CATCH_UP, Void.class)
        .onDeadExecutionRevive()
        .onFailure(retry())
        .execute(
            (_, _) -> {
              var next = steps.catchUp().apply(clock.instant());
              return (complete, operations) -> operations.reschedule(complete, next);
            });
  }

  /// Retries a failed execution. Steps handle exceptions of their own work; what reaches the
  /// scheduler are database errors.
  private FailureHandler<Void> retry() {
    return (complete, operations) -> {
      int doublings = Math.min(complete.getExecution().consecutiveFailures, MAX_DOUBLINGS);
      operations.reschedule(
          complete, clock.instant().plus(RETRY_DELAY.multipliedBy(1L << doublings)));
    };
  }

  private RecurringTask<Void> sweepTask() {
    return Tasks.recurring("sweep", FixedDelay.of(pace.sweep()))
        .execute((_, _) -> sweep(Level.INFO));
  }

  private void sweep(Level level) {
    for (var queueTable : QueueTable.values()) {
      for (var conversation : unscheduled(queueTable)) {
        log.atLevel(level)
            .log(
                "conversation scheduled by sweep queue={} conversation={}",
                queueTable.task(),
                conversation);
        schedule(queueTable, conversation, clock.instant());
      }
    }
    // Ended runs are polled, too.
    scheduleIfAbsent(watch.instance("all"), clock.instant());
    cleanup.run(clock.instant());
  }

  /// The conversations with rows whose wake was lost: no step is scheduled, or one for a time when
  /// a row is overdue.
  private List<Conversation> unscheduled(QueueTable queueTable) {
    // In this order: a conversation whose step ends in between is scheduled once too often, and
    // none is left out.
    var now = clock.instant();
    var waiting = store.waiting(queueTable);
    if (waiting.isEmpty()) {
      return List.of();
    }
    var due = store.due(queueTable, now);
    var scheduled = tasks.instances(queueTable.task());
    var late = due.isEmpty() ? Set.<String>of() : scheduledAfter(queueTable, now);
    return waiting.stream()
        .filter(
            conversation ->
                !scheduled.contains(conversation)
                    || (late.contains(conversation) && due.contains(conversation)))
        .map(Conversation::parse)
        .toList();
  }

  /// The conversations whose next step is scheduled after the time. A step that failed is repeated
  /// later on purpose.
  private Set<String> scheduledAfter(QueueTable queueTable, Instant time) {
    var late = new HashSet<String>();
    scheduler.fetchScheduledExecutionsForTask(
        queueTable.task(),
        Void.class,
        ScheduledExecutionsFilter.all().withPicked(false),
        execution -> {
          if (execution.getExecutionTime().isAfter(time)
              && execution.getConsecutiveFailures() == 0) {
            late.add(execution.getTaskInstance().getId());
          }
        });
    return late;
  }

  private void wake(Set<Touched> touched) {
    try {
      touched.forEach(this::wake);
      if (touched.stream().anyMatch(each -> each.queue() == QueueTable.OUTBOX)) {
        wakeWatcher();
      }
    } catch (RuntimeException e) {
      logLostWake(e);
    }
  }

  private void wake(Touched touched) {
    try {
      schedule(touched.queue(), touched.conversation(), clock.instant());
    } catch (RuntimeException e) {
      logLostWake(e);
    }
  }

  /// The rows are committed; the sweep schedules them, or that of the next start.
  private void logLostWake(RuntimeException error) {
    if (!waker.isShutdown()) {
      log.warn("conversation not scheduled", error);
    }
  }

  private void wakeWatcher() {
    if (store.read(bindings -> bindings.hasActive())) {
      scheduleIfAbsent(watch.instance("all"), clock.instant());
    }
  }

  /// The scheduler throws if another thread's instance exists when it inserts its own, but has
  /// ended when it queries it.
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
      // It is running, and queries new rows when it ends.
      log.debug("already running task={} instance={}", instance.getTaskName(), instance.getId());
    }
  }

  private CustomTask<Void> task(QueueTable queueTable) {
    var task = queues.get(queueTable);
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
    tasks.close();
  }
}
