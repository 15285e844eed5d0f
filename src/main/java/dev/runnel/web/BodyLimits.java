package dev.runnel.web;

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
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Limits the memory that all request bodies take together, and the time each may take to arrive.
///
/// The first bytes of a body are not counted, since connections are limited, so that large bodies
/// do not block small ones: webhook bodies are nearly always small. The rest is taken from a budget
/// for all connections until the request is answered. Reading a body over the budget throws an
/// [HttpResponseException] with status 503, reading one that is late with 408.
final class BodyLimits implements Filter, AutoCloseable {
  /// Bodies up to this size count for nothing.
  static final int FREE_BYTES = 64 * 1024;

  private static final int BUDGET_BYTES = 48 * 1024 * 1024;
  private static final int SKIPPED_TOGETHER = 64 * 1024;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /// A larger body gets proportionally more time.
  private static final int BYTES_IN_TIME = 5 * 1024 * 1024;

  private final int freeBytes;
  private final Semaphore budget;
  private final Duration patience;
  private final ScheduledThreadPoolExecutor alarms;

  BodyLimits() {
    this(FREE_BYTES, BUDGET_BYTES, PATIENCE);
  }

  /// @param patience time for the first 5 MB of a body, and again for each next 5 MB
  BodyLimits(int freeBytes, int budgetBytes, Duration patience) {
    this.freeBytes = freeBytes;
    this.budget = new Semaphore(budgetBytes);
    this.patience = patience;
    // A platform thread, because it must interrupt reading even if no virtual thread can run.
    this.alarms =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("late-bodies").factory());
    this.alarms.setRemoveOnCancelPolicy(true);
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request.getAttribute(WholeRequest.ATTRIBUTE) != null) {
      chain.doFilter(request, response);
      return;
    }
    try (var bounded = new BoundedRequest((HttpServletRequest) request)) {
      chain.doFilter(bounded, response);
    }
  }

  @Override
  public void close() {
    alarms.shutdownNow();
  }

  Duration patience() {
    return patience;
  }

  /// The free part of the budget, in bytes.
  int freeBudget() {
    return budget.availablePermits();
  }

  private final class BoundedRequest extends HttpServletRequestWrapper implements AutoCloseable {
    private @Nullable BoundedBody body;

    BoundedRequest(HttpServletRequest request) {
      super(request);
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
      if (body == null) {
        body = new BoundedBody(super.getInputStream());
      }
      return body;
    }

    @Override
    public void close() {
      if (body != null) {
        body.release();
      }
    }
  }

  /// Read by the request's thread only.
  private final class BoundedBody extends ServletInputStream {
    private final ServletInputStream body;
    private long free = freeBytes;
    private int taken;
    // What follows is guarded by this.
    private long count;
    private long inTime = BYTES_IN_TIME;
    private @Nullable Future<?> alarm;
    private @Nullable Thread reader;
    private boolean isLate;

    BoundedBody(ServletInputStream body) {
      this.body = body;
    }

    @Override
    public int read() throws IOException {
      var one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int read = readInTime(bytes, offset, length);
      take();
      return read;
    }

    /// Skipped bytes are not kept, and are not counted against the budget.
    @Override
    public long skip(long most) throws IOException {
      var bytes = new byte[(int) Math.min(most, SKIPPED_TOGETHER)];
      long skipped = Math.max(0, readInTime(bytes, 0, bytes.length));
      free += skipped;
      return skipped;
    }

    private int readInTime(byte[] bytes, int offset, int length) throws IOException {
      begin();
      int read;
      try {
        read = body.read(bytes, offset, length);
      } catch (IOException | RuntimeException broken) {
        end(0);
        throw broken;
      }
      end(read);
      return read;
    }

    private Future<?> ring() {
      return alarms.schedule(this::isTime, patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized void begin() {
      if (alarm == null) {
        alarm = ring();
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

    private synchronized void isTime() {
      if (count >= inTime) {
        inTime = count + BYTES_IN_TIME;
        alarm = ring();
        return;
      }
      isLate = true;
      if (reader != null) {
        reader.interrupt();
      }
    }

    private synchronized void take() {
      int more = (int) (count - free - taken);
      if (more > 0) {
        if (!budget.tryAcquire(more)) {
          throw new HttpResponseException(
              503, "Too much is arriving just now. Please send it again.\n", Map.of());
        }
        taken += more;
      }
    }

    private synchronized void release() {
      if (alarm != null) {
        alarm.cancel(false);
      }
      budget.release(taken);
      taken = 0;
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
