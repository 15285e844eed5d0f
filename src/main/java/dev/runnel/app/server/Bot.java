package dev.runnel.app.server;

import static java.util.Objects.requireNonNull;

import dev.runnel.app.settings.Config;
import dev.runnel.console.access.ApiRunSurface;
import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.core.deliver.Courier;
import dev.runnel.core.deliver.FileDelivery;
import dev.runnel.core.dispatch.Dispatcher;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.Surface;
import dev.runnel.core.port.TraceRecorder;
import dev.runnel.core.recovery.OutageRecovery;
import dev.runnel.core.redact.RedactedSurface;
import dev.runnel.core.scope.EnvironmentIds;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.core.watch.MissedDeliveryPoller;
import dev.runnel.core.watch.ScheduleStarter;
import dev.runnel.core.watch.Watcher;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.metrics.Metrics;
import dev.runnel.store.ConversationWorkers;
import dev.runnel.surface.hook.HookSurface;
import dev.runnel.surface.kit.AnswerMemory;
import dev.runnel.tracing.Traces;
import dev.runnel.web.RequestMetrics;
import dev.runnel.web.WebhookEndpoint;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/// The bot: the surfaces, the endpoint that stores their deliveries, and the workers that handle
/// them.
record Bot(
    Surfaces surfaces,
    RequestMetrics requestMetrics,
    ComponentHealthCheck healthCheck,
    OutageRecovery recovery,
    ConversationWorkers workers,
    WebhookEndpoint endpoint) {
  /// The workers that settings change while they work; they keep nothing in memory.
  private record Changeable(Dispatcher dispatcher, Courier courier) {}

  /// @param answers what a step reads from platforms stays in memory until its end
  /// @param console the surface of the console
  static Bot of(
      ServerContext context,
      Storage storage,
      LiveSettings settings,
      Platforms platforms,
      AnswerMemory answers,
      ConsoleSurface console,
      AgentRuns runs,
      Metrics metrics,
      Optional<Traces> traces) {
    var clock = context.clock();
    var store = storage.store();
    var hooks =
        new HookSurface(
            context.config().settings().hooks(),
            platforms.http().newBuilder().addInterceptor(metrics.callsTo(HookSurface.ID)).build(),
            clock,
            context.memory().share(MemoryBudget.Kind.PROVEN));
    UnaryOperator<Surface> wrapped =
        surface ->
            new RedactedSurface(
                traces.map(it -> it.surface(surface)).orElse(surface), context.redactor());
    var receiving =
        Stream.concat(platforms.surfaces().stream(), Stream.of(console, hooks))
            .map(wrapped)
            .toList();
    var surfaces =
        Surfaces.of(
            Stream.concat(receiving.stream(), Stream.of(wrapped.apply(new ApiRunSurface(console))))
                .toList());
    var recorder = traces.<TraceRecorder>map(it -> it).orElse(TraceRecorder.NONE);
    var requestMetrics = new RequestMetrics();
    var healthCheck =
        new ComponentHealthCheck(storage.health(), runs, platforms, requestMetrics, clock);
    var recovery = new OutageRecovery(store, runs, surfaces);
    var parts =
        new Parts(
            storage,
            surfaces,
            runs,
            context.config().settings().defaults().environments(),
            metrics,
            healthCheck,
            recovery,
            recorder,
            answers);
    var changeable = new AtomicReference<>(parts.changeable(context.config()));
    settings.onChange(
        (now, withHooks) -> {
          changeable.set(parts.changeable(now));
          if (withHooks) {
            hooks.replace(now.settings().hooks());
          }
        });
    return new Bot(
        surfaces,
        requestMetrics,
        healthCheck,
        recovery,
        parts.workers(() -> requireNonNull(changeable.get()), context.config(), clock),
        new WebhookEndpoint(store, Surfaces.of(receiving), clock, requestMetrics, recorder));
  }

  /// The parts of the workers.
  ///
  /// @param environments those of the service, which a reload does not change
  private record Parts(
      Storage storage,
      Surfaces surfaces,
      AgentRuns runs,
      EnvironmentIds environments,
      Metrics metrics,
      ComponentHealthCheck healthCheck,
      OutageRecovery recovery,
      TraceRecorder recorder,
      AnswerMemory answers) {
    private static final RandomGenerator RANDOM = new SecureRandom();

    Changeable changeable(Config now) {
      var store = storage.store();
      return new Changeable(
          Dispatcher.of(
              store,
              runs,
              surfaces,
              now.settings().profiles(),
              now.settings().defaults().withEnvironments(environments),
              now.settings().policy(),
              healthCheck,
              recovery,
              metrics.runChanges(),
              now.dispatch().withTraces(recorder),
              RANDOM),
          new Courier(
              store,
              surfaces,
              RANDOM,
              now.reminders(),
              recovery,
              new FileDelivery(runs, now.files())));
    }

    ConversationWorkers workers(
        Supplier<Changeable> changeable, Config config, InstantSource clock) {
      var store = storage.store();
      var watcher = new Watcher(store, recovery.watching(runs), metrics.runChanges());
      var scheduleStarter = new ScheduleStarter(store);
      var missed = new MissedDeliveryPoller(store, surfaces, clock);
      return new ConversationWorkers(
          store,
          storage.time(),
          new ConversationWorkers.Steps(
              (conversation, now) ->
                  answers.step(() -> changeable.get().dispatcher().step(conversation, now)),
              (conversation, now) ->
                  answers.step(() -> changeable.get().courier().step(conversation, now)),
              healthCheck.watching(watcher::step),
              now -> answers.step(() -> missed.step(now)),
              now -> {
                scheduleStarter.step(now);
                recovery.step(now);
              }),
          config.retention());
    }
  }
}
