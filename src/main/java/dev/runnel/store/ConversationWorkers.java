package dev.runnel.store;

import static com.github.kagkarlsson.scheduler.SchedulerClient.ScheduleOptions.WHEN_EXISTS_RESCHEDULE;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.exceptions.TaskInstanceException;
import com.github.kagkarlsson.scheduler.logging.LogLevel;
import com.github.kagkarlsson.scheduler.task.CompletionHandler;
import com.github.kagkarlsson.scheduler.task.DeadExecutionHandler;
import com.github.kagkarlsson.scheduler.task.FailureHandler;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.CustomTask;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.FixedDelay;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.store.SqlStore.NextTurn;
import dev.runnel.store.SqlWork.Touched;
import dev.runnel.store.row.QueueTable;
import dev.runnel.threads.SupervisedThread;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// Lets one worker at a time process a conversation's rows, across all nodes: there is one
/// db-scheduler task instance per queue and conversation, and one for the watcher. The rows are
/// authoritative: see docs/decisions/0002 and 0097.
///
/// [FairTurns] decides which conversations are next. The scheduler gets only those for which a step
/// is free, and those that are due soon, so neither it nor the memory holds a backlog: that stays
/// in the rows.
public final class ConversationWorkers implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ConversationWorkers.class);

  /// Besides the steps of both queues: those that find that it is not their turn, the watcher, the
  /// catch-up and the sweep, none of which may wait for a step.
  private static final int OTHER_THREADS = 16;

  private static final int MAX_THREADS =
      QueueTable.values().length * FairTurns.MOST + OTHER_THREADS;
  private static final int MISSED_HEARTBEATS = 4;
  private static final Duration RETRY_DELAY = Duration.ofSeconds(1);
  private static final int MAX_DOUBLINGS = 4;
  private static final int SWEEP_PAGE = 1_000;

  /// Rows that are due later than this many sweeps are left to a later sweep.
  private static final int SCHEDULED_SWEEPS = 2;

  /// Conversations of a sweep that are scheduled for later.
  private static final int MAX_SCHEDULED_LATER = 1_000;

  /// The precision of polls for rows that are due later.
  private static final Duration ALARM_PRECISION = Duration.ofMillis(10);

  private static final Duration RECOVERY_INTERVAL = Duration.ofSeconds(5);
  private static final int MAX_SUSPECTS = 1_000;
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

  /// One queue: its task, its order, and the thread that releases what is next.
  private final class Worker {
    final QueueTable queueTable;
    final CustomTask<Void> task;
    final FairTurns turns = new FairTurns();
    private @Nullable Thread releasing;

    Worker(QueueTable queueTable, Steps.Step step) {
      this.queueTable = queueTable;
      this.task =
          Tasks.custom(queueTable.task(), Void.class)
              .onDeadExecution(takeOver(instance -> turns.isRunning(conversation(instance))))
              .onFailure(retry())
              .execute((instance, _) -> execute(conversation(instance), step));
    }

    private static Conversation conversation(TaskInstance<?> instance) {
      return Conversation.parse(instance.getId());
    }

    void start() {
      var name = queueTable.task() + "-turns";
      var work =
          SupervisedThread.repeating(name, this::releaseNext, RETRY_DELAY, () -> !closing.get());
      releasing = SupervisedThread.daemon(name, work::run, _ -> {});
    }

    void close() {
      var thread = releasing;
      if (thread != null) {
        thread.interrupt();
      }
    }

    boolean isAlive() {
      var thread = releasing;
      return thread != null && thread.isAlive();
    }

    /// Schedules the next conversation as soon as a step is free.
    private void releaseNext() throws InterruptedException {
      var conversation = turns.take().conversation();
      try {
        wake(task.instance(conversation.id()), clock.instant());
      } catch (TaskInstanceException running) {
        // It runs on another node, which reads the rows again when it ends.
        turns.end(conversation);
        log.debug("already running queue={} conversation={}", queueTable.task(), conversation);
      } catch (RuntimeException e) {
        // The rows are committed; the sweep schedules them, or that of the next start.
        turns.end(conversation);
        if (!closing.get()) {
          log.warn("conversation not scheduled", e);
        }
      }
      if (turns.isRoomForRefused()) {
        alarm.execute(SupervisedThread.repeatable("refill", () -> sweep(Level.DEBUG)));
      }
    }

    private CompletionHandler<Void> execute(Conversation conversation, Steps.Step step) {
      if (!turns.begin(conversation)) {
        if (turns.isRunning(conversation)) {
          // It was thought dead, and its step runs here.
          return (complete, operations) ->
              operations.reschedule(complete, clock.instant().plus(RETRY_DELAY));
        }
        if (!isAdmitted(conversation)) {
          return (_, operations) -> {
            operations.remove();
            proceed(conversation);
          };
        }
      }
      try {
        store.database().patiently(() -> step.run(conversation, clock.instant()));
      } catch (Throwable failed) {
        turns.end(conversation);
        throw failed;
      }
      return (_, operations) -> {
        try {
          operations.remove();
        } finally {
          turns.end(conversation);
        }
        proceed(conversation);
      };
    }

    private boolean isAdmitted(Conversation conversation) {
      return store.next(queueTable, conversation).filter(it -> turns.admit(it.turn())).isPresent();
    }

    /// Lets the conversation wait for its next turn, if it has one. Rows that were added while the
    /// step ran have not done that.
    private void proceed(Conversation conversation) {
      store.database().patiently(() -> store.next(queueTable, conversation).ifPresent(this::add));
    }

    private void add(NextTurn next) {
      var now = clock.instant();
      if (!next.due().isAfter(now)) {
        turns.add(next.turn());
      } else if (next.due().isBefore(now.plus(pace.sweep().multipliedBy(SCHEDULED_SWEEPS)))) {
        scheduleIfAbsent(task.instance(next.turn().conversation().id()), next.due());
        triggerPollAt(next.due());
      }
    }

    /// Adds the conversations with rows that are due, or due soon, and whose wake was lost or
    /// refused: no step is scheduled, or one for later.
    void sweep(Level level) {
      var now = clock.instant();
      var found = 0;
      var later = 0;
      for (var page = page(now, ""); !page.isEmpty(); ) {
        var first = page.getFirst().turn().conversation().id();
        var last = page.getLast().turn().conversation().id();
        var scheduled = tasks.instances(queueTable.task(), first, last);
        for (var next : page) {
          var isDue = !next.due().isAfter(now);
          if (isLost(next, isDue, scheduled) && (isDue || ++later <= MAX_SCHEDULED_LATER)) {
            add(next);
            found++;
          }
        }
        page = page.size() == SWEEP_PAGE ? page(now, last) : List.of();
      }
      if (found > 0) {
        log.atLevel(level)
            .log("conversations found by sweep queue={} count={}", queueTable.task(), found);
      }
    }

    private List<NextTurn> page(Instant now, String after) {
      return store.nextTurns(queueTable, now.plus(pace.sweep()), after, SWEEP_PAGE);
    }

    /// @param scheduled whether a step runs or will be repeated after a failure, by the
    ///   conversation
    private boolean isLost(NextTurn next, boolean isDue, Map<String, Boolean> scheduled) {
      var conversation = next.turn().conversation();
      var isBusy = scheduled.get(conversation.id());
      return !turns.knows(conversation) && (isBusy == null || (isDue && !isBusy));
    }
  }

  private final Map<QueueTable, Worker> workers = new EnumMap<>(QueueTable.class);
  private final CustomTask<Void> watch;
  private final CustomTask<Void> catchUp;
  private final Scheduler scheduler;

  private final AtomicBoolean closing = new AtomicBoolean();
  private final AtomicBoolean isWatcherWoken = new AtomicBoolean();

  /// The times of the next polls, in units of the precision.
  private final Set<Long> alarms = ConcurrentHashMap.newKeySet();

  private record Suspect(String instance, long version, String heartbeat) {}

  /// Executions that seem dead, until they are seen again.
  private final Set<Suspect> suspects = ConcurrentHashMap.newKeySet();

  /// Never refuses work, since its callers have just committed rows. Once closed it discards it.
  private final ScheduledExecutorService alarm =
      new ScheduledThreadPoolExecutor(
          1, SupervisedThread.daemons("alarm"), new ThreadPoolExecutor.DiscardPolicy());

  /// Separate from the alarm, because it makes network calls.
  private final ScheduledExecutorService recovery =
      Executors.newSingleThreadScheduledExecutor(SupervisedThread.virtuals("recovery"));

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
    workers.put(QueueTable.INBOX, new Worker(QueueTable.INBOX, steps.dispatch()));
    workers.put(QueueTable.OUTBOX, new Worker(QueueTable.OUTBOX, steps.post()));
    this.watch = watchTask();
    this.catchUp = catchUpTask();
    this.scheduler =
        Scheduler.create(
                tasks.dataSource(),
                worker(QueueTable.INBOX).task,
                worker(QueueTable.OUTBOX).task,
                watch,
                catchUp)
            .startTasks(sweepTask())
            .schedulerName(new SchedulerName.Fixed(UUID.randomUUID().toString()))
            .clock(clock::instant)
            .executorService(
                Executors.newFixedThreadPool(MAX_THREADS, SupervisedThread.virtuals("step")))
            .threads(MAX_THREADS)
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
    store.onTouched(this::wake);
    workers.values().forEach(Worker::start);
    scheduler.start();
    // At a start it is no surprise that rows are not scheduled.
    sweep(Level.DEBUG);
    wakeCatchUp();
    var _ =
        recovery.scheduleWithFixedDelay(
            SupervisedThread.repeatable("recovery", this::recover),
            0,
            RECOVERY_INTERVAL.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  private void wakeCatchUp() {
    try {
      wake(catchUp.instance("all"), clock.instant());
    } catch (TaskInstanceException running) {
      log.debug("already running task={}", catchUp.getName());
    }
  }

  private void recover() {
    try {
      steps.recover().accept(clock.instant());
    } catch (RuntimeException e) {
      // A close interrupts a step, which the next start repeats.
      if (!closing.get()) {
        log.warn("recovery step failed, will try again", e);
      }
    }
  }

  /// Takes over the execution of a node that ended. One that runs in this process is alive, however
  /// late its heartbeat is. Others get the time of another search, because the database may have
  /// stood still for all of them.
  private DeadExecutionHandler<Void> takeOver(Predicate<TaskInstance<?>> isRunningHere) {
    var revive = new DeadExecutionHandler.ReviveDeadExecution<Void>();
    return (complete, operations) -> {
      var execution = complete.getExecution();
      if (isRunningHere.test(execution.taskInstance)) {
        return;
      }
      var suspect =
          new Suspect(
              execution.getId(), execution.version, String.valueOf(execution.lastHeartbeat));
      if (suspects.remove(suspect)) {
        revive.deadExecution(complete, operations);
      } else {
        if (suspects.size() >= MAX_SUSPECTS) {
          suspects.clear();
        }
        suspects.add(suspect);
      }
    };
  }

  private CustomTask<Void> watchTask() {
    return Tasks.custom(WATCH, Void.class)
        .onDeadExecution(takeOver(_ -> false))
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
        .onDeadExecution(takeOver(_ -> false))
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
        .execute(
            (_, _) -> {
              sweep(Level.INFO);
              cleanup.run(clock.instant());
            });
  }

  private void sweep(Level level) {
    workers.values().forEach(worker -> worker.sweep(level));
    // Ended runs are polled, too.
    scheduleIfAbsent(watch.instance("all"), clock.instant());
  }

  /// Never blocks, since senders wait for their responses.
  private void wake(Set<Touched> touched) {
    for (var each : touched) {
      worker(each.queue()).turns.add(each.turn());
    }
    if (touched.stream().anyMatch(each -> each.queue() == QueueTable.OUTBOX)
        && isWatcherWoken.compareAndSet(false, true)) {
      alarm.execute(
          SupervisedThread.repeatable(
              "wake-watcher",
              () -> {
                isWatcherWoken.set(false);
                wakeWatcher();
              }));
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

  /// @throws TaskInstanceException if it is running
  private void wake(TaskInstance<Void> instance, Instant at) {
    scheduler.schedule(instance, at, WHEN_EXISTS_RESCHEDULE);
    triggerPollAt(at);
  }

  private Worker worker(QueueTable queueTable) {
    var worker = workers.get(queueTable);
    if (worker == null) {
      throw new IllegalStateException("No worker for " + queueTable);
    }
    return worker;
  }

  /// Triggers a poll at that time, because the regular one may come later.
  private void triggerPollAt(Instant at) {
    var wait = Duration.between(clock.instant(), at);
    if (wait.isPositive()) {
      var time = at.toEpochMilli() / ALARM_PRECISION.toMillis() + 1;
      if (alarms.add(time)) {
        var _ =
            alarm.schedule(
                SupervisedThread.repeatable(
                    "alarm",
                    () -> {
                      alarms.remove(time);
                      scheduler.triggerCheckForDueExecutions();
                    }),
                wait.plus(ALARM_PRECISION).toMillis(),
                TimeUnit.MILLISECONDS);
      }
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
    if (!scheduler.getSchedulerState().isStarted()) {
      return Optional.of("Runnel is starting.");
    }
    return workers.values().stream().allMatch(Worker::isAlive)
        ? Optional.empty()
        : Optional.of("Deliveries and posts are not processed. Restart Runnel.");
  }

  /// Waits for running steps to finish, and stops.
  @Override
  public void close() {
    closing.set(true);
    workers.values().forEach(Worker::close);
    alarm.shutdownNow();
    recovery.shutdownNow();
    scheduler.stop();
    tasks.close();
  }
}
