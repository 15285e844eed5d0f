package dev.runnel.client;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import okhttp3.Headers;
import okhttp3.HttpUrl;

/// Follows redirects of read-only requests, since artifacts and transcripts are stored elsewhere
/// under signed URLs. Headers for the service are not sent to another origin, and a redirect from
/// https to http is not followed. For other requests a redirect is returned as the response:
/// following it would turn a creation into a GET.
final class RedirectingTransport implements Transport {
  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);
  private static final int MAX_HOPS = 5;

  private final Transport next;
  private final Time time;

  RedirectingTransport(Transport next, Time time) {
    this.next = next;
    this.time = time;
  }

  @Override
  public HttpResponse send(HttpRequest call, Duration timeout) {
    var deadline = time.nanos() + timeout.toNanos();
    var hop = call;
    for (int hops = 0; ; hops++) {
      var httpResponse = next.send(hop, Duration.ofNanos(deadline - time.nanos()));
      var target = hops < MAX_HOPS ? target(hop, httpResponse) : Optional.<HttpUrl>empty();
      if (target.isEmpty()) {
        return httpResponse;
      }
      hop = hop.to(target.get(), headersFor(hop, target.get()));
    }
  }

  @Override
  public void close() {
    next.close();
  }

  private static Optional<HttpUrl> target(HttpRequest call, HttpResponse httpResponse) {
    var location = httpResponse.headers().get("Location");
    if (call.changesSomething() || !REDIRECTS.contains(httpResponse.status()) || location == null) {
      return Optional.empty();
    }
    return Optional.ofNullable(call.url().resolve(location))
        .filter(url -> url.isHttps() || !call.url().isHttps());
  }

  private static Headers headersFor(HttpRequest call, HttpUrl target) {
    var from = call.url();
    if (from.host().equals(target.host())
        && from.port() == target.port()
        && from.scheme().equals(target.scheme())) {
      return call.headers();
    }
    var headers = new Headers.Builder();
    Optional.ofNullable(call.headers().get("User-Agent"))
        .ifPresent(agent -> headers.set("User-Agent", agent));
    return headers.build();
  }
}
