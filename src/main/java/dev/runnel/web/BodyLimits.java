package dev.runnel.web;

import dev.runnel.memory.Lease;
import dev.runnel.memory.RequestMemory;
import dev.runnel.memory.Share;
import dev.runnel.threads.SupervisedThread;
import io.javalin.http.HttpResponseException;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/// Takes the memory of each request and its body from the shares of [WebLimits], until the request
/// was handled, and limits the time that a body may take to arrive.
///
/// An announced body is taken before its first byte is read; one without a length as it arrives.
///
/// Reading throws an [HttpResponseException]: 413 if the body is too large, 503 if the share is
/// spent, 408 if it is late.
final class BodyLimits implements Filter, AutoCloseable {
  /// Of larger bodies without proof, an address can send one at a time.
  private static final int LARGE_BYTES = 64 * 1024;

  /// What a request takes besides its body: its head, its thread and their objects.
  private static final int REQUEST_BYTES = 32 * 1024;

  /// What is taken at once for a body without an announced length.
  private static final int STEP_BYTES = 16 * 1024;

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /// A sender with a key or a session gets the time again for each next part of this size.
  private static final int BYTES_PER_TIMEOUT = 5 * 1024 * 1024;

  private final WebLimits limits;
  private final ToLongFunction<String> largestBody;
  private final Duration timeout;
  private final ScheduledThreadPoolExecutor alarms;

  /// @param largestBody the maximum size of a body by the path of the request, in bytes
  BodyLimits(WebLimits limits, ToLongFunction<String> largestBody) {
    this(limits, largestBody, TIMEOUT);
  }

  /// @param timeout for a body to arrive, or the next 5 MB of it
  BodyLimits(WebLimits limits, ToLongFunction<String> largestBody, Duration timeout) {
    this.limits = limits;
    this.largestBody = largestBody;
    this.timeout = timeout;
    // A platform thread, because it must interrupt reading even if no virtual thread can run.
    this.alarms = new ScheduledThreadPoolExecutor(1, SupervisedThread.daemons("late-bodies"));
    this.alarms.setRemoveOnCancelPolicy(true);
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    var core = ServletContextRequest.getServletContextRequest(request);
    if (Health.isProbe(Request.getPathInContext(core))) {
      // Must be answered even if the share is spent, else the process is ended for it.
      chain.doFilter(request, response);
      return;
    }
    try (var bounded =
        new BoundedRequest((HttpServletRequest) request, core, (HttpServletResponse) response)) {
      request.setAttribute(RequestMemory.ATTRIBUTE, bounded);
      if (bounded.begin()) {
        chain.doFilter(bounded, response);
      }
    }
  }

  @Override
  public void close() {
    alarms.shutdownNow();
  }

  Duration timeout() {
    return timeout;
  }

  private final class BoundedRequest extends HttpServletRequestWrapper
      implements RequestMemory, AutoCloseable {
    private final Request core;
    private final HttpServletResponse response;
    private final Senders.Request sender;
    private Lease lease = Lease.NONE;
    private volatile boolean isProven;
    private boolean isStreamed;
    private @Nullable BoundedBody body;

    BoundedRequest(HttpServletRequest request, Request core, HttpServletResponse response) {
      super(request);
      this.core = core;
      this.response = response;
      this.sender = limits.begin(core);
    }

    /// @return false if it was refused
    boolean begin() throws IOException {
      lease = sender.tryTake(REQUEST_BYTES).orElse(Lease.NONE);
      if (lease != Lease.NONE) {
        return true;
      }
      response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
      response.setHeader("Retry-After", WebServer.RETRY_AFTER);
      response.setContentType("text/plain; charset=utf-8");
      response.getOutputStream().print(WebServer.OVERLOADED);
      return false;
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
      if (body == null) {
        body =
            new BoundedBody(
                this,
                super.getInputStream(),
                largestBody.applyAsLong(Request.getPathInContext(core)));
      }
      return body;
    }

    @Override
    public boolean proven() {
      return proven(limits.proven());
    }

    @Override
    public boolean provenByKey() {
      return proven(limits.keys());
    }

    private boolean proven(Share share) {
      if (isProven) {
        return true;
      }
      limits.proved(core);
      isProven = lease.moveTo(share);
      if (isProven) {
        sender.endLargeBody();
      }
      return isProven;
    }

    @Override
    public void streamed() {
      isStreamed = true;
    }

    private boolean grow(long more) {
      if (isStreamed) {
        return true;
      }
      return isProven ? lease.grow(more) : sender.grow(lease, more);
    }

    @Override
    public Optional<Lease> parser(long bytes) {
      return limits.proven().tryTake(bytes);
    }

    @Override
    public Lease handOn() {
      var handedOn = lease;
      lease = Lease.NONE;
      return handedOn;
    }

    /// Takes the memory of a body, or of the next part of it.
    ///
    /// @param size of the whole body, as far as it is known
    void take(long more, long size) {
      if ((size > LARGE_BYTES && !isProven && !sender.mayReadLargeBody()) || !grow(more)) {
        response.setHeader("Retry-After", WebServer.RETRY_AFTER);
        throw new HttpResponseException(503, WebServer.OVERLOADED, Map.of());
      }
    }

    @Override
    public void close() {
      if (body != null) {
        body.close();
      }
      lease.close();
      sender.close();
    }
  }

  /// Read by the request's thread only.
  private final class BoundedBody extends ServletInputStream {
    private final BoundedRequest request;
    private final ServletInputStream body;
    private final long most;

    /// Negative if it is not announced.
    private final long announced;

    private long taken;
    // What follows is guarded by this.
    private long count;
    private long requiredCount = BYTES_PER_TIMEOUT;
    private @Nullable Future<?> alarm;
    private @Nullable Thread reader;
    private boolean isLate;

    BoundedBody(BoundedRequest request, ServletInputStream body, long most) {
      this.request = request;
      this.body = body;
      this.most = most;
      this.announced = request.getContentLengthLong();
    }

    @Override
    public int read() throws IOException {
      var one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      take();
      begin();
      int read;
      try {
        read = body.read(bytes, offset, length);
      } catch (IOException | RuntimeException broken) {
        end(0);
        throw broken;
      }
      end(read);
      take();
      return read;
    }

    /// Needs no second copy of a body with a length.
    @Override
    public byte[] readNBytes(int length) throws IOException {
      if (announced < 0 || count > 0) {
        return super.readNBytes(length);
      }
      take();
      var bytes = new byte[(int) Math.min(length, announced)];
      int read = readNBytes(bytes, 0, bytes.length);
      return read == bytes.length ? bytes : Arrays.copyOf(bytes, read);
    }

    /// Takes what is announced, or what has arrived. Parts without a length are joined later, which
    /// copies them.
    private void take() {
      long size = Math.max(count, announced);
      if (size > most) {
        throw new HttpResponseException(413, "The body is too large.\n", Map.of());
      }
      long needed = announced >= 0 ? announced : 2 * count;
      if (needed > taken) {
        long more = Math.max(needed - taken, announced >= 0 ? 0 : STEP_BYTES);
        request.take(more, size);
        taken += more;
      }
    }

    private synchronized void begin() {
      if (alarm == null) {
        alarm = scheduleAlarm();
      }
      throwIfLate();
      reader = Thread.currentThread();
    }

    /// Clears the alarm's interrupt from the thread.
    private synchronized void end(int read) {
      reader = null;
      count += Math.max(0, read);
      if (isLate) {
        var _ = Thread.interrupted();
      }
      throwIfLate();
    }

    private void throwIfLate() {
      if (isLate) {
        throw new HttpResponseException(408, "The body did not arrive in time.\n", Map.of());
      }
    }

    private Future<?> scheduleAlarm() {
      return alarms.schedule(this::onTimeout, timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized void onTimeout() {
      if (request.isProven && count >= requiredCount) {
        requiredCount = count + BYTES_PER_TIMEOUT;
        alarm = scheduleAlarm();
        return;
      }
      isLate = true;
      if (reader != null) {
        reader.interrupt();
      }
    }

    @Override
    public synchronized void close() {
      if (alarm != null) {
        alarm.cancel(false);
      }
    }

    @Override
    public boolean isFinished() {
      return body.isFinished();
    }

    @Override
    public boolean isReady() {
      return body.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
      body.setReadListener(listener);
    }
  }
}
