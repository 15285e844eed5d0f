package dev.runnel.service.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.json.Projection;
import dev.runnel.memory.Lease;
import dev.runnel.memory.Price;
import dev.runnel.memory.RequestMemory;
import dev.runnel.memory.Share;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.IdempotencyKey;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.ServiceJson;
import io.javalin.http.Context;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads the JSON bodies of requests. Read a body only after the caller may do what it asks for.
///
/// The bodies take memory as objects. Those with a small key have a part of it together, because
/// they may be held while a call waits, and leave room for deliveries and for the main key.
public final class RequestBodies {
  /// Where no files are sent, and of the rest beside files.
  public static final int MAX_BYTES = 1024 * 1024;

  /// With five images of a few MB each.
  public static final int MAX_BYTES_WITH_FILES = 32 * 1024 * 1024;

  /// Of the memory: three eighths for bodies with a small key.
  private static final int EIGHTHS = 8;

  private static final int EIGHTHS_OF_KEYS = 3;

  private final Share all;
  private final Share ofKeys;

  /// @param share of the memory that the bodies take as objects
  public RequestBodies(Share share) {
    this.all = share;
    this.ofKeys = share.part("bodies with a key", 0, share.size() / EIGHTHS * EIGHTHS_OF_KEYS);
  }

  /// A body with its memory, which is free when it is closed.
  static final class RequestBody implements AutoCloseable {
    private final ObjectNode json;
    private final @Nullable String key;
    private final @Nullable String tries;
    private final String hash;
    private final Lease lease;

    private RequestBody(
        ObjectNode json, @Nullable String key, @Nullable String tries, String hash, Lease lease) {
      this.json = json;
      this.key = key;
      this.tries = tries;
      this.hash = hash;
      this.lease = lease;
    }

    ObjectNode json() {
      return json;
    }

    /// What tells that the request is repeated; see [IdempotencyKey].
    ///
    /// @throws RequestProblem if the key in the header is too long
    Optional<IdempotencyKey> idempotencyKey(Caller caller) {
      return Optional.ofNullable(key)
          .map(it -> IdempotencyKey.ofHash(it, hash, caller))
          .or(() -> Optional.ofNullable(tries).map(it -> IdempotencyKey.ofTries(it, hash, caller)));
    }

    @Override
    public void close() {
      lease.close();
    }
  }

  /// @throws RequestProblem if the body is too large or not one JSON object, or if there is no
  ///   memory for it now
  /// @throws IOException if it does not arrive
  RequestBody read(Context ctx, Caller caller) throws IOException {
    return read(ctx, caller, MAX_BYTES, Projection.ALL);
  }

  /// @param projection reads the files, which are not counted as objects, as [Projection#BASE64]
  RequestBody readWithFiles(Context ctx, Caller caller, Projection projection) throws IOException {
    return read(ctx, caller, MAX_BYTES_WITH_FILES, projection);
  }

  private RequestBody read(Context ctx, Caller caller, int maxBytes, Projection projection)
      throws IOException {
    var length = (long) ctx.contentLength();
    if (length > maxBytes) {
      throw RequestProblem.tooLarge(maxBytes);
    }
    var price = Price.parsed(length < 0 ? MAX_BYTES : Math.min(length, MAX_BYTES));
    var share = caller.scope() instanceof Caller.Scope.All ? all : ofKeys;
    var lease = share.tryTake(price).orElseThrow(RequestProblem::overloaded);
    RequestMemory.of(ctx.attribute(RequestMemory.ATTRIBUTE)).streamed();
    try {
      var key = present(ctx.header(IdempotencyKey.HEADER));
      var tries = present(ctx.header(IdempotencyKey.TRIES_HEADER));
      var hashed = key == null && tries == null ? null : sha256();
      InputStream limited = new LimitedBody(ctx.bodyInputStream(), maxBytes);
      var json =
          ServiceJson.body(
              hashed == null ? limited : new DigestInputStream(limited, hashed),
              MAX_BYTES,
              projection,
              lease);
      var hash = hashed == null ? "" : HexFormat.of().formatHex(hashed.digest());
      return new RequestBody(json, key, tries, hash, lease);
    } catch (Throwable failed) {
      lease.close();
      throw failed;
    }
  }

  private static @Nullable String present(@Nullable String header) {
    return header == null || header.isBlank() ? null : header;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every JDK has SHA-256", impossible);
    }
  }

  /// Ends a body that is too large and did not say so in its head.
  private static final class LimitedBody extends FilterInputStream {
    private final int maxBytes;
    private long count;

    LimitedBody(InputStream body, int maxBytes) {
      super(body);
      this.maxBytes = maxBytes;
    }

    @Override
    public int read() throws IOException {
      var one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      var read = super.read(bytes, offset, length);
      count += Math.max(0, read);
      if (count > maxBytes) {
        throw RequestProblem.tooLarge(maxBytes);
      }
      return read;
    }
  }
}
