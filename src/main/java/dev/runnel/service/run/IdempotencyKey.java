package dev.runnel.service.run;

import dev.runnel.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/// What tells a repeated request: it gets the same response and has no second effect. It is the
/// `Idempotency-Key` of the request, or else the hash of its body if the request comes from an
/// official client library, which sends no key but counts its tries.
///
/// @param callerUid the caller; keys of different callers are independent
/// @param body hash of the request body
public record IdempotencyKey(String callerUid, String value, String body, Try attempt) {
  private static final int MAX = 255;
  private static final Pattern REPEAT = Pattern.compile("^0*+[1-9]\\d{0,8}");

  /// The header with the key.
  public static final String HEADER = "Idempotency-Key";

  /// The header in which the official libraries count the tries of a request, from 0.
  public static final String TRIES_HEADER = "X-Stainless-Retry-Count";

  /// Which try of a request this is, as far as its sender tells.
  public enum Try {
    /// The sender gave a key, which is valid for days.
    KEYED,
    /// Takes effect, whatever was sent before.
    FIRST,
    /// A body that was sent within the last minutes is answered as it was then.
    REPEAT
  }

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
    return new IdempotencyKey(caller.uid(), value, hash, Try.KEYED);
  }

  /// The key of a request without one.
  ///
  /// @param tries the value of [#TRIES_HEADER]
  /// @param hash of the request body
  public static IdempotencyKey ofTries(String tries, String hash, Caller caller) {
    var attempt = REPEAT.matcher(tries.strip()).matches() ? Try.REPEAT : Try.FIRST;
    return new IdempotencyKey(caller.uid(), hash, hash, attempt);
  }

  public boolean isKeyed() {
    return attempt == Try.KEYED;
  }

  /// The scope under which the response is stored.
  ///
  /// @param operation the operation and the resource that it applies to
  public String scope(String operation) {
    // Responses for the main key keep the scope from before named keys existed.
    var ofKey = callerUid.equals(Caller.MAIN.uid()) ? operation : operation + " by " + callerUid;
    return isKeyed() ? ofKey : ofKey + " without key";
  }
}
