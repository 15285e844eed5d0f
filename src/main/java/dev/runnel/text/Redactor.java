package dev.runnel.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Removes secrets from text: given values, and all text in the format of a known token or a
/// private key.
///
/// Immutable and thread-safe. Takes time proportional to the length of the text, for any text.
/// Idempotent.
public final class Redactor {
  /// The replacement for a secret.
  public static final String MASK = "(redacted)";

  /// Removes tokens and private keys by their format only, without given values.
  public static final Redactor PATTERNS = of(List.of());

  // A shorter value would match ordinary words.
  private static final int MIN_SECRET = 8;

  private final List<String> secrets;

  private Redactor(Stream<String> secrets) {
    this.secrets =
        secrets
            .distinct()
            // Longest first, since one secret may be part of another.
            .sorted(Comparator.comparingInt(String::length).reversed())
            .toList();
  }

  /// @param secrets values to remove, each as a whole and, if it has several lines, line by line;
  ///   those shorter than 8 characters are ignored
  public static Redactor of(Collection<String> secrets) {
    return new Redactor(secrets.stream().flatMap(Redactor::forms));
  }

  /// Returns a redactor that also removes these values.
  public Redactor and(Collection<String> more) {
    return new Redactor(Stream.concat(secrets.stream(), more.stream().flatMap(Redactor::forms)));
  }

  /// The secret as it is, its lines, and their JSON-escaped forms, since an agent's output may be
  /// JSON.
  private static Stream<String> forms(String secret) {
    var lines = secret.lines().flatMap(line -> Stream.of(line.split("\\\\n", -1)));
    return Stream.concat(Stream.of(secret), lines)
        .map(String::strip)
        .flatMap(each -> Stream.of(each, each.replace("\\", "\\\\").replace("\"", "\\\"")))
        .filter(each -> each.length() >= MIN_SECRET && !PrivateKey.isBorder(each));
  }

  /// Whether a private key begins in the text: redaction then also removes the text behind it that
  /// has the form of a key.
  public static boolean containsPrivateKey(String text) {
    return PrivateKey.isIn(text);
  }

  /// Returns the text without secrets. A private key is replaced by a single line.
  public String redact(String text) {
    if (!PrivateKey.mayBeIn(text)) {
      return withoutTokens(text);
    }
    var key = new PrivateKey();
    var open =
        Stream.of(text.split("\n", -1))
            .flatMap(line -> key.next(line).stream())
            .collect(Collectors.joining("\n"));
    return withoutTokens(open);
  }

  /// Redacts a text that arrives line by line, in which a private key may span many lines. The
  /// result is not thread-safe.
  public Lines lines() {
    return new Lines();
  }

  /// State for one text that arrives line by line.
  public final class Lines {
    private final PrivateKey key = new PrivateKey();

    private Lines() {}

    /// The next line without secrets; empty if it only contains part of a private key that is
    /// already masked.
    public Optional<String> next(String line) {
      return key.next(line).map(Redactor.this::withoutTokens);
    }
  }

  private String withoutTokens(String text) {
    var result = text;
    for (var secret : secrets) {
      result = result.replace(secret, MASK);
    }
    for (var pattern : SecretPattern.ALL) {
      result = pattern.redact(result);
    }
    return result;
  }

  /// Omits the values.
  @Override
  public String toString() {
    return "Redactor[" + secrets.size() + "]";
  }
}
