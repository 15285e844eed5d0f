package dev.runnel.tracing;

import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.FileContent;
import dev.runnel.core.model.run.Arrival;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunListing;
import dev.runnel.core.port.AgentRuns;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// Wraps the run service: records a span for each call of a delivery. Polls have no spans, because
/// they are for all runs.
record TracedRuns(AgentRuns runs, Traces traces) implements AgentRuns {
  private static final Traces.Describer<Outcome> OUTCOME =
      new Traces.Describer<>() {
        @Override
        public String outcome(Outcome result) {
          return switch (result) {
            case Outcome.Done _ -> "done";
            case Outcome.Missing _ -> "missing";
            case Outcome.Refused _ -> "refused";
            case Outcome.Unavailable _ -> "busy";
          };
        }

        @Override
        public boolean isFailure(Outcome result) {
          return result instanceof Outcome.Refused || result instanceof Outcome.Unavailable;
        }

        @Override
        public Optional<String> run(Outcome result) {
          return result instanceof Outcome.Done(Run run)
              ? Optional.of(run.id().value())
              : Optional.empty();
        }
      };

  private Outcome called(
      String name, Optional<DeliveryId> key, Optional<RunId> run, Supplier<Outcome> call) {
    return traces.called(
        "run service " + name,
        key,
        run.map(it -> Map.of("runnel.run", it.value())).orElse(Map.of()),
        call,
        OUTCOME);
  }

  @Override
  public Outcome start(Prompt prompt, DeliveryId key) {
    return called("start", Optional.of(key), Optional.empty(), () -> runs.start(prompt, key));
  }

  @Override
  public Outcome findStarted(DeliveryId key, Instant since, Optional<String> words) {
    return called(
        "find started",
        Optional.of(key),
        Optional.empty(),
        () -> runs.findStarted(key, since, words));
  }

  @Override
  public Outcome followUp(RunId run, String text, DeliveryId key) {
    return called(
        "follow up", Optional.of(key), Optional.of(run), () -> runs.followUp(run, text, key));
  }

  @Override
  public Outcome interrupt(RunId run, String text, DeliveryId key) {
    return called(
        "interrupt", Optional.of(key), Optional.of(run), () -> runs.interrupt(run, text, key));
  }

  @Override
  public Outcome cancel(RunId run) {
    return called("cancel", Optional.empty(), Optional.of(run), () -> runs.cancel(run));
  }

  @Override
  public Arrival followUpArrival(Run before, String text, int timesSent) {
    return runs.followUpArrival(before, text, timesSent);
  }

  @Override
  public Outcome find(RunId run) {
    return runs.find(run);
  }

  @Override
  public FileContent content(RunFile file, long maxBytes) {
    return runs.content(file, maxBytes);
  }

  @Override
  public RunListing changedSince(Instant since) {
    return runs.changedSince(since);
  }

  @Override
  public RunListing unfinished() {
    return runs.unfinished();
  }
}
