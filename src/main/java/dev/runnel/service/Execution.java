package dev.runnel.service;

import dev.runnel.database.DatabaseException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One execution of one run: from the claimed row to the row that says how it ended.
final class Execution {
  private static final Logger log = LoggerFactory.getLogger(Execution.class);
  private static final Duration LEFTOVER_GRACE = Duration.ofSeconds(2);
  private static final Duration OUTPUT_PATIENCE = Duration.ofSeconds(2);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final int CANNOT_RUN = 126;
  private static final int NOT_FOUND = 127;

  private enum Wish {
    NONE,
    CANCEL,
    /// The service stops.
    LEAVE
  }

  private final Job job;
  private final Agents agents;
  private final ServiceSettings settings;
  private final RunBook book;
  // Guarded by this.
  private Wish wish = Wish.NONE;
  private Optional<AgentProcess> process = Optional.empty();

  Execution(Job job, Agents agents, ServiceSettings settings, RunBook book) {
    this.job = job;
    this.agents = agents;
    this.settings = settings;
    this.book = book;
  }

  /// Works until nothing of it is left, and writes down how it ended.
  void run() {
    var ending = work();
    while (true) {
      try {
        book.finish(job.runId(), ending);
        return;
      } catch (DatabaseException e) {
        if (leaving()) {
          throw e;
        }
        log.warn("end of execution not written, will try again run={}", job.runId(), e);
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  /// Ends the processes; returns when they are gone, or would not go. The caller has written down
  /// that the run is to be cancelled.
  void cancel() {
    stop(Wish.CANCEL);
  }

  /// Ends the processes because the service stops.
  void leave() {
    stop(Wish.LEAVE);
  }

  private Ending work() {
    var workspace = settings.workspaces().resolve(job.runId()).toAbsolutePath();
    var environment = AgentEnvironment.of(settings.environment(), job);
    var folder = settings.workspaces().resolveSibling("agents").resolve(job.runId());
    try (var desk = new Desk(folder, workspace, environment, settings.access())) {
      return work(agents.of(job), desk, environment);
    } catch (AgentRefused e) {
      log.info("agent refused run={}", job.runId());
      return Ending.notSetUp(e.why());
    } catch (IOException e) {
      log.error("agent not set up run={}", job.runId(), e);
      return Ending.notSetUp("The agent could not be set up here.");
    }
  }

  private Ending work(Harness harness, Desk desk, Map<String, String> environment)
      throws IOException {
    Files.createDirectories(desk.workspace());
    var seen = job.with(harness);
    var launch = harness.launch(seen, desk);
    var recorder = new OutputRecorder(job, harness, desk.workspace(), book);
    try {
      try {
        start(harness, launch, desk.workspace(), environment, recorder);
      } catch (IOException e) {
        recorder.finish();
        log.error("agent not started run={} agent={}", job.runId(), harness.name(), e);
        return Ending.notSetUp("The agent " + harness.name() + " could not be started here.");
      }
      var working = process().orElseThrow();
      var status = working.awaitExit();
      var left = leaving();
      // Its end is the end of all that it started.
      if (!working.end(Collections.min(List.of(LEFTOVER_GRACE, settings.grace())))) {
        log.error("processes left that cannot be killed run={}", job.runId());
      }
      working.awaitOutput(OUTPUT_PATIENCE);
      var heard = recorder.finish();
      if (left) {
        return Ending.restarted();
      }
      var ending = ending(harness, status, heard);
      var isLost =
          seen.agentSession().isPresent()
              && !heard.hasSession()
              && ending.phase() == Phase.FAILED
              && isUndisturbed();
      return isLost ? withoutSession(ending) : ending;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Ending.restarted();
    }
  }

  /// The agent did not even get to work in the session that it was to go on with. It would be so
  /// for ever.
  private Ending withoutSession(Ending ending) {
    book.forgetSession(job.runId());
    return Ending.failed(
        ending.message()
            + "\nThe agent could not go on with its session. Reply to work on in the same folder"
            + " with a new one.");
  }

  private void start(
      Harness harness,
      Launch launch,
      Path workspace,
      Map<String, String> environment,
      OutputRecorder recorder)
      throws IOException {
    var whole = new HashMap<>(environment);
    whole.putAll(launch.environment());
    var started =
        AgentProcess.start(job, launch.command(), workspace, whole, launch.input(), recorder);
    Wish wished;
    synchronized (this) {
      process = Optional.of(started);
      wished = wish;
    }
    log.info(
        "execution started run={} execution={} agent={} pid={}",
        job.runId(),
        job.execution(),
        harness.name(),
        started.pid());
    var cancelled = book.launched(job, started.pid(), started.startedAt());
    if (cancelled || wished != Wish.NONE) {
      started.end(settings.grace());
    }
  }

  private void stop(Wish wanted) {
    synchronized (this) {
      wish = wanted;
    }
    // Not yet started: the start looks at the wish.
    process().ifPresent(working -> working.end(settings.grace()));
  }

  private synchronized Optional<AgentProcess> process() {
    return process;
  }

  private synchronized boolean isUndisturbed() {
    return wish == Wish.NONE;
  }

  private synchronized boolean leaving() {
    return wish == Wish.LEAVE;
  }

  /// Neither the exit status nor the agent's words are believed alone: there are agents that end
  /// with 0 when they fail or are killed, and such that fail after they said all was well.
  private static Ending ending(Harness harness, int status, OutputRecorder.Heard heard) {
    if (status == 0 && heard.failure().isEmpty()) {
      if (harness.tellsItsEnd() && !heard.finished()) {
        return Ending.failed(
            "The agent ended before it was finished."
                + (heard.errors().isEmpty() ? "" : "\n" + heard.errors()));
      }
      return heard
          .question()
          .map(Ending::blocked)
          .orElseGet(
              () ->
                  Ending.succeeded(
                      heard.answer().isEmpty()
                          ? "The agent finished without a word."
                          : heard.answer()));
    }
    if (status == CANNOT_RUN || status == NOT_FOUND) {
      return Ending.notSetUp(
          heard.errors().isEmpty() ? "The agent's command cannot be run." : heard.errors());
    }
    return Ending.failed(
        heard
            .failure()
            .or(() -> Optional.of(heard.errors()).filter(errors -> !errors.isEmpty()))
            .orElse("The agent ended with exit status " + status + " and gave no reason."));
  }
}
