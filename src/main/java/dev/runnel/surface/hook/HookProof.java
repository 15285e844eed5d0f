package dev.runnel.surface.hook;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.kit.SharedSecrets;
import dev.runnel.surface.kit.StandardWebhooks;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// How a sender authenticates, and how we authenticate to its callback. Every hook has one, because
/// each delivery can cause cost.
public sealed interface HookProof {
  /// Whether the sender has one of the secrets; compared in constant time.
  boolean proves(RawRequest request);

  /// The headers that authenticate our request.
  ///
  /// @param id the message id, the same when it is resent
  Map<String, String> headers(String id, Instant at, byte[] body);

  /// All valid at once, so that they can be rotated without an outage; we use the first to sign.
  List<String> secrets();

  enum Encoding {
    HEX,
    BASE64
  }

  /// HMAC-SHA256 over the bytes of the body as they were sent. The header may hold several,
  /// separated by commas, while the sender changes its secret; only the first few count.
  ///
  /// @param header the header that holds the signature
  /// @param prefix the text before the signature: `sha256=`
  record Signature(String header, String prefix, Encoding encoding, List<String> secrets)
      implements HookProof {
    private static final int MAX_SIGNATURES = 10;

    public Signature {
      secrets = checked(secrets);
    }

    @Override
    public boolean proves(RawRequest request) {
      var right =
          new SharedSecrets(
              secrets.stream().map(secret -> written(secret, request.body())).toList());
      return Arrays.stream(request.header(header).orElse("").split(",", MAX_SIGNATURES + 1))
          .limit(MAX_SIGNATURES)
          .map(String::strip)
          .filter(entry -> entry.startsWith(prefix) && entry.length() > prefix.length())
          .map(entry -> entry.substring(prefix.length()))
          .map(entry -> encoding == Encoding.HEX ? entry.toLowerCase(Locale.ROOT) : entry)
          .anyMatch(right::contain);
    }

    @Override
    public Map<String, String> headers(String id, Instant at, byte[] body) {
      return Map.of(header, prefix + written(secrets.getFirst(), body));
    }

    private String written(String secret, byte[] body) {
      var hex = Hmac.hex(secret, body);
      return switch (encoding) {
        case HEX -> hex;
        case BASE64 -> Base64.getEncoder().encodeToString(HexFormat.of().parseHex(hex));
      };
    }

    /// Omits the secrets.
    @Override
    public String toString() {
      return "Signature[" + header + "]";
    }
  }

  /// The signatures of https://www.standardwebhooks.com, which include a time window.
  ///
  /// @param secrets each `whsec_` and a key in Base64
  record Standard(List<String> secrets) implements HookProof {
    public Standard {
      secrets = checked(secrets);
      if (!secrets.stream().allMatch(StandardWebhooks::isKey)) {
        throw new IllegalArgumentException("must be a signing token: whsec_ and a key in Base64");
      }
      var _ = new StandardWebhooks(secrets);
    }

    @Override
    public boolean proves(RawRequest request) {
      return new StandardWebhooks(secrets).signed(request);
    }

    @Override
    public Map<String, String> headers(String id, Instant at, byte[] body) {
      var timestamp = Long.toString(at.getEpochSecond());
      return Map.of(
          StandardWebhooks.ID,
          id,
          StandardWebhooks.TIMESTAMP,
          timestamp,
          StandardWebhooks.SIGNATURE,
          StandardWebhooks.sign(secrets.getFirst(), id, timestamp, body));
    }

    /// Omits the secrets.
    @Override
    public String toString() {
      return "Standard[]";
    }
  }

  /// A fixed token, for senders that cannot sign: `Authorization: Bearer TOKEN`.
  record Bearer(List<String> secrets) implements HookProof {
    private static final String SCHEME = "Bearer ";

    public Bearer {
      secrets = checked(secrets);
    }

    @Override
    public boolean proves(RawRequest request) {
      var claimed = request.header("Authorization").orElse("");
      return claimed.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
          && new SharedSecrets(secrets).contain(claimed.substring(SCHEME.length()).strip());
    }

    @Override
    public Map<String, String> headers(String id, Instant at, byte[] body) {
      return Map.of("Authorization", SCHEME + secrets.getFirst());
    }

    /// Omits the secrets.
    @Override
    public String toString() {
      return "Bearer[]";
    }
  }

  /// Adds a freshness check to another proof, for bodies that contain their send time: an old body
  /// is rejected even if it is signed.
  ///
  /// @param sentAt the place in the body: seconds or milliseconds since 1970, or ISO 8601
  record Fresh(HookProof proof, JsonPointer sentAt, Duration tolerance) implements HookProof {
    private static final long FIRST_MILLISECOND_LIKE_NUMBER = 100_000_000_000L;

    @Override
    public boolean proves(RawRequest request) {
      return proof.proves(request);
    }

    @Override
    public Map<String, String> headers(String id, Instant at, byte[] body) {
      return proof.headers(id, at, body);
    }

    @Override
    public List<String> secrets() {
      return proof.secrets();
    }

    /// Whether the body's send time is within the tolerance.
    boolean isFresh(JsonNode body, Instant now) {
      return time(body.at(sentAt))
          .filter(at -> Duration.between(at, now).abs().compareTo(tolerance) <= 0)
          .isPresent();
    }

    private static Optional<Instant> time(JsonNode value) {
      try {
        if (value.canConvertToLong() && value.isNumber()) {
          var number = value.longValue();
          return Optional.of(
              number >= FIRST_MILLISECOND_LIKE_NUMBER
                  ? Instant.ofEpochMilli(number)
                  : Instant.ofEpochSecond(number));
        }
        return value.isTextual() ? Optional.of(Instant.parse(value.textValue())) : Optional.empty();
      } catch (DateTimeException unreadable) {
        return Optional.empty();
      }
    }
  }

  private static List<String> checked(List<String> secrets) {
    if (secrets.isEmpty() || secrets.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException("needs a secret that is not blank");
    }
    return List.copyOf(secrets);
  }
}
