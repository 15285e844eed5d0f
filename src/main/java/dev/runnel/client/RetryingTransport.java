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
  private static final Duration MAX_ASKED_WAIT = Duration.ofSeconds(60);
  private static final Duration FIRST_WAIT = Duration.ofMillis(500);
  private static final Duration MAX_WAIT = Duration.ofSeconds(8);
  private static final double SPREAD = 0.25;

  private final Transport next;
  private final Time time;
  private final RandomGenerator chance;
  private final List<Consumer<Attempt>> observers;
  private final CountDownLatch closed = new CountDownLatch(1);

  RetryingTransport(
      Transport next, Time time, RandomGenerator chance, List<Consumer<Attempt>> observers) {
    this.next = next;
    this.time = time;
    this.chance = chance;
    this.observers = List.copyOf(observers);
  }

  @Override
  public HttpResponse send(HttpRequest call, Duration timeout) {
    var deadline = time.nanos() + timeout.toNanos();
    var doubt = false;
    for (int number = 1; ; number++) {
      var isLast = number > call.limits().maxRetries();
      var start = time.nanos();
      Duration wait;
      try {
        var httpResponse = next.send(numbered(call, number), left(deadline)).after(number, doubt);
        wait = asked(httpResponse).orElse(backoff(number));
        var ends = isLast || !mayRepeat(call, httpResponse) || isNoTimeFor(wait, deadline);
        tell(call, number, start, Optional.of(httpResponse), Optional.empty(), wait, ends);
        if (ends) {
          return httpResponse;
        }
        doubt |= call.changesSomething() && !httpResponse.isRefusal();
      } catch (RunsException.TransportError failure) {
        wait = backoff(number);
        var ends = isLast || !mayRepeat(call, failure) || isNoTimeFor(wait, deadline);
        var reported = doubt ? failure.inDoubt(call) : failure;
        tell(call, number, start, Optional.empty(), Optional.of(reported), wait, ends);
        if (ends) {
          throw reported;
        }
        doubt |= failure.mayHaveHappened();
      } catch (RunsException.MalformedResponse failure) {
        tell(call, number, start, Optional.empty(), Optional.of(failure), Duration.ZERO, true);
        throw failure;
      }
      pause(call, wait, doubt);
    }
  }

  @Override
  public void close() {
    closed.countDown();
    next.close();
  }

  private static HttpRequest numbered(HttpRequest call, int number) {
    return call.with(
        call.headers().newBuilder().set(RETRY_COUNT, Integer.toString(number - 1)).build());
  }

  private static boolean mayRepeat(HttpRequest call, HttpResponse httpResponse) {
    if (httpResponse.isSuccess() || !(call.isRepeatable() || httpResponse.isRefusal())) {
      return false;
    }
    return switch (httpResponse.headers().get("x-should-retry")) {
      case "true" -> true;
      case "false" -> false;
      case null, default -> httpResponse.isRetryable();
    };
  }

  private static boolean mayRepeat(HttpRequest call, RunsException.TransportError failure) {
    return switch (failure) {
      case RunsException.ConnectionFailed _, RunsException.TimedOut _ ->
          call.isRepeatable() || !failure.wasSent();
      case RunsException.Interrupted _ -> false;
    };
  }

  private static Optional<Duration> asked(HttpResponse httpResponse) {
    return RetryAfter.of(httpResponse.headers(), httpResponse.arrived(), MAX_ASKED_WAIT);
  }

  private Duration backoff(int number) {
    var whole = Math.min(FIRST_WAIT.toMillis() << Math.min(number - 1, 10), MAX_WAIT.toMillis());
    return Duration.ofMillis(Math.round(whole * (1 - SPREAD * chance.nextDouble())));
  }

  private void pause(HttpRequest call, Duration wait, boolean inDoubt) {
    try {
      time.sleep(wait, closed);
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
      throw RunsException.interrupted(call.action(), inDoubt, interrupt);
    }
  }

  private boolean isNoTimeFor(Duration wait, long deadline) {
    return closed.getCount() == 0 || wait.compareTo(left(deadline)) >= 0;
  }

  private Duration left(long deadline) {
    return Duration.ofNanos(deadline - time.nanos());
  }

  private void tell(
      HttpRequest call,
      int number,
      long start,
      Optional<HttpResponse> answer,
      Optional<RunsException> failure,
      Duration wait,
      boolean ends) {
    if (observers.isEmpty()) {
      return;
    }
    var attempt =
        new Attempt(
            call.action(),
            call.method(),
            call.url().encodedPath(),
            number,
            answer
                .map(it -> OptionalInt.of(it.status()))
                .or(() -> failure.map(RunsException::status))
                .orElse(OptionalInt.empty()),
            failure.or(
                () -> answer.filter(it -> !it.isSuccess()).map(it -> RunsException.of(call, it))),
            Duration.ofNanos(time.nanos() - start),
            ends ? Optional.empty() : Optional.of(wait));
    for (var observer : observers) {
      try {
        observer.accept(attempt);
      } catch (RuntimeException broken) {
        log.warn("attempt observer failed call={}", call, broken);
      }
    }
  }
}
