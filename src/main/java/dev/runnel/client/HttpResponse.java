package dev.runnel.client;

import dev.runnel.wire.Problem;
import java.net.http.HttpHeaders;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import okhttp3.Headers;
import okhttp3.ResponseBody;
import okio.ByteString;

/// A response with any status.
///
/// @param body the complete body; empty if it is streamed
/// @param open the streamed body of a 2xx response, for the caller to read
/// @param problem the error in a response other than 2xx, if it could be parsed
/// @param arrived time of arrival by the client's clock, to evaluate a `Retry-After` date
/// @param attempts number of attempts so far, including this one
/// @param mayHaveHappened whether an earlier attempt may have had an effect
record HttpResponse(
    int status,
    Headers headers,
    ByteString body,
    Optional<ResponseBody> open,
    Optional<Problem> problem,
    Instant arrived,
    int attempts,
    boolean mayHaveHappened) {
  static HttpResponse whole(int status, Headers headers, ByteString body, Instant arrived) {
    var problem = isSuccess(status) ? Optional.<Problem>empty() : Json.problem(body);
    return new HttpResponse(status, headers, body, Optional.empty(), problem, arrived, 1, false);
  }

  static HttpResponse open(int status, Headers headers, ResponseBody body, Instant arrived) {
    return new HttpResponse(
        status, headers, ByteString.EMPTY, Optional.of(body), Optional.empty(), arrived, 1, false);
  }

  HttpResponse after(int attempts, boolean mayHaveHappened) {
    return new HttpResponse(
        status, headers, body, open, problem, arrived, attempts, mayHaveHappened);
  }

  /// Drops headers without a name, which OkHttp produces for malformed lines.
  HttpHeaders httpHeaders() {
    var named = new TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
    for (int i = 0; i < headers.size(); i++) {
      var name = headers.name(i).strip();
      if (!name.isEmpty()) {
        named.computeIfAbsent(name, key -> new ArrayList<>()).add(headers.value(i));
      }
    }
    return HttpHeaders.of(named, (name, value) -> true);
  }

  boolean isSuccess() {
    return isSuccess(status);
  }

  /// Evaluates the problem's `retryable` first, then its code, then the status.
  boolean isRetryable() {
    if (problem.isPresent()) {
      var retryable = problem.get().retryable();
      if (retryable != null) {
        return retryable;
      }
      if (problem.get().code().isFinal()) {
        return false;
      }
    }
    return status == 408 || status == 409 || status == 429 || status >= 500;
  }

  /// Whether the service rejected the request without any effect. A 408 or 5xx may come from an
  /// intermediary after the request was forwarded.
  boolean isRefusal() {
    return status >= 300 && status < 500 && status != 408;
  }

  private static boolean isSuccess(int status) {
    return status >= 200 && status < 300;
  }

  /// Leaves out headers and body, which may be secret.
  @Override
  public String toString() {
    return "HttpResponse[status=" + status + "]";
  }
}
