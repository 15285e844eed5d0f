package dev.runnel.testkit;

import java.io.IOException;
import java.net.URI;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;

/// Stands before a real service and asks, for each request, what is to become of it. What passes
/// loses its idempotency key, which the public services do not know.
public final class ScriptedFaultProxy implements AutoCloseable {
  /// What becomes of a request.
  public enum Fate {
    PASSES,
    /// It has its effect; the connection is cut instead of an answer.
    ANSWER_IS_LOST,
    /// 503, and the service never hears of it.
    REFUSED,
    /// 429 with a second to wait, and the service never hears of it.
    TOO_MANY,
    /// 500, and the service never hears of it.
    FAILS_BEFORE,
    /// It has its effect; the answer is a 500.
    FAILS_AFTER
  }

  private final MockWebServer server = MockServers.create();
  private final ForwardingProxy forwardingProxy;
  private final Function<RecordedRequest, Fate> mood;
  private final Map<Fate, Integer> counts = new EnumMap<>(Fate.class);

  /// @param service without a path
  /// @param mood asked by many threads at once
  public ScriptedFaultProxy(URI service, Function<RecordedRequest, Fate> mood) throws IOException {
    this.forwardingProxy = new ForwardingProxy(service);
    this.mood = mood;
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

  /// How many requests had each fate.
  public synchronized Map<Fate, Integer> counts() {
    return new EnumMap<>(counts);
  }

  private synchronized void count(Fate fate) {
    counts.merge(fate, 1, Integer::sum);
  }

  private MockResponse answer(RecordedRequest request) {
    var fate = mood.apply(request);
    count(fate);
    try {
      return switch (fate) {
        case PASSES -> forwardingProxy.pass(request);
        case ANSWER_IS_LOST -> {
          forwardingProxy.pass(request);
          yield cut();
        }
        case REFUSED -> status(503);
        case TOO_MANY -> status(429).newBuilder().setHeader("Retry-After", "1").build();
        case FAILS_BEFORE -> status(500);
        case FAILS_AFTER -> {
          forwardingProxy.pass(request);
          yield status(500);
        }
      };
    } catch (IOException unreachable) {
      return cut();
    }
  }

  private static MockResponse status(int code) {
    return new MockResponse.Builder().code(code).build();
  }

  private static MockResponse cut() {
    return new MockResponse.Builder().onResponseStart(new SocketEffect.CloseSocket()).build();
  }

  @Override
  public void close() {
    server.close();
    forwardingProxy.close();
  }
}
