package dev.runnel.client;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Logs each attempt at DEBUG: method, path, status, time. Queries, headers and bodies may hold
/// secrets and prompts, so they are never logged.
final class LoggingTransport implements Transport {
  private static final Logger log = LoggerFactory.getLogger(LoggingTransport.class);

  private final Transport next;

  LoggingTransport(Transport next) {
    this.next = next;
  }

  @Override
  public Answer send(HttpCall call, Duration timeout) {
    if (!log.isDebugEnabled()) {
      return next.send(call, timeout);
    }
    var start = System.nanoTime();
    try {
      var answer = next.send(call, timeout);
      log.debug(
          "run service answered call={} status={} code={} request={} millis={}",
          call,
          answer.status(),
          answer.problem().map(problem -> problem.code()).orElse(""),
          answer.headers().get("X-Request-Id"),
          millisSince(start));
      return answer;
    } catch (RunsException failure) {
      log.debug(
          "run service not heard call={} failure={} millis={}",
          call,
          failure.getClass().getSimpleName(),
          millisSince(start));
      throw failure;
    }
  }

  @Override
  public void close() {
    next.close();
  }

  private static long millisSince(long start) {
    return Duration.ofNanos(System.nanoTime() - start).toMillis();
  }
}
