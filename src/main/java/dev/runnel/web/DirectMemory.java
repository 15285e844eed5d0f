package dev.runnel.web;

import dev.runnel.memory.Lease;
import dev.runnel.memory.Price;
import dev.runnel.memory.RequestMemory;
import java.util.Optional;
import org.eclipse.jetty.server.Request;

/// What a request holds that a thread of the server handles itself. Until it is proven that is
/// nothing, because the memory for as many requests as there are threads is always taken.
final class DirectMemory implements RequestMemory, AutoCloseable {
  /// What waits for the answer besides the delivery: the request's head and the server's objects.
  private static final int REQUEST_BYTES = 4 * 1024;

  private final WebLimits limits;
  private final Request request;
  private final int bytes;
  private Lease lease = Lease.NONE;

  DirectMemory(WebLimits limits, Request request, int bytes) {
    this.limits = limits;
    this.request = request;
    this.bytes = bytes;
  }

  @Override
  public boolean proven() {
    limits.proved(request);
    if (lease == Lease.NONE) {
      lease = limits.proven().tryTake(REQUEST_BYTES + Price.text(bytes)).orElse(Lease.NONE);
    }
    return lease != Lease.NONE;
  }

  /// Keys of the API are sent to routes.
  @Override
  public boolean provenByKey() {
    return proven();
  }

  /// The parser's objects are part of what is always taken. Its body has arrived.
  @Override
  public void streamed() {}

  @Override
  public Optional<Lease> parser(long more) {
    return Optional.of(Lease.NONE);
  }

  @Override
  public Lease handOn() {
    var handedOn = lease;
    lease = Lease.NONE;
    return handedOn;
  }

  @Override
  public void close() {
    lease.close();
  }
}
