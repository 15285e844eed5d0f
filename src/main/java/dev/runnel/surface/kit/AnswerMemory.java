package dev.runnel.surface.kit;

import dev.runnel.memory.Lease;
import dev.runnel.memory.MemorySpentException;
import dev.runnel.memory.Price;
import dev.runnel.memory.Share;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.Serial;
import java.time.Duration;
import java.util.function.Supplier;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSource;
import okio.ForwardingSource;
import okio.Okio;
import okio.Source;
import org.jspecify.annotations.Nullable;

/// Takes memory for the answers of platforms while they are read: from the step that asks, which
/// may keep what it read until its end, or else until the answer is closed. Without memory a call
/// fails as if the platform could not be reached, so that its work is due later. Thread-safe.
public final class AnswerMemory implements Interceptor {
  /// The largest answer in bytes, if the share permits it.
  private static final long MAX_BYTES = 8 * 1024 * 1024;

  /// What a step, or a call outside of one, takes before it is made, and then as often as needed.
  /// All steps together have that much, and most need no more.
  private static final long PIECE = 64 * 1024;

  private static final Duration MAX_WAIT = Duration.ofSeconds(30);
  private static final int SWITCHING_PROTOCOLS = 101;
  private static final ScopedValue<Step> STEP = ScopedValue.newInstance();

  private final Share share;
  private final Duration maxWait;
  private final long maxBytes;

  /// @param share for work in the background; one answer gets at most two thirds of it
  public AnswerMemory(Share share) {
    this(share, MAX_WAIT);
  }

  AnswerMemory(Share share, Duration maxWait) {
    this.share = share;
    this.maxWait = maxWait;
    this.maxBytes = Math.min(MAX_BYTES, share.size() * 2 / 3 / Price.parsed(1));
  }

  /// An answer that is longer than what is read.
  public static final class AnswerTooLong extends IOException {
    @Serial private static final long serialVersionUID = 1;

    AnswerTooLong(long maxBytes) {
      super("the answer has more than %,d bytes".formatted(maxBytes));
    }
  }

  /// Returns the memory of all answers that the work reads when it ends.
  public <T> T step(Supplier<T> work) {
    try (var step = new Step()) {
      return ScopedValue.where(STEP, step).call(work::get);
    }
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    var isInStep = STEP.isBound();
    var memory = isInStep ? STEP.get().begun() : new Step().begun();
    Response response;
    try {
      response = chain.proceed(chain.request());
    } catch (Throwable e) {
      if (!isInStep) {
        memory.close();
      }
      throw e;
    }
    if (response.code() == SWITCHING_PROTOCOLS) {
      if (!isInStep) {
        memory.close();
      }
      return response;
    }
    return response.newBuilder().body(new CountedBody(response.body(), memory, isInStep)).build();
  }

  private static IOException spent() {
    return new IOException("no memory is free for the answer");
  }

  /// The memory of what a step, or a call outside of one, has read. Thread-safe.
  private final class Step implements AutoCloseable {
    // Guarded by this.
    private Lease lease = Lease.NONE;
    private long used;

    /// Waits for the first memory. Later nobody waits, because two steps could wait for each other.
    synchronized Step begun() throws IOException {
      if (lease == Lease.NONE) {
        try {
          lease = share.await(PIECE, maxWait);
        } catch (MemorySpentException _) {
          throw spent();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw (IOException) new InterruptedIOException("interrupted").initCause(e);
        }
      }
      return this;
    }

    synchronized void use(long bytes) throws IOException {
      used += bytes;
      while (used > lease.bytes()) {
        if (!lease.grow(PIECE)) {
          throw spent();
        }
      }
    }

    @Override
    public synchronized void close() {
      lease.close();
    }
  }

  private final class CountedBody extends ResponseBody {
    private final ResponseBody body;
    private final BufferedSource source;

    CountedBody(ResponseBody body, Step memory, boolean isInStep) {
      this.body = body;
      var type = body.contentType();
      var isParsed = type != null && type.subtype().contains("json");
      this.source = Okio.buffer(new CountedSource(body.source(), memory, isInStep, isParsed));
    }

    @Override
    public @Nullable MediaType contentType() {
      return body.contentType();
    }

    @Override
    public long contentLength() {
      return body.contentLength();
    }

    @Override
    public BufferedSource source() {
      return source;
    }
  }

  private final class CountedSource extends ForwardingSource {
    private final Step memory;
    private final boolean isInStep;
    private final boolean isParsed;
    private long read;

    CountedSource(Source source, Step memory, boolean isInStep, boolean isParsed) {
      super(source);
      this.memory = memory;
      this.isInStep = isInStep;
      this.isParsed = isParsed;
    }

    @Override
    public long read(Buffer sink, long most) throws IOException {
      var bytes = super.read(sink, most);
      if (bytes > 0) {
        read += bytes;
        if (read > maxBytes) {
          throw new AnswerTooLong(maxBytes);
        }
        memory.use(isParsed ? Price.parsed(bytes) : bytes);
      }
      return bytes;
    }

    /// What a step has read stays counted until its end.
    @Override
    public void close() throws IOException {
      try {
        super.close();
      } finally {
        if (!isInStep) {
          memory.close();
        }
      }
    }
  }
}
