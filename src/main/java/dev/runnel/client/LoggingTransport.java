package dev.runnel.client;

import java.time.Duration;
import okio.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// Logs requests and responses according to the level.
final class LoggingTransport implements Transport {
  private static final Logger log = LoggerFactory.getLogger(LoggingTransport.class);

  private final Transport next;
  private final LogLevel level;
  private final Time time;

  LoggingTransport(Transport next, LogLevel level, Time time) {
    this.next = next;
    this.level = level;
    this.time = time;
  }

  @Override
  public HttpResponse send(HttpRequest call, Duration timeout) {
    var at = level == LogLevel.QUIET ? Level.DEBUG : Level.INFO;
    if (level == LogLevel.OFF || !log.isEnabledForLevel(at)) {
      return next.send(call, timeout);
    }
    var start = time.nanos();
    if (level == LogLevel.DEBUG) {
      log.info(
          "request sent call={} query={} headers={} body={}",
          call,
          call.url().queryParameterNames(),
          Redaction.headers(call, call.headers()),
          Redaction.body(call, call.body().orElse(ByteString.EMPTY)));
    }
    try {
      var httpResponse = next.send(call, timeout);
      log.atLevel(at)
          .log(
              "response received call={} status={} code={} request={} millis={}",
              call,
              httpResponse.status(),
              httpResponse
                  .problem()
                  .map(problem -> ErrorMessages.clean(problem.code().value()))
                  .orElse(""),
              ErrorMessages.clean(httpResponse.headers().get("X-Request-Id")),
              millisSince(start));
      if (level == LogLevel.DEBUG) {
        log.info(
            "response content call={} headers={} body={}",
            call,
            Redaction.headers(call, httpResponse.headers()),
            Redaction.body(call, httpResponse.body()));
      }
      return httpResponse;
    } catch (RunsException failure) {
      log.atLevel(at)
          .log(
              "request failed call={} failure={} millis={}",
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

  private long millisSince(long start) {
    return Duration.ofNanos(time.nanos() - start).toMillis();
  }
}
