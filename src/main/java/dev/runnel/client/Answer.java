package dev.runnel.client;

import dev.runnel.wire.Problem;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import okhttp3.Headers;
import okio.ByteString;

/// What the service answered, whatever the status.
///
/// @param problem the error of an answer that is none of the 200s, where it could be read
/// @param arrived by the client's clock, for a `Retry-After` that is a date
record Answer(
    int status, Headers headers, ByteString body, Optional<Problem> problem, Instant arrived) {
  /// Codes of failures that stay, although their status is one that often passes.
  private static final Set<String> FINAL_CODES =
      Set.of("environment_setup_failed", "infrastructure_timeout", "agent_process_failed");

  static Answer of(int status, Headers headers, ByteString body, Instant arrived) {
    return new Answer(
        status, headers, body, isSuccess(status) ? Optional.empty() : Json.problem(body), arrived);
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
      if (FINAL_CODES.contains(problem.get().code())) {
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
