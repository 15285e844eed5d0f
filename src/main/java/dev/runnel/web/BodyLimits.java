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

/// Limits the total memory of all request bodies, and the time that each may take to arrive.
///
/// The first bytes of each body are free, because connections are limited. So large bodies do not
/// block small ones, which most webhooks have. The rest is taken from a budget for all connections
/// until the request is answered. Reading a body over the budget throws an [HttpResponseException]
/// with status 503, reading one that is late with 408.
final class BodyLimits implements Filter, AutoCloseable {
  /// Bodies up to this size do not use the budget.
  private static final int FREE_BYTES = 64 * 1024;

  private static final int BUDGET_BYTES = 48 * 1024 * 1024;
  private static final int SKIP_BUFFER_BYTES = 64 * 1024;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /// A larger body gets proportionally more time.
  private static final int BYTES_PER_TIMEOUT = 5 * 1024 * 1024;

  private final int freeBytes;
  private final Semaphore budget;
  private final Duration timeout;
  private final ScheduledThreadPoolExecutor alarms;

  BodyLimits() {
    this(FREE_BYTES, new Semaphore(BUDGET_BYTES), TIMEOUT);
  }

  /// @param budget one permit for each byte
  /// @param timeout time for the first 5 MB of a body, and again for each next 5 MB
  BodyLimits(int freeBytes, Semaphore budget, Duration timeout) {
    this.freeBytes = freeBytes;
    this.budget = budget;
    this.timeout = timeout;
    // A platform thread, because it must interrupt reading even if no virtual thread can run.
    this.alarms =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("late-bodies").factory());
    this.alarms.setRemoveOnCancelPolicy(true);
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    try (var bounded = new BoundedRequest((HttpServletRequest) request)) {
      chain.doFilter(bounded, response);
    }
  }

  @Override
  public void close() {
    alarms.shutdownNow();
  }

  Duration timeout() {
    return timeout;
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
    private long requiredCount = BYTES_PER_TIMEOUT;
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
    public long skip(long max) throws IOException {
      var bytes = new byte[(int) Math.min(max, SKIP_BUFFER_BYTES)];
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

    private Future<?> scheduleAlarm() {
      return alarms.schedule(this::onTimeout, timeout.toMillis(), TimeUnit.MILLISECONDS);
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

    private synchronized void onTimeout() {
      if (count >= requiredCount) {
        requiredCount = count + BYTES_PER_TIMEOUT;
        alarm = scheduleAlarm();
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
              503, "The server is overloaded. Please send it again.\n", Map.of());
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
