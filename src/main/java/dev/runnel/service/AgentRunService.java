package dev.runnel.service;

import dev.runnel.database.Database;
import io.javalin.config.RoutesConfig;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The embedded Agent Run Service. Open it, register its routes, close it at the end; runs outlive
/// all of that in its database.
public final class AgentRunService implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AgentRunService.class);

  private final Agents agents;
  private final RunWatchers watchers;
  private final RunBook book;
  private final RunQueue queue;
  private final RunRoutes routes;

  private AgentRunService(
      Agents agents, RunWatchers watchers, RunBook book, RunQueue queue, RunRoutes routes) {
    this.agents = agents;
    this.watchers = watchers;
    this.book = book;
    this.queue = queue;
    this.routes = routes;
  }

  /// Brings the tables up to date, ends what an earlier life left running, and begins to work.
  ///
  /// @param database the service's own, an embedded one; stays the caller's to close, after this
  public static AgentRunService open(
      Database database, ServiceSettings settings, InstantSource clock) {
    database.migrate("db/service");
    var agents = Agents.find(settings.command(), settings.environment());
    var watchers = new RunWatchers();
    var arrivals = new Semaphore(0);
    var book = new RunBook(database, clock, watchers, arrivals);
    var queue = RunQueue.start(book, agents, settings, watchers, arrivals);
    log.info("agent run service open agent={} slots={}", agents.usual().name(), settings.slots());
    return new AgentRunService(
        agents, watchers, book, queue, new RunRoutes(book, queue, settings, clock));
  }

  /// Registers `/api/v1` and everything below it. The handlers block.
  public void routes(RoutesConfig routes) {
    this.routes.register(routes);
  }

  /// What works here: `command`, `claude`, `codex`, `gemini`, `opencode`, or `rehearsal` where
  /// there is no agent.
  public String agentName() {
    return agents.usual().name();
  }

  /// A run's transcript from after a line on.
  ///
  /// @param afterLine the number of the last line already seen; 0 for none
  /// @return empty when there is no such run
  public Optional<TranscriptPart> transcript(String runId, long afterLine) {
    return book.transcript(runId, afterLine);
  }

  /// Tells when a run or its transcript changed; what changed is to be asked.
  ///
  /// @param changed called by the thread that made the change, so it must be quick and not throw
  /// @return ends the watching; closing it twice is fine
  public AutoCloseable watch(String runId, Runnable changed) {
    return watchers.watch(runId, changed);
  }

  /// Takes no more runs out of the queue, ends the agents at work, and writes down that they did
  /// not get to their end. Takes at most the grace time and some seconds.
  @Override
  public void close() {
    queue.close();
    log.info("agent run service closed");
  }
}
