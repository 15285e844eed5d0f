package dev.runnel.service.run;

import dev.runnel.text.Sha256;
import java.nio.charset.StandardCharsets;

/// The `Idempotency-Key` of a request: a repeated request gets the same response and has no second
/// effect.
///
/// @param callerUid the caller; keys of different callers are independent
/// @param body hash of the request body
public record IdempotencyKey(String callerUid, String value, String body) {
  private static final int MAX = 255;

  /// The header with the key.
  public static final String HEADER = "Idempotency-Key";

  /// A key that was sent in another way than the header.
  ///
  /// @throws RequestProblem if the key is too long
  public static IdempotencyKey of(String value, String body, Caller caller) {
    return ofHash(value, Sha256.hex(body.getBytes(StandardCharsets.UTF_8)), caller);
  }

  /// @param hash of the request body
  /// @throws RequestProblem if the key is too long
  public static IdempotencyKey ofHash(String value, String hash, Caller caller) {
    if (value.length() > MAX) {
      throw RequestProblem.invalid("An Idempotency-Key has at most 255 characters");
    }
    return new IdempotencyKey(caller.uid(), value, hash);
  }

  /// The scope under which the response is stored.
  ///
  /// @param operation the operation and the resource that it applies to
  public String scope(String operation) {
    // Responses for the main key keep the scope from before named keys existed.
    return callerUid.equals(Caller.MAIN.uid()) ? operation : operation + " by " + callerUid;
  }
}
