package dev.runnel.surface.kit;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Verifies and creates HMAC-SHA256 signatures over the bytes of a webhook.
///
/// @param secrets all valid at once, so that they can be rotated without an outage
public record Hmac(List<String> secrets) {
  private static final Pattern SIGNATURE = Pattern.compile("[0-9a-f]{64}");

  private static final String ALGORITHM = "sha256=";

  public Hmac {
    secrets = List.copyOf(secrets);
    if (secrets.isEmpty() || secrets.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException("A signature needs a secret that is not blank");
    }
  }

  /// Whether `signature` is one of the secrets' signatures of the concatenated parts. Costs one
  /// HMAC per secret; a malformed signature costs none.
  ///
  /// @param signature lower-case hex; compared in constant time
  public boolean signs(String signature, byte[]... parts) {
    if (!SIGNATURE.matcher(signature).matches()) {
      return false;
    }
    var claimed = signature.getBytes(StandardCharsets.UTF_8);
    var matches = false;
    for (var secret : secrets) {
      matches |=
          MessageDigest.isEqual(claimed, hex(secret, parts).getBytes(StandardCharsets.UTF_8));
    }
    return matches;
  }

  /// The same for a header such as `sha256=5f3c…`; no other algorithm is accepted.
  public boolean signsHeader(String header, byte[] body) {
    return header.startsWith(ALGORITHM) && signs(header.substring(ALGORITHM.length()), body);
  }

  /// Signs the parts; lower-case hex.
  public static String hex(String secret, byte[]... parts) {
    return HexFormat.of().formatHex(sign(secret.getBytes(StandardCharsets.UTF_8), parts));
  }

  static byte[] sign(byte[] key, byte[]... parts) {
    try {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      for (var part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("Every Java supports HmacSHA256", impossible);
    }
  }

  /// Omits the secrets.
  @Override
  public String toString() {
    return "Hmac[" + secrets.size() + " secrets]";
  }
}
