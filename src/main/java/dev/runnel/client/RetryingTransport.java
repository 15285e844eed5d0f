package dev.runnel.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Retries failed requests if that is safe, within one deadline for all attempts.
///
/// - Whether to retry is decided by the response's `x-should-retry`, else by the problem's
///   `retryable`, its code, or the status.
/// - A non-idempotent request is retried only if it certainly had no effect: it was not sent, or
///   the service rejected it. A lost response or a 5xx may hide an effect.
/// - The delay is the one the service requests, if it is acceptable; else it doubles each time,
///   with jitter.
/// - If the delay would exceed the deadline, the failure is reported at once.
final class RetryingTransport implements Transport {
  static final String RETRY_COUNT = "X-Stainless-Retry-Count";

  private static final Logger log = LoggerFactory.getLogger(RetryingTransport.class);
  private static final Duration MAX_RETRY_AFTER = Duration.ofSeconds(60);
  private static final Duration FIRST_DELAY = Duration.ofMillis(500);
  private static final Duration MAX_DELAY = Duration.ofSeconds(8);
  private static final double JITTER = 0.25;

  private final Transport next;
  private final Time time;
  private final RandomGenerator random;
  private final List<Consumer<Attempt>> observers;
  private final CountDownLatch closed = new CountDownLatch(1);

  RetryingTransport(
      Transport next, Time time, RandomGenerator random, List<Consumer<Attempt>> observers) {
    this.next = next;
    this.time = time;
    this.random = random;
    this.observers = List.copyOf(observers);
  }

  @Override
  public HttpResponse send(HttpRequest call, Duration timeout) {
    var deadline = time.nanos() + timeout.toNanos();
    var mayHaveHappened = false;
    for (int number = 1; ; number++) {
      var isLast = number > call.limits().maxRetries();
      var start = time.nanos();
      Duration delay;
      try {
        var httpResponse =
            next.send(withRetryCount(call, number), remaining(deadline))
                .after(number, mayHaveHappened);
        delay = requestedDelay(httpResponse).orElse(backoff(number));
        var isFinal = isLast || !mayRetry(call, httpResponse) || exceedsDeadline(delay, deadline);
        notifyObservers(
            call, number, start, Optional.of(httpResponse), Optional.empty(), delay, isFinal);
        if (isFinal) {
          return httpResponse;
        }
        mayHaveHappened |= call.changesSomething() && !httpResponse.isRefusal();
      } catch (RunsException.TransportError failure) {
        delay = backoff(number);
        var isFinal = isLast || !mayRetry(call, failure) || exceedsDeadline(delay, deadline);
        var reported = mayHaveHappened ? failure.inDoubt(call) : failure;
        notifyObservers(
            call, number, start, Optional.empty(), Optional.of(reported), delay, isFinal);
        if (isFinal) {
          throw reported;
        }
        mayHaveHappened |= failure.mayHaveHappened();
      } catch (RunsException.MalformedResponse failure) {
        notifyObservers(
            call, number, start, Optional.empty(), Optional.of(failure), Duration.ZERO, true);
        throw failure;
      }
      pause(call, delay, mayHaveHappened);
    }
  }

  @Override
  public void close() {
    closed.countDown();
    next.close();
  }

  private static HttpRequest withRetryCount(HttpRequest call, int number) {
    return call.with(
        call.headers().newBuilder().set(RETRY_COUNT, Integer.toString(number - 1)).build());
  }

  private static boolean mayRetry(HttpRequest call, HttpResponse httpResponse) {
    if (httpResponse.isSuccess() || !(call.isRepeatable() || httpResponse.isRefusal())) {
      return false;
    }
    return switch (httpResponse.headers().get("x-should-retry")) {
      case "true" -> true;
      case "false" -> false;
      case null, default -> httpResponse.isRetryable();
    };
  }

  private static boolean mayRetry(HttpRequest call, RunsException.TransportError failure) {
    return switch (failure) {
      case RunsException.ConnectionFailed failed -> call.isRepeatable() || !failed.wasSent();
      case RunsException.TimedOut timedOut -> call.isRepeatable() || !timedOut.wasSent();
      case RunsException.Interrupted ignored -> false;
    };
  }

  private static Optional<Duration> requestedDelay(HttpResponse httpResponse) {
    return RetryAfter.of(httpResponse.headers(), httpResponse.arrived(), MAX_RETRY_AFTER);
  }

  private Duration backoff(int number) {
    var full = Math.min(FIRST_DELAY.toMillis() << Math.min(number - 1, 10), MAX_DELAY.toMillis());
    return Duration.ofMillis(Math.round(full * (1 - JITTER * random.nextDouble())));
  }

  private void pause(HttpRequest call, Duration delay, boolean inDoubt) {
    try {
      time.sleep(delay, closed);
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
      throw RunsException.interrupted(call.action(), inDoubt, interrupt);
    }
  }

  private boolean exceedsDeadline(Duration delay, long deadline) {
    return closed.getCount() == 0 || delay.compareTo(remaining(deadline)) >= 0;
  }

  private Duration remaining(long deadline) {
    return Duration.ofNanos(deadline - time.nanos());
  }

  private void notifyObservers(
      HttpRequest call,
      int number,
      long start,
      Optional<HttpResponse> response,
      Optional<RunsException> failure,
      Duration delay,
      boolean isFinal) {
    if (observers.isEmpty()) {
      return;
    }
    var attempt =
        new Attempt(
            call.action(),
            call.method(),
            call.url().encodedPath(),
            number,
            response
                .map(it -> OptionalInt.of(it.status()))
                .or(() -> failure.map(RunsException::status))
                .orElse(OptionalInt.empty()),
            failure.or(
                () -> response.filter(it -> !it.isSuccess()).map(it -> RunsException.of(call, it))),
            Duration.ofNanos(time.nanos() - start),
            isFinal ? Optional.empty() : Optional.of(delay));
    for (var observer : observers) {
      try {
        observer.accept(attempt);
      } catch (RuntimeException broken) {
        log.warn("attempt observer failed call={}", call, broken);
      }
    }
  }
}
