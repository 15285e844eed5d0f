package dev.runnel.client;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/// What one request does differently.
///
/// @param deadline for the whole request: all attempts, waits and the body
/// @param maxRetries attempts after the first
/// @param headers in addition; the same name replaces the client's own
public record RequestOptions(
    Optional<Duration> deadline, OptionalInt maxRetries, Map<String, String> headers) {
  public static final RequestOptions DEFAULT =
      new RequestOptions(Optional.empty(), OptionalInt.empty(), Map.of());

  private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
  private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7e]*");

  public RequestOptions {
    deadline.ifPresent(RequestOptions::requirePositive);
    maxRetries.ifPresent(RequestOptions::requireNotNegative);
    headers = Map.copyOf(headers);
    headers.forEach(RequestOptions::requireHeader);
  }

  public RequestOptions withDeadline(Duration deadline) {
    return new RequestOptions(Optional.of(deadline), maxRetries, headers);
  }

  public RequestOptions withMaxRetries(int maxRetries) {
    return new RequestOptions(deadline, OptionalInt.of(maxRetries), headers);
  }

  public RequestOptions withHeader(String name, String value) {
    var more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new RequestOptions(deadline, maxRetries, more);
  }

  /// Without the headers' values, which may be secret.
  @Override
  public String toString() {
    return "RequestOptions[deadline=%s, maxRetries=%s, headers=%s]"
        .formatted(deadline, maxRetries, headers.keySet());
  }

  static void requirePositive(Duration deadline) {
    if (!deadline.isPositive()) {
      throw new IllegalArgumentException("A deadline must be longer than nothing");
    }
  }

  static void requireNotNegative(int retries) {
    if (retries < 0) {
      throw new IllegalArgumentException("The number of retries must not be negative");
    }
  }

  private static void requireHeader(String name, String value) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("A header's name must be a token");
    }
    if (!VALUE.matcher(value).matches()) {
      throw new IllegalArgumentException("The header " + name + " must be printable ASCII");
    }
  }
}
