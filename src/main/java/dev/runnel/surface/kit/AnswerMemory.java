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

  /// What a call takes before it is made. Most answers need no more.
  private static final long FIRST = 256 * 1024;

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
    var lease = STEP.isBound() ? STEP.get().lease() : take();
    Response response;
    try {
      response = chain.proceed(chain.request());
    } catch (Throwable e) {
      close(lease);
      throw e;
    }
    if (response.code() == SWITCHING_PROTOCOLS) {
      close(lease);
      return response;
    }
    return response.newBuilder().body(new CountedBody(response.body(), lease)).build();
  }

  private Lease take() throws IOException {
    try {
      return share.await(FIRST, maxWait);
    } catch (MemorySpentException _) {
      throw spent();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("interrupted").initCause(e);
    }
  }

  private static IOException spent() {
    return new IOException("no memory is free for the answer");
  }

  private static void close(Lease lease) {
    if (!STEP.isBound() || !STEP.get().isOf(lease)) {
      lease.close();
    }
  }

  /// The memory of a step. Its first call waits for it; later ones do not, because two steps could
  /// wait for each other.
  private final class Step implements AutoCloseable {
    private Lease lease = Lease.NONE;

    Lease lease() throws IOException {
      if (lease == Lease.NONE) {
        lease = take();
      } else if (!lease.grow(FIRST)) {
        throw spent();
      }
      return lease;
    }

    boolean isOf(Lease other) {
      return lease == other;
    }

    @Override
    public void close() {
      lease.close();
    }
  }

  private final class CountedBody extends ResponseBody {
    private final ResponseBody body;
    private final BufferedSource source;

    CountedBody(ResponseBody body, Lease lease) {
      this.body = body;
      var type = body.contentType();
      var isParsed = type != null && type.subtype().contains("json");
      this.source = Okio.buffer(new CountedSource(body.source(), lease, isParsed));
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
    private final Lease lease;
    private final boolean isParsed;
    private long read;
    private long room = FIRST;

    CountedSource(Source source, Lease lease, boolean isParsed) {
      super(source);
      this.lease = lease;
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
        var price = isParsed ? Price.parsed(read) : read;
        while (price > room) {
          if (!lease.grow(FIRST)) {
            throw spent();
          }
          room += FIRST;
        }
      }
      return bytes;
    }

    @Override
    public void close() throws IOException {
      try {
        super.close();
      } finally {
        AnswerMemory.close(lease);
      }
    }
  }
}
