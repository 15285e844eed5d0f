package dev.runnel.testkit;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/// Sends each request to the next of several nodes. It goes on to another node where nobody
/// listens, and never sends a request again that may have arrived.
public final class Balancer implements AutoCloseable {
  /// What the sender knows afterwards.
  public enum Result {
    ACKNOWLEDGED,
    /// No node was there.
    NOT_SENT,
    /// It was sent, and not answered in time or not with a 2xx.
    IN_DOUBT
  }

  private final List<URI> nodes;
  private final AtomicInteger turn = new AtomicInteger();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  public Balancer(List<URI> nodes) {
    this.nodes = List.copyOf(nodes);
  }

  /// @param request made anew for the node that it goes to
  public Result send(Function<URI, HttpRequest> request) throws InterruptedException {
    var first = turn.getAndIncrement();
    for (int i = 0; i < nodes.size(); i++) {
      var node = nodes.get(Math.floorMod(first + i, nodes.size()));
      try {
        var status = http.send(request.apply(node), BodyHandlers.discarding()).statusCode();
        return status / 100 == 2 ? Result.ACKNOWLEDGED : Result.IN_DOUBT;
      } catch (ConnectException nobodyThere) {
        // The next one, then.
      } catch (IOException noAnswer) {
        return Result.IN_DOUBT;
      }
    }
    return Result.NOT_SENT;
  }

  @Override
  public void close() {
    http.close();
  }
}
