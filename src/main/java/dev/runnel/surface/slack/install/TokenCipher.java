package dev.runnel.surface.slack.install;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// Encrypts texts for storage: AES-256-GCM, with keys that HKDF-SHA256 derives from secrets shared
/// by all nodes. The first secret encrypts and any of them decrypts, so that secrets can be
/// rotated.
final class TokenCipher {
  private static final String CIPHER = "AES/GCM/NoPadding";
  private static final String VERSION = "1.";
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final int KEY_BYTES = 32;

  private final List<SecretKey> keys;
  private final SecureRandom random = new SecureRandom();

  /// @param purpose part of the key derivation: each purpose has its own keys
  TokenCipher(List<String> secrets, String purpose) {
    keys = secrets.stream().map(secret -> key(secret, purpose)).toList();
  }

  private static SecretKey key(String secret, String purpose) {
    try {
      return KDF.getInstance("HKDF-SHA256")
          .deriveKey(
              "AES",
              HKDFParameterSpec.ofExtract()
                  .addIKM(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "Generic"))
                  .thenExpand(purpose.getBytes(StandardCharsets.UTF_8), KEY_BYTES));
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("Every Java 25 has HKDF-SHA256", impossible);
    }
  }

  /// A decrypted text.
  ///
  /// @param current whether it was encrypted with the first secret
  record Decrypted(String text, boolean current) {
    /// Omits the text.
    @Override
    public String toString() {
      return "Decrypted[current=" + current + "]";
    }
  }

  /// @param place where the result is stored; it can be decrypted only for the same place
  String encrypt(String text, String place) {
    var nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    try {
      var encrypted =
          cipher(Cipher.ENCRYPT_MODE, keys.getFirst(), nonce, place)
              .doFinal(text.getBytes(StandardCharsets.UTF_8));
      var both = ByteBuffer.allocate(nonce.length + encrypted.length).put(nonce).put(encrypted);
      return VERSION + Base64.getUrlEncoder().withoutPadding().encodeToString(both.array());
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("Every Java has AES-GCM", impossible);
    }
  }

  /// @return empty when no secret decrypts it, or it was changed or moved
  Optional<Decrypted> decrypt(String encrypted, String place) {
    if (!encrypted.startsWith(VERSION)) {
      return Optional.empty();
    }
    byte[] both;
    try {
      both = Base64.getUrlDecoder().decode(encrypted.substring(VERSION.length()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    if (both.length <= NONCE_BYTES) {
      return Optional.empty();
    }
    for (var key : keys) {
      var text = decrypt(both, key, place);
      if (text.isPresent()) {
        return text.map(it -> new Decrypted(it, key == keys.getFirst()));
      }
    }
    return Optional.empty();
  }

  private static Optional<String> decrypt(byte[] both, SecretKey key, String place) {
    var nonce = ByteBuffer.wrap(both, 0, NONCE_BYTES);
    var start = new byte[NONCE_BYTES];
    nonce.get(start);
    try {
      var text =
          cipher(Cipher.DECRYPT_MODE, key, start, place)
              .doFinal(both, NONCE_BYTES, both.length - NONCE_BYTES);
      return Optional.of(new String(text, StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      return Optional.empty();
    }
  }

  private static Cipher cipher(int mode, SecretKey key, byte[] nonce, String place)
      throws GeneralSecurityException {
    var cipher = Cipher.getInstance(CIPHER);
    cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(place.getBytes(StandardCharsets.UTF_8));
    return cipher;
  }
}
