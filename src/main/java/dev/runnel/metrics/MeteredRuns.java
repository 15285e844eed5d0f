package dev.runnel.metrics;

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
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// Wraps the run service: measures each call and its outcome, and counts the runs that it starts.
record MeteredRuns(AgentRuns runs, Supplier<MeterRegistry> registry) implements AgentRuns {
  private <T> T timed(String operation, Supplier<T> call, Function<T, String> outcome) {
    var start = Timer.start(registry.get());
    var result = call.get();
    start.stop(
        Timer.builder("runnel.run.service.requests")
            .description("Calls to the Agent Run API, by operation and outcome.")
            .tag("operation", operation)
            .tag("outcome", outcome.apply(result))
            .register(registry.get()));
    return result;
  }

  private static String name(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Done _ -> "done";
      case Outcome.Missing _ -> "missing";
      case Outcome.Refused _ -> "refused";
      case Outcome.Unavailable _ -> "busy";
    };
  }

  private static String name(RunListing listing) {
    return switch (listing) {
      case RunListing.Listed _ -> "done";
      case RunListing.Unavailable _ -> "busy";
    };
  }

  private static String name(Arrival arrival) {
    return arrival instanceof Arrival.Unavailable ? "busy" : "done";
  }

  @Override
  public Outcome start(Prompt prompt, DeliveryId key) {
    var outcome = timed("start", () -> runs.start(prompt, key), MeteredRuns::name);
    if (outcome instanceof Outcome.Done) {
      Counter.builder("runnel.runs.started")
          .description("Runs that were started, by the surface of the request.")
          .tag("surface", key.surface().value())
          .register(registry.get())
          .increment();
    }
    return outcome;
  }

  @Override
  public Outcome findStarted(DeliveryId key, Instant since, Optional<String> words) {
    return timed("find_started", () -> runs.findStarted(key, since, words), MeteredRuns::name);
  }

  @Override
  public Outcome followUp(RunId run, String text, DeliveryId key) {
    return timed("follow_up", () -> runs.followUp(run, text, key), MeteredRuns::name);
  }

  @Override
  public Outcome interrupt(RunId run, String text, DeliveryId key) {
    return timed("interrupt", () -> runs.interrupt(run, text, key), MeteredRuns::name);
  }

  @Override
  public Arrival followUpArrival(Run before, String text, int timesSent) {
    return timed(
        "find_follow_up", () -> runs.followUpArrival(before, text, timesSent), MeteredRuns::name);
  }

  @Override
  public Outcome cancel(RunId run) {
    return timed("cancel", () -> runs.cancel(run), MeteredRuns::name);
  }

  @Override
  public Outcome find(RunId run) {
    return timed("find", () -> runs.find(run), MeteredRuns::name);
  }

  @Override
  public FileContent content(RunFile file, long maxBytes) {
    return timed(
        "file",
        () -> runs.content(file, maxBytes),
        content -> content instanceof FileContent.Later ? "busy" : "done");
  }

  @Override
  public RunListing changedSince(Instant since) {
    return timed("list", () -> runs.changedSince(since), MeteredRuns::name);
  }

  @Override
  public RunListing unfinished() {
    return timed("list", runs::unfinished, MeteredRuns::name);
  }
}
