package dev.runnel.app.server;

import dev.runnel.app.data.DataFolder;
import dev.runnel.app.data.RunDatabase;
import dev.runnel.app.settings.KnownPlatforms;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.core.dispatch.ChildRunStarts;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.database.AdvisoryLock;
import dev.runnel.service.AgentRunService;
import dev.runnel.service.cleanup.RunCleanup;
import dev.runnel.service.execution.NodeSettings;
import dev.runnel.service.execution.ServiceSettings;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.RunShares;
import dev.runnel.service.run.NodeIdentity;
import dev.runnel.service.run.limit.CostLimit;
import dev.runnel.service.run.limit.StartLimits;
import dev.runnel.service.store.RunErasure;
import dev.runnel.threads.SupervisedThread;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/// Opens the embedded run service, and what it needs of this machine.
final class EmbeddedService {
  static final String OLDER_NODE =
      "A Runnel of an older version uses this database, and its runs are only on its machine."
          + " Stop it before this one starts (in Kubernetes, once: strategy Recreate). From this"
          + " version on, the runs are in the database, and several nodes share them.";

  private final ServerContext context;
  private final Map<String, String> environment;
  private final CompletableFuture<Isolation> isolation;

  private EmbeddedService(
      ServerContext context,
      Map<String, String> environment,
      CompletableFuture<Isolation> isolation) {
    this.context = context;
    this.environment = environment;
    this.isolation = isolation;
  }

  /// Begins to test the isolation. It starts a program, which takes as long as opening a database,
  /// so both are done at the same time.
  ///
  /// @return empty if the settings name another run service
  static Optional<EmbeddedService> begin(ServerContext context, Map<String, String> environment) {
    var config = context.config();
    if (config.agentApi().isPresent()) {
      return Optional.empty();
    }
    var isolation =
        CompletableFuture.supplyAsync(
            () -> IsolationChoice.open(config, environment, context.data().path()),
            task -> SupervisedThread.virtual("isolation", task::run, _ -> {}));
    return Optional.of(new EmbeddedService(context, environment, isolation));
  }

  /// Waits for the test.
  ///
  /// @throws SettingsException if the machine does not support the requested isolation
  Isolation isolation() {
    try {
      return isolation.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /// Ensures that no node of an older version uses the database: its embedded service has its runs
  /// in a file, so each of the two would report the runs of the other as failed.
  Optional<AdvisoryLock> refuseOlderNodes() {
    return context
        .config()
        .databaseUrl()
        .map(
            url ->
                context.opened(
                    AdvisoryLock.share(url, "runnel embedded run service")
                        .orElseThrow(() -> new SettingsException(OLDER_NODE))));
  }

  /// @param pricePerMinute of an agent, at present
  AgentRunService open(
      ServiceAudit audit, ChildRunStarts childRunStarts, Supplier<BigDecimal> pricePerMinute) {
    var config = context.config();
    var data = context.data();
    RunShares.problem(context.memory(), config.agentSlots(), ServiceSettings.LEVELS)
        .ifPresent(
            problem -> {
              throw new SettingsException(problem);
            });
    if (isolation() instanceof AutoCloseable connection) {
      context.opened(connection);
    }
    var node = config.databaseUrl().isPresent() ? node(data) : NodeIdentity.ALONE;
    var database = context.opened(RunDatabase.open(config, node));
    var service =
        context.opened(
            AgentRunService.open(
                database,
                settings(pricePerMinute),
                new NodeSettings(
                    node, config.agentLease(), config.agentSlotLimits(), config.agentSnapshots()),
                audit,
                limits(childRunStarts, config.limits().cost().dollars()),
                context.clock()));
    context.opened(
        RunCleanup.start(
            new RunErasure(database),
            run -> DataFolder.deleteOfRun(data.path(), config.agentSnapshots(), run),
            new RunCleanup.Retention(config.retention().runs(), config.retention().transcripts()),
            context.clock()));
    return service;
  }

  private ServiceSettings settings(Supplier<BigDecimal> pricePerMinute) {
    var config = context.config();
    var limits = config.limits();
    return new ServiceSettings(
        context.data().file("workspaces"),
        context.apiKey(),
        context::consoleUrl,
        config.agentCommand(),
        config.settings().withoutSecrets(environment),
        config.agentSlots(),
        RunnelServer.AGENT_GRACE,
        config.settings().environments(),
        limits.with(new CostLimit(limits.cost().dollars(), pricePerMinute)),
        isolation(),
        config.agentAccess(),
        config.settings().factories(),
        () -> config.agentApiOr(context.ports().admin()),
        context.redactor(),
        KnownPlatforms.sources(),
        config.egress(),
        config.permissionRules(),
        context.memory());
  }

  private static NodeIdentity node(DataFolder data) {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException _) {
      host = "a host without a name";
    }
    return new NodeIdentity(data.node(), host, data.place());
  }

  /// @param mostDollars what one run may cost; empty for no limit
  private static StartLimits limits(
      ChildRunStarts childRunStarts, Optional<BigDecimal> mostDollars) {
    return new StartLimits() {
      @Override
      public Optional<String> frozen() {
        return childRunStarts.frozen();
      }

      @Override
      public Optional<String> refuse(String delivery, String run) {
        return childRunStarts.refuse(new DeliveryId(delivery), run);
      }

      @Override
      public void used(String run, Duration worked, BigDecimal dollars) {
        // Agents report the cost, so a run counts at most what it may cost.
        var counted = mostDollars.map(dollars::min).orElse(dollars);
        childRunStarts.used(run, worked, counted.movePointRight(6).longValue());
      }
    };
  }
}
