package dev.runnel.surface.github;

import dev.runnel.surface.kit.Json;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.regex.Pattern;

/// A GitHub App's id and private key, which authenticate as the app.
///
/// See https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app
final class AppKey {
  // GitHub accepts at most ten minutes, and our clock may be ahead of GitHub's.
  private static final Duration LIFE = Duration.ofMinutes(9);
  private static final Duration SKEW = Duration.ofMinutes(1);

  private static final Pattern PEM =
      Pattern.compile(
          "-----BEGIN (?<kind>(?:RSA )?PRIVATE KEY)-----(?<body>[A-Za-z0-9+/=\\s]+)-----END"
              + " \\k<kind>-----");
  // The PKCS #8 prefix of an RSA key: version 0, and the algorithm's identifier.
  private static final byte[] RSA = {
    0x02,
    0x01,
    0x00,
    0x30,
    0x0d,
    0x06,
    0x09,
    0x2a,
    (byte) 0x86,
    0x48,
    (byte) 0x86,
    (byte) 0xf7,
    0x0d,
    0x01,
    0x01,
    0x01,
    0x05,
    0x00
  };
  private static final int SEQUENCE = 0x30;
  private static final int OCTETS = 0x04;

  private final String app;
  private final PrivateKey key;

  /// @param app the app id or client id
  /// @param pem the key as downloaded from GitHub; line breaks may be written as `\n`
  /// @throws IllegalArgumentException if it is not an RSA private key; the message contains none of
  ///   it
  AppKey(String app, String pem) {
    this.app = app;
    this.key = read(pem.replace("\\n", "\n"));
  }

  private static PrivateKey read(String pem) {
    var matcher = PEM.matcher(pem.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException("is not a private key in PEM format");
    }
    try {
      var der = Base64.getMimeDecoder().decode(matcher.group("body"));
      var isBare = matcher.group("kind").startsWith("RSA");
      return KeyFactory.getInstance("RSA")
          .generatePrivate(new PKCS8EncodedKeySpec(isBare ? wrapped(der) : der));
    } catch (GeneralSecurityException | IllegalArgumentException unreadable) {
      // The exception's own message might quote the key.
      throw new IllegalArgumentException(
          "is not a readable RSA private key (" + unreadable.getClass().getSimpleName() + ")");
    }
  }

  /// GitHub provides a PKCS #1 key, which Java reads only inside PKCS #8.
  private static byte[] wrapped(byte[] bare) {
    var octets = element(OCTETS, bare);
    var content = ByteBuffer.allocate(RSA.length + octets.length).put(RSA).put(octets).array();
    return element(SEQUENCE, content);
  }

  private static byte[] element(int tag, byte[] content) {
    var length = content.length;
    var head =
        length < 0x80
            ? new byte[] {(byte) tag, (byte) length}
            : length < 0x100
                ? new byte[] {(byte) tag, (byte) 0x81, (byte) length}
                : new byte[] {(byte) tag, (byte) 0x82, (byte) (length >> 8), (byte) length};
    return ByteBuffer.allocate(head.length + length).put(head).put(content).array();
  }

  /// A JWT that authenticates the app, valid for a few minutes.
  String token(Instant now) {
    var head = Json.object().put("alg", "RS256").put("typ", "JWT");
    var claims =
        Json.object()
            .put("iat", now.minus(SKEW).getEpochSecond())
            .put("exp", now.plus(LIFE).getEpochSecond())
            .put("iss", app);
    var signed = base64(utf8(head.toString())) + "." + base64(utf8(claims.toString()));
    try {
      var signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(key);
      signature.update(utf8(signed));
      return signed + "." + base64(signature.sign());
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("Every Java supports RSA signatures", impossible);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /// Omits the key.
  @Override
  public String toString() {
    return "AppKey[app=" + app + "]";
  }
}
