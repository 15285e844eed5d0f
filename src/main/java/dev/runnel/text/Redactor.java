package dev.runnel.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Takes secrets out of text: the values it was made with, and whatever has the shape of a known
/// token or of a private key.
///
/// Immutable and thread-safe. The time it takes grows with the text's length alone, whatever the
/// text is. Redacting twice gives the same as once.
public final class Redactor {
  /// What stands in a secret's place.
  public static final String MASK = "(redacted)";

  /// Knows no values, only shapes.
  public static final Redactor SHAPES = of(List.of());

  // A shorter value would blot out ordinary words.
  private static final int MIN_SECRET = 8;

  private final List<String> secrets;

  private Redactor(Stream<String> secrets) {
    this.secrets =
        secrets
            .distinct()
            // One may be a part of another.
            .sorted(Comparator.comparingInt(String::length).reversed())
            .toList();
  }

  /// @param secrets each as a whole and, where it has several lines, each of its lines; those
  ///     shorter than 8 characters are ignored
  public static Redactor of(Collection<String> secrets) {
    return new Redactor(secrets.stream().flatMap(Redactor::forms));
  }

  /// One that takes out these as well.
  public Redactor and(Collection<String> more) {
    return new Redactor(Stream.concat(secrets.stream(), more.stream().flatMap(Redactor::forms)));
  }

  /// As it is, line by line, and as JSON writes it: an agent's output may be JSON.
  private static Stream<String> forms(String secret) {
    var lines = secret.lines().flatMap(line -> Stream.of(line.split("\\\\n", -1)));
    return Stream.concat(Stream.of(secret), lines)
        .map(String::strip)
        .flatMap(each -> Stream.of(each, each.replace("\\", "\\\\").replace("\"", "\\\"")))
        .filter(each -> each.length() >= MIN_SECRET && !PrivateKey.isBorder(each));
  }

  /// The text without secrets. A private key is one line then, however many it had.
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

  /// For a text that comes line by line, from a single thread: a private key has many lines.
  public Lines lines() {
    return new Lines();
  }

  /// One text that comes line by line.
  public final class Lines {
    private final PrivateKey key = new PrivateKey();

    private Lines() {}

    /// The next line without secrets; empty where it is nothing but a part of a private key that
    /// was masked before.
    public Optional<String> next(String line) {
      return key.next(line).map(Redactor.this::withoutTokens);
    }
  }

  private String withoutTokens(String text) {
    var result = text;
    for (var secret : secrets) {
      result = result.replace(secret, MASK);
    }
    for (var shape : Shape.ALL) {
      result = shape.redact(result);
    }
    return result;
  }

  /// Never the values.
  @Override
  public String toString() {
    return "Redactor[" + secrets.size() + "]";
  }
}
