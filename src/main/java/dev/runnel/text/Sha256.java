package dev.runnel.text;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// The hash function SHA-256.
public final class Sha256 {
  private Sha256() {}

  /// @return 32 bytes
  public static byte[] of(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java has SHA-256", impossible);
    }
  }

  /// Hashes the text in UTF-8.
  ///
  /// @return 32 bytes
  public static byte[] of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /// @return 64 lower case hexadecimal digits
  public static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(of(bytes));
  }

  /// Hashes the text in UTF-8.
  ///
  /// @return 64 lower case hexadecimal digits
  public static String hex(String text) {
    return HexFormat.of().formatHex(of(text));
  }
}
