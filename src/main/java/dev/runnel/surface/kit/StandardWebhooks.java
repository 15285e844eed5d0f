package dev.runnel.surface.kit;

import dev.runnel.core.model.conversation.RawRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/// Verifies and creates the signatures of https://www.standardwebhooks.com: over id, time and body,
/// valid for a limited time.
public final class StandardWebhooks {
  public static final String ID = "webhook-id";
  public static final String TIMESTAMP = "webhook-timestamp";
  public static final String SIGNATURE = "webhook-signature";

  private static final String KEY_PREFIX = "whsec_";
  private static final String VERSION = "v1,";
  private static final int MAX_SIGNATURES = 8;
  private static final Duration TOLERANCE = Duration.ofMinutes(5);
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,12}");
  private static final Pattern IDENTIFIER = Pattern.compile("[!-~]{1,200}");

  private final List<byte[]> keys;

  /// @param secrets each `whsec_` and a key in Base64; all valid at once
  /// @throws IllegalArgumentException when one has another format
  public StandardWebhooks(List<String> secrets) {
    this.keys = secrets.stream().map(StandardWebhooks::key).toList();
  }

  public static boolean isKey(String secret) {
    return secret.startsWith(KEY_PREFIX);
  }

  private static byte[] key(String secret) {
    try {
      var key = Base64.getDecoder().decode(secret.substring(KEY_PREFIX.length()));
      if (key.length > 0) {
        return key;
      }
    } catch (IllegalArgumentException malformed) {
      // Reported below, without the secret.
    }
    throw new IllegalArgumentException("is not a signing token: whsec_ and a key in Base64");
  }

  /// Whether one of the keys signed it, within the tolerance before or after its arrival. Only the
  /// first few signatures in the header count, so that a request costs one HMAC per key.
  public boolean signed(RawRequest request) {
    var id = request.header(ID).orElse("");
    var timestamp = request.header(TIMESTAMP).orElse("");
    if (!IDENTIFIER.matcher(id).matches() || !SECONDS.matcher(timestamp).matches()) {
      return false;
    }
    var age =
        Duration.between(Instant.ofEpochSecond(Long.parseLong(timestamp)), request.arrivedAt());
    if (age.abs().compareTo(TOLERANCE) > 0) {
      return false;
    }
    var claimed =
        Arrays.stream(request.header(SIGNATURE).orElse("").split(" ", MAX_SIGNATURES + 1))
            .limit(MAX_SIGNATURES)
            .filter(entry -> entry.startsWith(VERSION))
            .map(entry -> entry.getBytes(StandardCharsets.UTF_8))
            .toList();
    if (claimed.isEmpty()) {
      return false;
    }
    var matches = false;
    for (var key : keys) {
      var right = sign(key, id, timestamp, request.body()).getBytes(StandardCharsets.UTF_8);
      for (var entry : claimed) {
        matches |= MessageDigest.isEqual(entry, right);
      }
    }
    return matches;
  }

  /// The signature as in the header: `v1,` and Base64.
  public static String sign(String secret, String id, String timestamp, byte[] body) {
    return sign(key(secret), id, timestamp, body);
  }

  private static String sign(byte[] key, String id, String timestamp, byte[] body) {
    var signed = (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8);
    return VERSION + Base64.getEncoder().encodeToString(Hmac.sign(key, signed, body));
  }
}
