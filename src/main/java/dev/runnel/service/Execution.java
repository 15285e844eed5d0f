package dev.runnel.service;

import dev.runnel.database.DatabaseException;
import dev.runnel.service.TranscriptRows.Entry;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Prepared;
import dev.runnel.service.workspace.Workspaces;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
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
    LEAVE,
    /// It took more than it may.
    LIMIT
  }

  private final Job job;
  private final Harness harness;
  private final ServiceSettings settings;
  private final RunBook book;
  private final Workspaces workspaces;
  // The worker's alone: whether the workspace is in use.
  private boolean entered;
  // Guarded by this.
  private Wish wish = Wish.NONE;
  private Optional<AgentProcess> process = Optional.empty();

  Execution(
      Job job, Harness harness, ServiceSettings settings, RunBook book, Workspaces workspaces) {
    this.job = job;
    this.harness = harness;
    this.settings = settings;
    this.book = book;
    this.workspaces = workspaces;
  }

  /// Works until nothing of it is left, and writes down how it ended.
  void run() {
    try {
      finish(ending());
    } finally {
      // Measuring it takes time, which the end need not wait for.
      if (entered) {
        workspaces.release(job.runId());
      }
    }
  }

  private void finish(Ending ending) {
    while (true) {
      try {
        book.finish(job.runId(), ending);
        return;
      } catch (DatabaseException e) {
        if (wish() == Wish.LEAVE) {
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

  private Ending ending() {
    try {
      return work();
    } catch (RuntimeException e) {
      log.error("execution broke run={}", job.runId(), e);
      endAll();
      return Ending.broken();
    }
  }

  private Ending work() {
    try {
      var environments = settings.environments();
      // A command finds both in its configuration, and may know what they mean.
      var isItsOwn = environments.all().isEmpty() && harness instanceof CommandAgent;
      var chosen = environments.find(isItsOwn ? "" : job.environmentId());
      if (chosen.isEmpty()) {
        return Ending.notSetUp(noEnvironment());
      }
      var problem = settings.isolation().problem(chosen.get());
      if (problem.isPresent()) {
        return Ending.notSetUp(problem.get());
      }
      if (book.find(job.runId()).map(RunRow::cancelAsked).orElse(true)) {
        // Asked for before anybody could tell this execution.
        return Ending.cancelled();
      }
      entered = true;
      var prepared =
          workspaces.prepare(
              job.runId(), chosen.get(), isItsOwn ? "" : job.skillSpec(), bench(chosen.get()));
      if (prepared instanceof Prepared.Ready ready) {
        return work(chosen.get(), ready);
      }
      // What a setup command left running was for the agent alone.
      endAll();
      return switch (prepared) {
        case Prepared.Failed(String why) -> Ending.notSetUp(environments.masked(why));
        case Prepared.Late(String during) -> Ending.outOfTime(late(during));
        case Prepared.Stopped _, Prepared.Ready _ ->
            wish() == Wish.LEAVE ? Ending.restarted() : Ending.cancelled();
      };
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Ending.restarted();
    }
  }

  private Ending work(Environment chosen, Prepared.Ready ready) throws InterruptedException {
    var briefed = Briefing.of(job, ready, () -> book.find(job.runId()).map(RunRow::prompt));
    if (ready.fresh() && job.execution() > 1) {
      book.heard(
          job,
          new RunBook.Heard(
              List.of(new Entry(TranscriptLine.Kind.NOTE, Briefing.AFRESH)),
              Optional.of(Briefing.AFRESH),
              List.of(),
              Optional.empty()));
    }
    var recorder = new OutputRecorder(job, harness.ears(), book);
    try (var watch =
        new LimitWatch(
            settings.limits(),
            recorder,
            settings.environments()::masked,
            () -> workspaces.size(job.runId()),
            this::reachLimit)) {
      try {
        launch(briefed, chosen, ready, watch);
      } catch (IOException e) {
        endAll();
        recorder.finish();
        log.error("agent not started run={} agent={}", job.runId(), harness.name(), e);
        return Ending.notSetUp("The agent " + harness.name() + " could not be started here.");
      }
      var working = process().orElseThrow();
      var status = working.awaitExit();
      // Its end is the end of all that it started; what was told to end has its time for that.
      endAll();
      working.awaitOutput(OUTPUT_PATIENCE);
      var heard = recorder.finish();
      if (wish() == Wish.LEAVE) {
        return Ending.restarted();
      }
      return watch.reached().orElseGet(() -> ending(status, heard));
    }
  }

  private void launch(Job briefed, Environment chosen, Prepared.Ready ready, LimitWatch watch)
      throws IOException {
    var lent = settings.environments().variables(chosen);
    var environment = settings.surroundings(job);
    environment.putAll(lent);
    ready.skill().ifPresent(skill -> environment.put("RUNNEL_SKILL_FILE", skill.file().toString()));
    var place =
        new Isolation.Place(job, ready.root(), ready.folder(), chosen.image(), lent.keySet());
    var started =
        AgentProcess.start(
            job,
            settings.isolation().wrap(harness.command(briefed), place),
            ready.folder(),
            environment,
            harness.input(briefed),
            watch);
    watch.start();
    log.info(
        "execution started run={} execution={} agent={} pid={}",
        job.runId(),
        job.execution(),
        harness.name(),
        started.pid());
    began(started);
    var cancelled = book.launched(job, started.pid(), started.startedAt());
    if (cancelled) {
      started.end(settings.grace());
    }
  }

  private SetupBench bench(Environment chosen) {
    return new SetupBench(
        new SetupBench.Around(
            job,
            chosen,
            workspaces.root(job.runId()),
            settings.surroundings(job),
            settings.environments().variables(chosen),
            settings.environments()::masked,
            this::began,
            () -> wish() != Wish.NONE),
        settings,
        Optional.of(book));
  }

  /// From now on this is the process that a stop ends.
  private void began(AgentProcess started) {
    Wish wished;
    synchronized (this) {
      process = Optional.of(started);
      wished = wish;
    }
    if (wished != Wish.NONE) {
      started.end(settings.grace());
    }
  }

  private void endAll() {
    var grace =
        wish() == Wish.NONE
            ? Collections.min(List.of(LEFTOVER_GRACE, settings.grace()))
            : settings.grace();
    if (process().map(each -> !each.end(grace)).orElse(false)) {
      log.error("processes left that cannot be killed run={}", job.runId());
    }
    settings.isolation().cleanUp(job, settings.environment());
  }

  private void reachLimit() {
    log.info("limit reached run={} execution={}", job.runId(), job.execution());
    synchronized (this) {
      wish = wish == Wish.NONE ? Wish.LIMIT : wish;
    }
    process().ifPresent(working -> working.end(settings.grace()));
  }

  private String noEnvironment() {
    var known = settings.environments().all().stream().map(Environment::uid).toList();
    return "There is no environment %s here. %s"
        .formatted(
            job.environmentId(),
            known.isEmpty()
                ? "None are set up: agents.environments in runnel.yaml."
                : "There are: " + String.join(", ", known) + ".");
  }

  private String late(String during) {
    return "The agent did not start within %s; the limit is agents.limits.start. It was busy with: %s"
        .formatted(Limits.words(settings.limits().start()), settings.environments().masked(during));
  }

  private void stop(Wish wanted) {
    synchronized (this) {
      wish = wanted;
    }
    // What starts after this looks at the wish.
    process().ifPresent(working -> working.end(settings.grace()));
  }

  private synchronized Optional<AgentProcess> process() {
    return process;
  }

  private synchronized Wish wish() {
    return wish;
  }

  private Ending ending(int status, OutputRecorder.Heard heard) {
    if (status == 0 && heard.failure().isEmpty()) {
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
