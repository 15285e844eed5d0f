package dev.runnel.service.run;

import io.javalin.http.Context;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/// The `Idempotency-Key` of a request: the same request again gets the same answer, and has no
/// second effect.
///
/// @param callerUid whose key it is; others have theirs
/// @param body what was asked for, as a hash
public record IdempotencyKey(String callerUid, String value, String body) {
  private static final int MAX = 255;

  /// @throws RequestProblem when it is too long
  public static Optional<IdempotencyKey> of(Context ctx, Caller caller) {
    var key = Optional.ofNullable(ctx.header("Idempotency-Key")).filter(text -> !text.isBlank());
    if (key.isPresent() && key.get().length() > MAX) {
      throw RequestProblem.invalid("An Idempotency-Key has at most 255 characters");
    }
    return key.map(value -> new IdempotencyKey(caller.uid(), value, hash(ctx.bodyAsBytes())));
  }

  /// Where its answer is kept.
  ///
  /// @param operation what is asked for, and of what
  public String scope(String operation) {
    // The main key's answers stay where they were before there were other keys.
    return callerUid.equals(Caller.MAIN.uid()) ? operation : operation + " by " + callerUid;
  }

  private static String hash(byte[] body) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java has SHA-256", impossible);
    }
  }
}
