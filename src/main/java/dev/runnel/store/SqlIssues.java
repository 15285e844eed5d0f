package dev.runnel.store;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Store;
import dev.runnel.store.row.Statements;
import java.util.Optional;

/// The tables `issue_claims` and `guest_conversations`.
final class SqlIssues implements Store.Issues {
  private final Statements rows;

  SqlIssues(Statements rows) {
    this.rows = rows;
  }

  @Override
  public Claim claim(Conversation issue, Claim claim) {
    rows.change(
        "INSERT INTO issue_claims (issue, conversation, delivery) VALUES (?, ?, ?) ON"
            + " CONFLICT (issue) DO NOTHING",
        issue.id(),
        claim.conversation().id(),
        claim.delivery().value());
    return rows.first(
            "SELECT conversation, delivery FROM issue_claims WHERE issue = ?",
            row ->
                new Claim(
                    Conversation.parse(row.getString("conversation")),
                    new DeliveryId(row.getString("delivery"))),
            issue.id())
        .orElse(claim);
  }

  @Override
  public boolean replace(Conversation issue, Claim before, Claim now) {
    return rows.change(
            "UPDATE issue_claims SET conversation = ?, delivery = ? WHERE issue = ? AND"
                + " conversation = ? AND delivery = ?",
            now.conversation().id(),
            now.delivery().value(),
            issue.id(),
            before.conversation().id(),
            before.delivery().value())
        == 1;
  }

  @Override
  public Optional<Participation> participation(Conversation conversation) {
    return rows.first(
        "SELECT run, request FROM guest_conversations WHERE conversation = ?",
        row ->
            new Participation(
                new RunId(row.getString("run")), Optional.ofNullable(row.getString("request"))),
        conversation.id());
  }

  @Override
  public void join(Conversation conversation, Participation participation) {
    rows.change(
        "INSERT INTO guest_conversations (conversation, run, request) VALUES (?, ?, ?) ON"
            + " CONFLICT (conversation) DO UPDATE SET run = excluded.run, request ="
            + " excluded.request",
        conversation.id(),
        participation.run().value(),
        participation.request().orElse(null));
  }

  @Override
  public void leave(Conversation conversation) {
    rows.change("DELETE FROM guest_conversations WHERE conversation = ?", conversation.id());
  }
}
