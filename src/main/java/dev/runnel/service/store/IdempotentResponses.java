package dev.runnel.service.store;

import dev.runnel.database.Rows;
import dev.runnel.service.run.IdempotencyKey;
import dev.runnel.service.run.RequestProblem;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/// The responses to requests with an `Idempotency-Key`, in the table `answers`: a repeated request
/// gets the first response.
record IdempotentResponses(Rows rows) {
  /// The response to an earlier request with this key.
  ///
  /// @throws RequestProblem if the key was used with another request body
  Optional<String> find(String operation, IdempotencyKey key) throws SQLException {
    return rows.first(
        "SELECT answer, request FROM answers WHERE scope = ? AND name = ?",
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
        key.value());
  }

  void add(String operation, IdempotencyKey key, String response, Instant at) throws SQLException {
    rows.change(
        "INSERT INTO answers (scope, name, request, answer, created_at) VALUES (?, ?, ?, ?, ?)",
        key.scope(operation),
        key.value(),
        key.body(),
        response,
        at);
  }
}
