package dev.runnel.service.http;

import io.javalin.http.Context;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Signed URLs of transcripts and files. They need no API key, and are valid for five minutes on
/// all nodes.
public final class SignedLinks {
  private static final Duration VALID = Duration.ofMinutes(5);

  private final InstantSource clock;
  private final SecretKeySpec key;

  /// @param secret the signing key, which all nodes share
  public SignedLinks(InstantSource clock, byte[] secret) {
    this.clock = clock;
    this.key = new SecretKeySpec(secret, "HmacSHA256");
  }

  /// A query string that grants access to the signed resource.
  record Link(String query, Instant expiresAt) {}

  /// @param resource unique name of the resource
  Link of(String resource) {
    var expires = clock.instant().plus(VALID).getEpochSecond();
    return new Link(
        "expires=" + expires + "&signature=" + sign(resource, expires),
        Instant.ofEpochSecond(expires));
  }

  /// Whether the request carries a valid, unexpired signature for the resource.
  boolean isValid(String resource, Context ctx) {
    var expires = ctx.queryParam("expires");
    var signature = ctx.queryParam("signature");
    if (expires == null || signature == null || !expires.matches("\\d{1,12}")) {
      return false;
    }
    var until = Long.parseLong(expires);
    return MessageDigest.isEqual(
            sign(resource, until).getBytes(StandardCharsets.UTF_8),
            signature.getBytes(StandardCharsets.UTF_8))
        && clock.instant().isBefore(Instant.ofEpochSecond(until));
  }

  private String sign(String resource, long expires) {
    try {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      return HexFormat.of()
          .formatHex(mac.doFinal((resource + "|" + expires).getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("Every Java has HmacSHA256", impossible);
    }
  }
}
