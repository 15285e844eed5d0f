package dev.runnel.service.store;

import dev.runnel.database.Rows;
import dev.runnel.service.run.IdempotencyKey;
import dev.runnel.service.run.RequestProblem;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// The responses to requests that may be repeated, in the table `answers`: a repeated request gets
/// the first response.
record IdempotentResponses(Rows rows) {
  /// How long a request without a key can be repeated. The libraries repeat within a minute or two.
  private static final Duration UNKEYED = Duration.ofMinutes(5);

  /// The response to an earlier request with this key.
  ///
  /// @throws RequestProblem if the key was used with another request body
  Optional<String> find(String operation, IdempotencyKey key, Instant at) throws SQLException {
    if (key.attempt() == IdempotencyKey.Try.FIRST) {
      return Optional.empty();
    }
    return rows.first(
        "SELECT answer, request FROM answers WHERE scope = ? AND name = ? AND created_at >= ?",
        row -> {
          if (Rows.text(row, "request").map(body -> !body.equals(key.body())).orElse(false)) {
            throw new RequestProblem(
                RequestProblem.Code.OPERATION_NOT_SUPPORTED,
                "This Idempotency-Key was sent with another body before."
                    + " Send the same body, or another key.");
          }
          return row.getString("answer");
        },
        key.scope(operation),
        key.value(),
        key.isKeyed() ? Instant.EPOCH : at.minus(UNKEYED));
  }

  void add(String operation, IdempotencyKey key, String response, Instant at) throws SQLException {
    if (!key.isKeyed()) {
      rows.change(
          "DELETE FROM answers WHERE scope = ? AND name = ?", key.scope(operation), key.value());
    }
    rows.change(
        "INSERT INTO answers (scope, name, request, answer, created_at) VALUES (?, ?, ?, ?, ?)",
        key.scope(operation),
        key.value(),
        key.body(),
        response,
        at);
  }
}
