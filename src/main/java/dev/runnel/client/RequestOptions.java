package dev.runnel.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// Options of a client or of one request. Options of a request override those of the client, which
/// override the defaults. Time limits above 20 days count as 20 days. Immutable: each method
/// returns a changed copy.
///
/// @param deadline limit for the whole request: all attempts, waits and the body; default: 1 minute
/// @param connectTimeout limit for establishing a connection; default: 10 seconds
/// @param readTimeout maximum time without data from the service within one attempt; default: 20
///   seconds, or the deadline for requests that are not idempotent
/// @param maxRetries maximum number of attempts after the first; default: 2
/// @param headers additional headers by case-insensitive name; a name mapped to `Optional.empty()`
///   suppresses the header
/// @param query additional query parameters
/// @param body additional members of the JSON body
/// @param strict whether to reject a response with a member that cannot be parsed; default: false,
///   such a member counts as absent
public record RequestOptions(
    Optional<Duration> deadline,
    Optional<Duration> connectTimeout,
    Optional<Duration> readTimeout,
    OptionalInt maxRetries,
    Map<String, Optional<String>> headers,
    List<Parameter> query,
    Map<String, JsonNode> body,
    Optional<Boolean> strict) {
  public static final RequestOptions DEFAULT =
      new RequestOptions(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          OptionalInt.empty(),
          Map.of(),
          List.of(),
          Map.of(),
          Optional.empty());

  static final String TEAM = "X-Warp-Team-Uid";

  private static final Duration MAX_TIMEOUT = Duration.ofDays(20);
  private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
  private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7e]*");

  /// A query parameter; a name may occur several times.
  public record Parameter(String name, String value) {}

  public RequestOptions {
    deadline = deadline.map(RequestOptions::counted);
    connectTimeout = connectTimeout.map(RequestOptions::counted);
    readTimeout = readTimeout.map(RequestOptions::counted);
    maxRetries.ifPresent(RequestOptions::requireNotNegative);
    var named = new TreeMap<String, Optional<String>>(String.CASE_INSENSITIVE_ORDER);
    named.putAll(headers);
    named.forEach(RequestOptions::requireHeader);
    headers = Collections.unmodifiableMap(named);
    query = List.copyOf(query);
    body = Collections.unmodifiableMap(new LinkedHashMap<>(body));
  }

  public RequestOptions withDeadline(Duration deadline) {
    return new RequestOptions(
        Optional.of(deadline),
        connectTimeout,
        readTimeout,
        maxRetries,
        headers,
        query,
        body,
        strict);
  }

  public RequestOptions withConnectTimeout(Duration timeout) {
    return new RequestOptions(
        deadline, Optional.of(timeout), readTimeout, maxRetries, headers, query, body, strict);
  }

  public RequestOptions withReadTimeout(Duration timeout) {
    return new RequestOptions(
        deadline, connectTimeout, Optional.of(timeout), maxRetries, headers, query, body, strict);
  }

  public RequestOptions withMaxRetries(int maxRetries) {
    return new RequestOptions(
        deadline,
        connectTimeout,
        readTimeout,
        OptionalInt.of(maxRetries),
        headers,
        query,
        body,
        strict);
  }

  /// Sets a header; replaces one with the same name, case-insensitive.
  public RequestOptions withHeader(String name, String value) {
    return withHeader(name, Optional.of(value));
  }

  /// Suppresses a header, even if the client would set it. Headers required by HTTP are still sent:
  /// `Host`, `Content-Length`, `Connection`, `Accept-Encoding`.
  public RequestOptions withoutHeader(String name) {
    return withHeader(name, Optional.empty());
  }

  /// Acts on behalf of this team. Ignored for keys of service accounts, which have exactly one
  /// team.
  public RequestOptions withTeam(String uid) {
    return withHeader(TEAM, uid);
  }

  public RequestOptions withQuery(String name, String value) {
    var more = new ArrayList<>(query);
    more.add(new Parameter(name, value));
    return new RequestOptions(
        deadline, connectTimeout, readTimeout, maxRetries, headers, more, body, strict);
  }

  /// Adds a member to the body, for requests that have one. As an option of a client, it is ignored
  /// for other requests.
  public RequestOptions withBodyMember(String name, JsonNode value) {
    var more = new LinkedHashMap<>(body);
    more.put(name, value.deepCopy());
    return new RequestOptions(
        deadline, connectTimeout, readTimeout, maxRetries, headers, query, more, strict);
  }

  RequestOptions withoutQuery(String name) {
    return new RequestOptions(
        deadline,
        connectTimeout,
        readTimeout,
        maxRetries,
        headers,
        query.stream().filter(parameter -> !parameter.name().equals(name)).toList(),
        body,
        strict);
  }

  RequestOptions withoutBody() {
    return new RequestOptions(
        deadline, connectTimeout, readTimeout, maxRetries, headers, query, Map.of(), strict);
  }

  public RequestOptions withStrict(boolean strict) {
    return new RequestOptions(
        deadline,
        connectTimeout,
        readTimeout,
        maxRetries,
        headers,
        query,
        body,
        Optional.of(strict));
  }

  private RequestOptions withHeader(String name, Optional<String> value) {
    var more = new LinkedHashMap<>(headers);
    more.keySet().removeIf(name::equalsIgnoreCase);
    more.put(name, value);
    return new RequestOptions(
        deadline, connectTimeout, readTimeout, maxRetries, more, query, body, strict);
  }

  /// Leaves out values, which may be secret.
  @Override
  public String toString() {
    return "RequestOptions[deadline=%s, maxRetries=%s, headers=%s, query=%s, body=%s]"
        .formatted(
            deadline,
            maxRetries,
            headers.keySet(),
            query.stream().map(Parameter::name).toList(),
            body.keySet());
  }

  static void requirePositive(Duration limit) {
    if (!limit.isPositive()) {
      throw new IllegalArgumentException("A time limit must be longer than nothing");
    }
  }

  /// Limits a duration to what fits in the milliseconds and nanoseconds used internally.
  private static Duration counted(Duration limit) {
    requirePositive(limit);
    return limit.compareTo(MAX_TIMEOUT) > 0 ? MAX_TIMEOUT : limit;
  }

  private static void requireNotNegative(int retries) {
    if (retries < 0) {
      throw new IllegalArgumentException("The number of retries must not be negative");
    }
  }

  private static void requireHeader(String name, Optional<String> value) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("A header's name must be a token");
    }
    if (value.isPresent() && !VALUE.matcher(value.get()).matches()) {
      throw new IllegalArgumentException("The header " + name + " must be printable ASCII");
    }
  }
}
