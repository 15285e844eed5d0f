package dev.runnel.core.dispatch;

import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Starts.Start;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Counts the runs that agents start as starts of the person who requested the first run of the
/// family, in the place and the environment of that run. Thread-safe.
public record ChildRunStarts(Supplier<Policy> policy, Store store, InstantSource clock) {
  private static final Logger log = LoggerFactory.getLogger(ChildRunStarts.class);
  private static final String CHILD = "below:";

  /// @return why no run may start now, whoever requests it; empty if runs may start
  public Optional<String> frozen() {
    return store.commit(work -> work.starts().freeze()).map(StartControl::refusalOf);
  }

  /// @param firstRequest the delivery that started the first run; if its start is unknown, the
  ///   family is not limited
  /// @param run the id of the run that an agent starts
  /// @return why it must not start; empty if it may, and is counted
  public Optional<String> refuse(DeliveryId firstRequest, String run) {
    var now = clock.instant();
    var refusal =
        store.<Optional<String>>commit(
            work -> {
              var first = work.starts().find(firstRequest);
              if (first.isEmpty()) {
                return Optional.empty();
              }
              var start =
                  new Start(
                      child(run),
                      first.get().person(),
                      first.get().place(),
                      first.get().environment(),
                      now);
              var check = BudgetCheck.of(policy.get(), work, start);
              if (check.exceeded().isEmpty()) {
                work.starts().add(start);
                return Optional.empty();
              }
              return Optional.of(String.join("\n", check.exceeded()));
            });
    refusal.ifPresent(
        why -> log.info("start by an agent refused delivery={} why={}", firstRequest, why));
    return refusal;
  }

  /// @param micros the cost in millionths
  public void used(String run, Duration worked, long micros) {
    store.change(work -> work.starts().saveUsage(child(run), run, worked, micros));
  }

  private static DeliveryId child(String run) {
    return new DeliveryId(CHILD + run);
  }
}
