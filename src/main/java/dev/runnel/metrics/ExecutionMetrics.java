package dev.runnel.metrics;

import dev.runnel.service.run.ExecutionListener;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.Usage;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;

/// Measures the executions of the embedded service, including those of other clients.
record ExecutionMetrics(Supplier<MeterRegistry> registry) implements ExecutionListener {
  @Override
  public void claimed(String source, Duration waited) {
    Timer.builder("runnel.executions.queue")
        .description("How long executions waited for a slot, by the source of their run.")
        .tag("source", lower(source))
        .serviceLevelObjectives(Buckets.ofWaiting())
        .register(registry.get())
        .record(waited);
  }

  @Override
  public void ended(String source, ExecutionState as, Duration worked) {
    Timer.builder("runnel.executions.duration")
        .description(
            "How long executions worked, by the source of their run and their final state.")
        .tag("source", lower(source))
        .tag("state", lower(as.name()))
        .serviceLevelObjectives(Buckets.ofWork())
        .register(registry.get())
        .record(worked);
  }

  @Override
  public void used(Usage more) {
    tokens("input", more.input());
    tokens("output", more.output());
    Counter.builder("runnel.executions.cost.dollars")
        .description("The cost of executions in US dollars, where the agent reports it.")
        .register(registry.get())
        .increment(more.dollars().orElse(BigDecimal.ZERO).doubleValue());
  }

  private void tokens(String kind, long number) {
    Counter.builder("runnel.executions.tokens")
        .description("Tokens that the models of agents read (input) and wrote (output).")
        .tag("kind", kind)
        .register(registry.get())
        .increment((double) number);
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
