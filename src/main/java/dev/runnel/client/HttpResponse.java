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

/// What the service answered, whatever the status.
///
/// @param body empty where it is still open
/// @param open the body of a good answer that the caller reads
/// @param problem the error of an answer that is none of the 200s, where it could be read
/// @param arrived by the client's clock, for a `Retry-After` that is a date
/// @param attempts how many it took, this one included
/// @param doubt whether an attempt before this one may have had an effect
record HttpResponse(
    int status,
    Headers headers,
    ByteString body,
    Optional<ResponseBody> open,
    Optional<Problem> problem,
    Instant arrived,
    int attempts,
    boolean doubt) {
  static HttpResponse whole(int status, Headers headers, ByteString body, Instant arrived) {
    var problem = isSuccess(status) ? Optional.<Problem>empty() : Json.problem(body);
    return new HttpResponse(status, headers, body, Optional.empty(), problem, arrived, 1, false);
  }

  static HttpResponse open(int status, Headers headers, ResponseBody body, Instant arrived) {
    return new HttpResponse(
        status, headers, ByteString.EMPTY, Optional.of(body), Optional.empty(), arrived, 1, false);
  }

  HttpResponse after(int attempts, boolean doubt) {
    return new HttpResponse(status, headers, body, open, problem, arrived, attempts, doubt);
  }

  /// Without what has no name: a line of rubbish among the headers counts as a value.
  HttpHeaders httpHeaders() {
    var named = new TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
    for (int i = 0; i < headers.size(); i++) {
      var name = headers.name(i).strip();
      if (!name.isEmpty()) {
        named.computeIfAbsent(name, _ -> new ArrayList<>()).add(headers.value(i));
      }
    }
    return HttpHeaders.of(named, (_, _) -> true);
  }

  boolean isSuccess() {
    return isSuccess(status);
  }

  /// The problem's own word first, then what the code, then what the status stands for.
  boolean isRetryable() {
    if (problem.isPresent()) {
      var said = problem.get().retryable();
      if (said != null) {
        return said;
      }
      if (problem.get().code().isFinal()) {
        return false;
      }
    }
    return status == 408 || status == 409 || status == 429 || status >= 500;
  }

  /// Whether the service said no before anything happened. A 408 and a 5xx may come from between,
  /// after the request went on.
  boolean isRefusal() {
    return status >= 300 && status < 500 && status != 408;
  }

  private static boolean isSuccess(int status) {
    return status >= 200 && status < 300;
  }

  /// Without headers and body, which may be secret.
  @Override
  public String toString() {
    return "Answer[status=" + status + "]";
  }
}
