package dev.runnel.surface.hook;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.RawRequest;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.kit.StandardWebhooks;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How a sender proves itself, and how we prove ourselves to its callback: in the same way. There
/// is no hook without one, because whoever can send can spend.
public sealed interface HookProof {
  /// Whether the sender has one of the secrets; compared in constant time.
  boolean proves(RawRequest request);

  /// The headers that prove a request of ours.
  ///
  /// @param id of what is sent, the same when it is sent again
  Map<String, String> headers(String id, Instant at, byte[] body);

  /// All valid at once, so that they can be rotated without an outage; the first is ours.
  List<String> secrets();

  /// How the signature is written down.
  enum Encoding {
    HEX,
    BASE64
  }

  /// HMAC-SHA256 over the body.
  ///
  /// @param header that holds the signature
  /// @param prefix before the signature: `sha256=`
  record Signature(String header, String prefix, Encoding encoding, List<String> secrets)
      implements HookProof {
    public Signature {
      secrets = checked(secrets);
    }

    @Override
    public boolean proves(RawRequest request) {
      var claimed = request.header(header).orElse("");
      if (!claimed.startsWith(prefix) || claimed.length() == prefix.length()) {
        return false;
      }
      return isOneOf(
          claimed.substring(prefix.length()),
          secrets.stream().map(secret -> written(secret, request.body())).toList());
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

    /// Never the secrets.
    @Override
    public String toString() {
      return "Signature[" + header + "]";
    }
  }

  /// https://www.standardwebhooks.com, which has a time window of its own.
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

    /// Never the secrets.
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
          && isOneOf(claimed.substring(SCHEME.length()).strip(), secrets);
    }

    @Override
    public Map<String, String> headers(String id, Instant at, byte[] body) {
      return Map.of("Authorization", SCHEME + secrets.getFirst());
    }

    /// Never the secrets.
    @Override
    public String toString() {
      return "Bearer[]";
    }
  }

  /// Another proof, for a body that says when it was sent: an old one is not believed, even though
  /// it is signed.
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

    /// Whether it was sent just now, by what it says.
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

  private static boolean isOneOf(String claimed, List<String> right) {
    var bytes = claimed.getBytes(StandardCharsets.UTF_8);
    var matches = false;
    for (var each : right) {
      matches |= MessageDigest.isEqual(bytes, each.getBytes(StandardCharsets.UTF_8));
    }
    return matches;
  }
}
