package dev.runnel.metrics;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.port.RunChangeListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Locale;
import java.util.function.Supplier;

/// Measures the runs of conversations by the changes that the watcher finds, for any run service.
record RunMetrics(Supplier<MeterRegistry> registry) implements RunChangeListener {
  private static final double MICROS = 1e6;

  @Override
  public void changed(Binding before, Run now) {
    var surface = before.conversation().surface().value();
    var cost = now.costMicros() - before.run().costMicros();
    if (cost > 0) {
      Counter.builder("runnel.runs.cost.dollars")
          .description("The cost of runs in US dollars, where the agent reports it, by surface.")
          .tag("surface", surface)
          .register(registry.get())
          .increment(cost / MICROS);
    }
    var asks = now.state().needsPerson() && !before.run().state().needsPerson();
    // Also adds 0, so that the metric exists before the first question.
    Counter.builder("runnel.runs.asked")
        .description("How often a run began to wait for a person, by surface.")
        .tag("surface", surface)
        .register(registry.get())
        .increment(asks ? 1 : 0);
    if (now.state().isTerminal() && before.isActive()) {
      ended(surface, now);
    }
  }

  @Override
  public void budgetNearlyUsed() {
    budgetWarnings(registry.get()).increment();
  }

  static Counter budgetWarnings(MeterRegistry registry) {
    return Counter.builder("runnel.budget.warnings")
        .description("Starts that brought a budget near its limit, with a warning in their thread.")
        .register(registry);
  }

  private void ended(String surface, Run now) {
    var state = now.state().name().toLowerCase(Locale.ROOT);
    Counter.builder("runnel.runs.ended")
        .description("Runs that ended, by surface and state.")
        .tag("surface", surface)
        .tag("state", state)
        .register(registry.get())
        .increment();
    now.runTime()
        .ifPresent(
            time ->
                Timer.builder("runnel.runs.duration")
                    .description("How long the agent worked on runs that ended.")
                    .tag("surface", surface)
                    .tag("state", state)
                    .serviceLevelObjectives(Buckets.ofWork())
                    .register(registry.get())
                    .record(time));
  }
}
