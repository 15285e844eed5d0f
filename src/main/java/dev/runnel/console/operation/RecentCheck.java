package dev.runnel.console.operation;

import dev.runnel.core.port.HealthCheck;
import dev.runnel.threads.SupervisedThread;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The result of the last health check. If it is old, a page starts a new check and waits for it
/// for a limited time, so that a platform that does not respond does not delay the page. One check
/// runs at a time. Thread-safe.
public final class RecentCheck {
  private static final Duration FRESH = Duration.ofSeconds(20);

  /// @param at when the check ended
  public record Result(Instant at, List<HealthCheck.Finding> findings) {
    public Result {
      findings = List.copyOf(findings);
    }
  }

  private final HealthCheck check;
  private final InstantSource clock;
  private final Duration maxWait;
  // Guarded by this.
  private @Nullable CompletableFuture<Result> running;
  private @Nullable Result last;

  /// @param maxWait how long a page waits for a check
  public RecentCheck(HealthCheck check, InstantSource clock, Duration maxWait) {
    this.check = check;
    this.clock = clock;
    this.maxWait = maxWait;
  }

  /// Empty if the first check has not ended yet.
  public Optional<Result> get() {
    var begun = begin();
    if (begun.isPresent()) {
      try {
        return Optional.of(begun.get().get(maxWait.toMillis(), TimeUnit.MILLISECONDS));
      } catch (TimeoutException | ExecutionException _) {
        // The page shows the previous result.
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
    synchronized (this) {
      return Optional.ofNullable(last);
    }
  }

  /// The check that runs; empty if the last is fresh.
  private synchronized Optional<CompletableFuture<Result>> begin() {
    if (running != null) {
      return Optional.of(running);
    }
    if (last != null && clock.instant().isBefore(last.at().plus(FRESH))) {
      return Optional.empty();
    }
    var begun = new CompletableFuture<Result>();
    running = begun;
    SupervisedThread.virtual(
        "health check",
        () -> {
          var result = new Result(clock.instant(), check.findings());
          ended(result);
          begun.complete(result);
        },
        why -> {
          if (!begun.isDone()) {
            ended(null);
            begun.completeExceptionally(why.orElseGet(InterruptedException::new));
          }
        });
    return Optional.of(begun);
  }

  private synchronized void ended(@Nullable Result result) {
    running = null;
    if (result != null) {
      last = result;
    }
  }
}
