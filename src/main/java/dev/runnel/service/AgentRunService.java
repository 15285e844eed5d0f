package dev.runnel.service;

import dev.runnel.database.Database;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.service.agent.Agents;
import dev.runnel.service.cleanup.DiskReserve;
import dev.runnel.service.cleanup.FreeSpace;
import dev.runnel.service.cleanup.WorkspaceCleanup;
import dev.runnel.service.execution.ConfigResolution;
import dev.runnel.service.execution.ExecutionContext;
import dev.runnel.service.execution.NodeSettings;
import dev.runnel.service.execution.RunQueue;
import dev.runnel.service.execution.ScheduleClock;
import dev.runnel.service.execution.ServiceSettings;
import dev.runnel.service.execution.SkillCatalog;
import dev.runnel.service.http.Api;
import dev.runnel.service.http.ApiDescription;
import dev.runnel.service.http.AuthFilter;
import dev.runnel.service.http.CatalogRoutes;
import dev.runnel.service.http.FactoryRoutes;
import dev.runnel.service.http.FileRoutes;
import dev.runnel.service.http.IdentityRoutes;
import dev.runnel.service.http.KeyRoutes;
import dev.runnel.service.http.McpRoutes;
import dev.runnel.service.http.McpTools;
import dev.runnel.service.http.RequestBodies;
import dev.runnel.service.http.RunActions;
import dev.runnel.service.http.RunRoutes;
import dev.runnel.service.http.ScheduleRoutes;
import dev.runnel.service.http.SignedLinks;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.RunShares;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ChangeListener;
import dev.runnel.service.run.ExecutionListener;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.RunNumbers;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.TranscriptPart;
import dev.runnel.service.run.limit.StartLimits;
import dev.runnel.service.store.ApiKeys;
import dev.runnel.service.store.ClusterSecrets;
import dev.runnel.service.store.ExecutionRecords;
import dev.runnel.service.store.Factories;
import dev.runnel.service.store.Identities;
import dev.runnel.service.store.NodeMembership;
import dev.runnel.service.store.QueueSignal;
import dev.runnel.service.store.RunAccess;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.RunService;
import dev.runnel.service.store.RunTransactions;
import dev.runnel.service.store.RunWatchers;
import dev.runnel.service.store.Schedules;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Skill;
import dev.runnel.service.workspace.Workspaces;
import io.javalin.config.RoutesConfig;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The embedded Agent Run Service. Open it, register its routes, and close it at shutdown. Runs are
/// stored in its database and survive a restart.
public final class AgentRunService implements AutoCloseable {
  /// Maximum size of a request body in bytes, of a run with images.
  public static final int MAX_BYTES = RequestBodies.MAX_BYTES_WITH_FILES;

  private static final Logger log = LoggerFactory.getLogger(AgentRunService.class);

  private final Inventory inventory;
  private final ServiceSettings settings;
  private final SkillCatalog skills;
  private final WorkspaceCleanup workspaceCleanup;
  private final RunWatchers watchers;
  private final RunQueries queries;
  private final ExecutionRecords records;
  private final RunQueue queue;
  private final DiskReserve diskReserve;
  private final ScheduleClock scheduleClock;
  private final AuthFilter authFilter;
  private final List<Consumer<Api>> resources;
  private final McpRoutes mcp;

  private AgentRunService(
      Inventory inventory,
      ServiceSettings settings,
      SkillCatalog skills,
      WorkspaceCleanup workspaceCleanup,
      RunWatchers watchers,
      RunQueries queries,
      ExecutionRecords records,
      RunQueue queue,
      DiskReserve diskReserve,
      ScheduleClock scheduleClock,
      AuthFilter authFilter,
      List<Consumer<Api>> resources,
      McpRoutes mcp) {
    this.inventory = inventory;
    this.settings = settings;
    this.skills = skills;
    this.workspaceCleanup = workspaceCleanup;
    this.watchers = watchers;
    this.queries = queries;
    this.records = records;
    this.queue = queue;
    this.diskReserve = diskReserve;
    this.scheduleClock = scheduleClock;
    this.authFilter = authFilter;
    this.resources = resources;
    this.mcp = mcp;
  }

  /// Migrates the database, ends the executions that a previous process left running, and starts to
  /// claim queued runs.
  ///
  /// @param database an embedded database for this service alone; the caller closes it, after
  ///   closing this service
  public static AgentRunService open(
      Database database, ServiceSettings settings, InstantSource clock) {
    return open(
        database, settings, NodeSettings.ALONE, ChangeListener.NONE, StartLimits.NONE, clock);
  }

  /// @param database an embedded database for this service alone, or one on a server, which several
  ///   nodes share; the caller closes it, after closing this service
  /// @param node the settings of this process as a node
  /// @param changes receives the changes of callers to keys and schedules
  /// @param startLimits decides whether runs may start, also those of schedules that are due
  ///   already
  public static AgentRunService open(
      Database database,
      ServiceSettings settings,
      NodeSettings node,
      ChangeListener changes,
      StartLimits startLimits,
      InstantSource clock) {
    return open(
        database,
        settings,
        node,
        changes,
        startLimits,
        clock,
        Spawner.system(),
        FreeSpace.of(settings.workspaces()));
  }

  /// Opens the service with the given processes, threads and disk; for tests.
  static AgentRunService open(
      Database database,
      ServiceSettings settings,
      NodeSettings node,
      ChangeListener listener,
      StartLimits startLimits,
      InstantSource wall,
      Spawner spawner,
      FreeSpace disk) {
    ServiceTables.migrate(database);
    var clock = database.clock(wall);
    var membership =
        NodeMembership.join(database, clock, node.identity(), settings.slots(), node.lease());
    var agents =
        settings.isolation() instanceof Isolation.Remote
            ? Agents.onOtherMachines(settings.command())
            : Agents.find(settings.command(), settings.environment());
    var watchers = new RunWatchers();
    var queueSignal = new QueueSignal();
    var transactions = new RunTransactions(database, clock);
    var runs =
        new RunService(
            transactions, watchers, queueSignal, membership, node.limits(), settings.sources());
    var records =
        new ExecutionRecords(transactions, watchers, queueSignal, membership, node.limits());
    runs.limitStarts(startLimits);
    records.limitStarts(startLimits);
    var queries = new RunQueries(database, node.limits().personLimit(membership));
    var keys = new ApiKeys(database, clock, settings.apiKey());
    var workspaces =
        new Workspaces(settings.workspaces(), settings.environments(), settings.isolation().user());
    var workspaceCleanup =
        WorkspaceCleanup.start(workspaces, node.snapshots(), queries, settings.limits(), clock);
    var memory = new RunShares(settings.memory(), settings.slots(), ServiceSettings.LEVELS);
    var queue =
        new RunQueue(
                new ExecutionContext(
                    spawner,
                    agents,
                    keys,
                    settings,
                    records,
                    queries,
                    watchers,
                    workspaces,
                    node.snapshots(),
                    memory,
                    node.identity().place()),
                runs,
                workspaceCleanup,
                queueSignal,
                membership)
            .start();
    log.info(
        "agent run service opened agent={} slots={}",
        agents.defaultAgent().name(),
        settings.slots());
    var links = new SignedLinks(clock, ClusterSecrets.of(database, "signed links"));
    var skills = new SkillCatalog(spawner, settings, workspaces, memory);
    var changes = new Semaphore(0);
    var factories = new Factories(settings.factories(), clock.instant());
    var identities = new Identities(database, clock, factories.identities());
    var configs = new ConfigResolution(agents, settings.environments(), identities);
    var schedules = new Schedules(database, clock, changes, configs::resolved);
    var access = new RunAccess(queries);
    var bodies = new RequestBodies(settings.memory().share(MemoryBudget.Kind.PROVEN));
    var actions = new RunActions(runs, queries, access, queue, configs, settings, listener, clock);
    return new AgentRunService(
        new Inventory(
            settings.environments(),
            agents,
            identities,
            settings.factories(),
            schedules,
            keys,
            membership),
        settings,
        skills,
        workspaceCleanup,
        watchers,
        queries,
        records,
        queue,
        DiskReserve.start(spawner, workspaces, disk, queue::evict),
        ScheduleClock.start(runs, schedules, configs, clock, changes),
        new AuthFilter(keys, settings.publicUrl()),
        List.of(
            new RunRoutes(actions, queries, access, links, listener, bodies)::register,
            new FactoryRoutes(
                    factories, configs, runs, queries, settings.publicUrl(), listener, bodies)
                ::register,
            new FileRoutes(queries, access, settings, links, node.identity().place(), listener)
                ::register,
            new IdentityRoutes(identities, agents, queries, bodies)::register,
            new ScheduleRoutes(schedules, listener, bodies)::register,
            new KeyRoutes(keys, listener, bodies)::register,
            new CatalogRoutes(
                    agents, settings.environments(), skills, queries, access, clock.instant())
                ::register),
        new McpRoutes(
            new McpTools(actions, queries, watchers, listener), settings.publicUrl(), bodies));
  }

  /// Registers `/api/v1` and everything below it, and `/mcp`. The handlers block.
  public void routes(RoutesConfig routes) {
    var api = new Api(routes, authFilter, settings.memory().share(MemoryBudget.Kind.READERS));
    resources.forEach(resource -> resource.accept(api));
    ApiDescription.register(api);
    api.registerFallback();
    mcp.register(routes, authFilter);
  }

  /// Name of the default agent: `command`, `claude`, `codex`, `gemini`, `opencode`, or `rehearsal`
  /// when no agent is installed.
  public String agentName() {
    return inventory.agents().defaultAgent().name();
  }

  /// The resources of the service besides runs.
  public Inventory inventory() {
    return inventory;
  }

  /// Describes the isolation of agents in one line, for the operator.
  public String isolation() {
    return settings.isolation().line();
  }

  /// Describes the network of isolated agents in one line, for the operator; empty without
  /// isolation.
  public Optional<String> network() {
    return settings.isolation().isOn() ? Optional.of(settings.egress().line()) : Optional.empty();
  }

  /// Sets the only listener of executions.
  public void listen(ExecutionListener listener) {
    records.listen(listener);
  }

  /// Maximum number of concurrent executions at each depth.
  public int slots() {
    return settings.slots();
  }

  /// Number of current executions.
  public int working() {
    return queue.executing();
  }

  /// Number of runs that have not ended, by state.
  public Map<ExecutionState, Long> unfinished() {
    return queries.unfinished();
  }

  /// The environments that a run can request.
  List<Environment> environments() {
    return settings.environments().all();
  }

  /// Lists the skills in an environment's repositories; malformed skills carry their error. Runs
  /// git, and contacts the server of each repository that has no local clone yet.
  ///
  /// @param refresh whether to fetch from the servers even if a clone exists
  /// @throws IllegalStateException with git's error output if a repository cannot be fetched
  List<Skill> skills(Environment environment, boolean refresh) throws InterruptedException {
    return skills.of(environment, refresh);
  }

  /// Reads a run's transcript after a given line.
  ///
  /// @param afterLine the number of the last line already seen; 0 for none
  /// @return empty if there is no such run
  public Optional<TranscriptPart> transcript(String runId, long afterLine) {
    return queries.transcript(runId, afterLine);
  }

  /// The runs created in an interval, oldest first, for statistics.
  ///
  /// @param to exclusive
  public List<RunNumbers> numbers(Instant from, Instant to) {
    return queries.numbers(from, to);
  }

  /// The days (UTC) on which the runs were created that changed since an instant.
  public Set<LocalDate> daysChangedSince(Instant from) {
    return queries.daysChangedSince(from);
  }

  /// The name of an environment, by its uid or name; the same text if there is none.
  public String environmentName(String uid) {
    return settings.environments().find(uid).map(Environment::name).orElse(uid);
  }

  /// The number of a transcript's last line; 0 if there is none.
  public long lastLine(String runId) {
    return queries.lastLine(runId);
  }

  /// The number of a transcript's last line of error output; 0 if there is none.
  public long lastError(String runId) {
    return queries.lastError(runId);
  }

  /// The first lines of a transcript that contain a text.
  ///
  /// @param limit maximum number of lines
  public List<TranscriptLine> findLines(String runId, String text, int limit) {
    return queries.findLines(runId, text, limit);
  }

  /// Calls back after each change to a run or its transcript. The callback carries no data; read
  /// the run again to see what changed.
  ///
  /// @param changed called on the thread that made the change; must return quickly and not throw
  /// @return closing it ends the subscription; closing it twice is harmless
  public AutoCloseable watch(String runId, Runnable changed) {
    return watchers.watch(runId, changed);
  }

  /// Stops starting agents, and waits for those that work, for at most the drain time. Requests are
  /// served meanwhile: cancellations take effect, and new runs stay queued for the next start.
  public void drain() {
    queue.drain();
  }

  /// Drains the service unless that was done, ends the working agents and records their executions
  /// as interrupted. Blocks for at most the drain time, the grace time and a few seconds.
  @Override
  public void close() {
    scheduleClock.close();
    queue.close();
    diskReserve.close();
    workspaceCleanup.close();
    log.info("agent run service closed");
  }
}
