package dev.runnel.service;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Addresses of transcripts that open without the key, for five minutes. They are signed with a key
/// that lives as long as the process.
final class TranscriptLinks {
  private static final Duration VALID = Duration.ofMinutes(5);

  private final InstantSource clock;
  private final SecretKeySpec key;

  TranscriptLinks(InstantSource clock) {
    this.clock = clock;
    var bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    this.key = new SecretKeySpec(bytes, "HmacSHA256");
  }

  /// The query that opens the run's transcript.
  String query(String runId) {
    var expires = clock.instant().plus(VALID).getEpochSecond();
    return "expires=" + expires + "&signature=" + sign(runId, expires);
  }

  boolean opens(String runId, @Nullable String expires, @Nullable String signature) {
    if (expires == null || signature == null || !expires.matches("\\d{1,12}")) {
      return false;
    }
    var until = Long.parseLong(expires);
    return MessageDigest.isEqual(
            sign(runId, until).getBytes(StandardCharsets.UTF_8),
            signature.getBytes(StandardCharsets.UTF_8))
        && clock.instant().isBefore(Instant.ofEpochSecond(until));
  }

  private String sign(String runId, long expires) {
    try {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      return HexFormat.of()
          .formatHex(mac.doFinal((runId + "|" + expires).getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("Every Java has HmacSHA256", impossible);
    }
  }
}
