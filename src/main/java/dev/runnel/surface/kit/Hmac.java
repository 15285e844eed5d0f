package dev.runnel.surface.kit;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Verifies and creates HMAC-SHA256 signatures over the bytes of a webhook.
public final class Hmac {
  private static final int HEX_DIGITS = 64;

  private static final String ALGORITHM = "sha256=";

  /// Makes one that is used once, for each secret.
  private final List<Supplier<Mac>> keyed;

  /// @param secrets all valid at once, so that they can be rotated without an outage
  public Hmac(List<String> secrets) {
    if (secrets.isEmpty() || secrets.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException("A signature needs a secret that is not blank");
    }
    keyed = secrets.stream().map(it -> copies(it.getBytes(StandardCharsets.UTF_8))).toList();
  }

  /// Whether `signature` is one of the secrets' signatures of the concatenated parts. Costs one
  /// HMAC per secret; a malformed signature costs none.
  ///
  /// @param signature lower-case hex; compared in constant time
  public boolean signs(String signature, byte[]... parts) {
    if (signature.length() != HEX_DIGITS || !signature.chars().allMatch(Hmac::isHexDigit)) {
      return false;
    }
    var claimed = HexFormat.of().parseHex(signature);
    var matches = false;
    for (var each : keyed) {
      matches |= MessageDigest.isEqual(claimed, sign(each.get(), parts));
    }
    return matches;
  }

  private static boolean isHexDigit(int digit) {
    return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
  }

  /// Copies one that is never used itself, which costs less than a new one.
  private static Supplier<Mac> copies(byte[] key) {
    var original = keyed(key);
    return () -> {
      try {
        return (Mac) original.clone();
      } catch (CloneNotSupportedException otherProvider) {
        // Such as PKCS #11, which is first in FIPS mode.
        return keyed(key);
      }
    };
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
    return sign(keyed(key), parts);
  }

  private static byte[] sign(Mac mac, byte[]... parts) {
    for (var part : parts) {
      mac.update(part);
    }
    return mac.doFinal();
  }

  private static Mac keyed(byte[] key) {
    try {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac;
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("Every Java supports HmacSHA256", impossible);
    }
  }

  /// Omits the secrets.
  @Override
  public String toString() {
    return "Hmac[" + keyed.size() + " secrets]";
  }
}
