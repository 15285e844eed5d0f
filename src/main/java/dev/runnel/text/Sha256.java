package dev.runnel.text;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// The hash function SHA-256.
public final class Sha256 {
  private static final int BUFFER = 1 << 16;

  private Sha256() {}

  /// @return 32 bytes
  public static byte[] of(byte[] bytes) {
    return digest().digest(bytes);
  }

  /// Reads the input to its end, a piece at a time.
  ///
  /// @return 64 lower case hexadecimal digits
  public static String hex(InputStream input) throws IOException {
    var digest = digest();
    var buffer = new byte[BUFFER];
    for (int read = input.read(buffer); read >= 0; read = input.read(buffer)) {
      digest.update(buffer, 0, read);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
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
