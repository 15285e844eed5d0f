package dev.runnel.store;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.port.Store;
import dev.runnel.store.row.Statements;
import dev.runnel.store.row.StoredJson;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Approvals in the table `approvals`.
final class SqlApprovals implements Store.Approvals {
  private final Statements rows;

  SqlApprovals(Statements rows) {
    this.rows = rows;
  }

  @Override
  public void add(Approval approval) {
    rows.change(
        "INSERT INTO approvals (id, delivery, conversation, person, rule, body, asked_at,"
            + " expires_at, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT"
            + " (delivery) DO NOTHING",
        approval.id(),
        approval.delivery().value(),
        approval.conversation().id(),
        approval.requester().id(),
        approval.rule(),
        StoredJson.write(approval),
        approval.askedAt(),
        approval.expiresAt(),
        approval.state().name());
  }

  @Override
  public Optional<Approval> of(DeliveryId delivery) {
    return list("SELECT * FROM approvals WHERE delivery = ?", delivery.value()).stream()
        .findFirst();
  }

  @Override
  public List<Approval> startingWith(String id) {
    return list(
        "SELECT * FROM approvals WHERE id LIKE ? ORDER BY asked_at DESC LIMIT 20",
        id.toLowerCase(Locale.ROOT) + "%");
  }

  @Override
  public List<Approval> waiting(Optional<Conversation> conversation) {
    return conversation
        .map(
            it ->
                list(
                    "SELECT * FROM approvals WHERE state = 'WAITING' AND conversation = ? ORDER BY"
                        + " asked_at",
                    it.id()))
        .orElseGet(() -> list("SELECT * FROM approvals WHERE state = 'WAITING' ORDER BY asked_at"));
  }

  @Override
  public boolean decide(DeliveryId delivery, State state, Optional<Actor> by, Instant at) {
    return rows.change(
            "UPDATE approvals SET state = ?, decider = ?, decided_by = ?, decided_at = ?"
                + " WHERE delivery = ? AND state = 'WAITING'",
            state.name(),
            by.map(Actor::id).orElse(null),
            by.map(Actor::name).orElse(null),
            at,
            delivery.value())
        == 1;
  }

  private List<Approval> list(String sql, @Nullable Object... parameters) {
    return rows.list(sql, SqlApprovals::read, parameters);
  }

  private static Approval read(ResultSet row) throws SQLException {
    var asked = StoredJson.read(row.getString("body"), Approval.class);
    return new Approval(
        asked.id(),
        asked.delivery(),
        asked.conversation(),
        asked.requester(),
        asked.rule(),
        asked.by(),
        asked.notRequester(),
        asked.request(),
        asked.askedAt(),
        asked.expiresAt(),
        State.valueOf(row.getString("state")),
        Optional.ofNullable(row.getString("decided_by")));
  }
}
