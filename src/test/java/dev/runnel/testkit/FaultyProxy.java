package dev.runnel.testkit;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;

/// Stands before a real service and spoils its answers. What it does not spoil it passes on, both
/// ways, but for the idempotency key, which the public service does not know.
public final class FaultyProxy implements AutoCloseable {
  /// What becomes of one POST that creates something.
  public enum Fault {
    LOST_ON_THE_WAY(false),
    REFUSED_IN_BETWEEN(false),
    RESET(true),
    STALLED_HEAD(true),
    STALLED_BODY(true),
    TRUNCATED_JSON(true),
    BODY_BREAKS_OFF(true),
    WRONG_TYPE(true),
    LOGIN_PAGE(true),
    EMPTY(true),
    REQUEST_TIMEOUT(true),
    INTERNAL_ERROR(true),
    BAD_GATEWAY(true),
    UNAVAILABLE_RETRY_AT_ONCE(true),
    GATEWAY_TIMEOUT(true);

    private final boolean reachesTheService;

    Fault(boolean reachesTheService) {
      this.reachesTheService = reachesTheService;
    }
  }

  private final MockWebServer server = MockServers.create();
  private final Queue<Fault> faults = new ConcurrentLinkedQueue<>();
  private volatile boolean refusesMetadataFilter;
  private final ForwardingProxy forwardingProxy;

  /// @param service without a path
  public FaultyProxy(URI service) throws IOException {
    forwardingProxy = new ForwardingProxy(service);
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            return answer(request);
          }
        });
    server.start();
  }

  public URI uri(String path) {
    return server.url(path).uri();
  }

  /// Spoils the next creations, one each.
  public void spoil(Fault... next) {
    faults.addAll(List.of(next));
  }

  /// From now on a list by metadata is refused, as where the service has that switched off.
  public void refusesMetadataFilter() {
    refusesMetadataFilter = true;
  }

  /// How many faults are still to come.
  public int left() {
    return faults.size();
  }

  @Override
  public void close() {
    server.close();
    forwardingProxy.close();
  }

  private MockResponse answer(RecordedRequest request) {
    try {
      if (refusesMetadataFilter
          && request.getUrl().queryParameterNames().stream()
              .anyMatch(name -> name.startsWith("metadata["))) {
        return problem(403, "feature_not_available");
      }
      if (!isCreation(request)) {
        return forwardingProxy.pass(request);
      }
      var fault = faults.poll();
      if (fault == null) {
        return forwardingProxy.pass(request);
      }
      return spoil(fault, fault.reachesTheService ? forwardingProxy.pass(request) : json(""));
    } catch (IOException unreachable) {
      return reset();
    }
  }

  private static boolean isCreation(RecordedRequest request) {
    var path = request.getUrl().encodedPath();
    return request.getMethod().equals("POST")
        && path.matches(".*/(agent/runs?|factory/[^/]+/runs)");
  }

  private static MockResponse spoil(Fault fault, MockResponse answer) {
    return switch (fault) {
      case LOST_ON_THE_WAY, RESET -> reset();
      case REFUSED_IN_BETWEEN, UNAVAILABLE_RETRY_AT_ONCE ->
          page(503).newBuilder().setHeader("Retry-After", "0").build();
      case STALLED_HEAD ->
          new MockResponse.Builder().onResponseStart(SocketEffect.Stall.INSTANCE).build();
      case STALLED_BODY -> answer.newBuilder().bodyDelay(1, TimeUnit.HOURS).build();
      case TRUNCATED_JSON -> json("{\"run_id\": \"7f");
      case BODY_BREAKS_OFF ->
          answer.newBuilder().onResponseBody(new SocketEffect.CloseSocket()).build();
      case WRONG_TYPE -> json("[\"accepted\"]");
      case LOGIN_PAGE -> page(200);
      case EMPTY -> json("");
      case REQUEST_TIMEOUT -> page(408);
      case INTERNAL_ERROR -> page(500);
      case BAD_GATEWAY -> page(502);
      case GATEWAY_TIMEOUT -> page(504);
    };
  }

  private static MockResponse reset() {
    return new MockResponse.Builder().onResponseStart(new SocketEffect.CloseSocket()).build();
  }

  private static MockResponse page(int status) {
    return new MockResponse.Builder()
        .code(status)
        .setHeader("Content-Type", "text/html")
        .body("<html><body>Something is in between</body></html>")
        .build();
  }

  private static MockResponse problem(int status, String code) {
    return new MockResponse.Builder()
        .code(status)
        .setHeader("Content-Type", "application/problem+json")
        .body(
            "{\"type\": \"https://api.example/errors/%s\", \"title\": \"No\", \"status\": %d}"
                .formatted(code, status))
        .build();
  }

  private static MockResponse json(String body) {
    return new MockResponse.Builder()
        .setHeader("Content-Type", "application/json")
        .body(body)
        .build();
  }
}
