package dev.runnel.testkit;

import dev.runnel.core.deliver.Courier;
import dev.runnel.core.deliver.FileDelivery;
import dev.runnel.core.deliver.FileLimits;
import dev.runnel.core.deliver.Reminders;
import dev.runnel.core.dispatch.DispatchOptions;
import dev.runnel.core.dispatch.Dispatcher;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.HealthCheck;
import dev.runnel.core.port.RunChangeListener;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Starts.Freeze;
import dev.runnel.core.recovery.OutageRecovery;
import dev.runnel.core.recovery.StartFreeze;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.Profiles;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.core.watch.MissedDeliveryPoller;
import dev.runnel.core.watch.ScheduleStarter;
import dev.runnel.core.watch.Watcher;
import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import dev.runnel.store.audit.AuditLog;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;

/// The three workers over a real store, a fake run service and a fake platform, stepped by hand.
public final class World implements AutoCloseable {
  public final SettableClock clock = new SettableClock();

  private Duration ahead = Duration.ZERO;
  public final FakeAgentRuns runs = new FakeAgentRuns(clock);
  public final FakeSurface surface = new FakeSurface();

  /// Another platform, where people may speak to runs of the first.
  public final FakeSurface elsewhere = new FakeSurface(new SurfaceId("elsewhere"));

  /// The pages on which people read answers to their forms.
  public final FakeSurface console = new FakeSurface(SurfaceId.CONSOLE);

  /// What the listener of changes learned: `QUEUED > RUNNING`.
  public final List<String> changes = new ArrayList<>();

  private final RunChangeListener listener =
      new RunChangeListener() {
        @Override
        public void changed(Binding before, Run now) {
          changes.add(before.run().state() + " > " + now.state());
        }

        @Override
        public void budgetNearlyUsed() {
          changes.add("a budget is nearly used");
        }
      };

  private final Database database;
  private final SqlStore sql;
  private final Set<Conversation> conversations = new LinkedHashSet<>();
  private Reminders reminders = Reminders.NONE;
  private FileLimits files = FileLimits.DEFAULT;
  private Policy policy = Policy.NONE;
  private Defaults defaults = Defaults.NONE;
  private DispatchOptions options = DispatchOptions.DEFAULT;
  private Store store;
  private Dispatcher dispatcher;
  private Watcher watcher;
  private Courier courier;
  private MissedDeliveryPoller poller;
  private OutageRecovery recovery;

  public World(Path folder) {
    this(MigratedFile.open(folder.resolve("runnel.db"), SqlStore.SCHEMA));
  }

  /// @param migrated is closed with this
  public World(Database migrated) {
    database = migrated;
    sql = new SqlStore(database, clock);
    store = sql;
    var random = new Random(1);
    recovery = new OutageRecovery(store, runs, surfaces());
    dispatcher = dispatcher(random);
    watcher = new Watcher(store, runs, listener);
    courier = courier(random);
    poller = new MissedDeliveryPoller(store, surfaces(), () -> clock.instant().minus(ahead));
  }

  /// From now on this policy decides who may do what.
  public void obeys(Policy rules) {
    policy = rules;
    restart(UnaryOperator.identity());
  }

  /// From now on runs have these options where nobody chooses others.
  public void defaultsTo(Defaults values) {
    defaults = values;
    restart(UnaryOperator.identity());
  }

  /// From now on deliveries are processed like this.
  public void dispatches(DispatchOptions now) {
    options = now;
    restart(UnaryOperator.identity());
  }

  /// From now on people are reminded of questions.
  public void reminds(Reminders schedule) {
    reminders = schedule;
    restart(UnaryOperator.identity());
  }

  /// From now on only these files are uploaded.
  public void uploads(FileLimits limits) {
    files = limits;
    restart(UnaryOperator.identity());
  }

  /// From now on the workers' clock is ahead of the machine's by this time, because that one was
  /// set back.
  public void workersAreAheadBy(Duration time) {
    ahead = time;
  }

  /// Lets the workers do what is due a while from now, as if nothing had been due before.
  public void leaps(Duration time) {
    clock.advance(time);
    settle();
  }

  private Surfaces surfaces() {
    return Surfaces.of(List.of(surface, elsewhere, console));
  }

  private Dispatcher dispatcher(Random random) {
    var web =
        new RunOptions(
            Optional.empty(),
            Optional.of("web-env"),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    return Dispatcher.of(
        store,
        runs,
        surfaces(),
        new Profiles(Map.of("web", web)),
        defaults,
        policy,
        HealthCheck.NONE,
        recovery,
        listener,
        options,
        random);
  }

  private Courier courier(Random random) {
    return new Courier(
        store, surfaces(), random, reminders, recovery, new FileDelivery(runs, files));
  }

  /// New workers over the same rows, as after a restart, over a store that the test may bend.
  public void restart(UnaryOperator<Store> bend) {
    store = bend.apply(sql);
    var random = new Random(1);
    recovery = new OutageRecovery(store, runs, surfaces());
    dispatcher = dispatcher(random);
    watcher = new Watcher(store, runs, listener);
    courier = courier(random);
    poller = new MissedDeliveryPoller(store, surfaces(), () -> clock.instant().minus(ahead));
  }

  /// Hands a delivery in at the door.
  public boolean says(Delivery delivery) {
    conversations.add(delivery.conversation());
    conversations.add(delivery.placeOfAnswer());
    return sql.accept(delivery);
  }

  /// Lets all workers do what is due, until nothing is.
  public void settle() {
    new ScheduleStarter(store).step(clock.instant());
    for (int quiet = 0; quiet < 2; ) {
      quiet = dispatchAll() + courierAll() == 0 ? quiet + 1 : 0;
      watcher.step(clock.instant());
      binding().forEach(conversations::add);
    }
  }

  /// Freezes all starts, or permits them again, as from the command line.
  public void freezes(boolean on) {
    store.change(
        work -> {
          if (on) {
            work.starts().freeze(new Freeze(Samples.SAM, Optional.empty(), clock.instant()));
          } else {
            StartFreeze.end(work);
          }
        });
  }

  /// Moves the clock on by steps of a second and lets the workers do what is due.
  public void passes(Duration time) {
    for (long second = 0; second < time.toSeconds(); second++) {
      clock.advance(Duration.ofSeconds(1));
      settle();
    }
  }

  private List<Conversation> binding() {
    return sql.<List<Conversation>>read(
        bindings ->
            bindings.recent(Optional.empty(), "", 100).stream()
                .map(each -> each.conversation())
                .toList());
  }

  private int dispatchAll() {
    var count = 0;
    for (var conversation : List.copyOf(conversations)) {
      count += dispatcher.step(conversation, clock.instant());
    }
    for (int i = 1; i <= surface.opens(); i++) {
      var opened = new Conversation(Samples.SURFACE, "team/channel/opened-" + i);
      if (conversations.add(opened)) {
        count++;
      }
    }
    return count;
  }

  private int courierAll() {
    return List.copyOf(conversations).stream()
        .mapToInt(conversation -> courier.step(conversation, clock.instant()))
        .sum();
  }

  /// Asks the platform what it did not deliver.
  ///
  /// @return when to ask again
  public Instant catchesUp() {
    return poller.step(clock.instant());
  }

  /// Asks what did not work whether it works again.
  public void recovers() {
    recovery.step(clock.instant());
  }

  /// Why `/readyz` is not ready.
  public Optional<String> problem() {
    return recovery.problem();
  }

  /// The only run there is.
  public Run onlyRun() {
    var all = runs.runs();
    if (all.size() != 1) {
      throw new AssertionError("Expected one run, there are " + all.size());
    }
    return all.getFirst();
  }

  /// The rows of all workers.
  public Store store() {
    return sql;
  }

  /// The audit log, as lines of JSON.
  public List<String> audit() {
    var lines = new ArrayList<String>();
    new AuditLog(database).export(Optional.empty(), Optional.empty(), lines::add);
    return lines;
  }

  public Watcher watcher() {
    return watcher;
  }

  @Override
  public void close() {
    sql.close();
    database.close();
  }
}
