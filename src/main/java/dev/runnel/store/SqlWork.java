package dev.runnel.store;

import dev.runnel.core.port.Store;
import dev.runnel.database.Rows;
import dev.runnel.store.audit.AuditWriter;
import dev.runnel.store.row.QueueTable;
import dev.runnel.store.row.RowSequence;
import dev.runnel.store.row.Statements;
import java.util.LinkedHashSet;
import java.util.Set;

/// The repositories within one transaction, and the conversations with new rows, of which the
/// scheduler is notified after the commit.
final class SqlWork implements Store.Work {
  /// A conversation with new rows in a queue.
  record Touched(QueueTable queue, Turn turn) {}

  private final Set<Touched> touched = new LinkedHashSet<>();
  private final SqlInbox inbox;
  private final SqlBindings bindings;
  private final SqlOutbox outbox;
  private final SqlRateLimits limits;
  private final SqlHolds holds;
  private final SqlPreferences preferences;
  private final SqlPullRequests pullRequests;
  private final SqlIssues issues;
  private final SqlApprovals approvals;
  private final SqlStarts starts;
  private final SqlSchedules schedules;
  private final AuditWriter audit;

  SqlWork(Rows connection, RowSequence sequence) {
    var rows = new Statements(connection);
    inbox = new SqlInbox(rows, sequence, touched);
    pullRequests = new SqlPullRequests(rows);
    starts = new SqlStarts(rows);
    bindings = new SqlBindings(rows, pullRequests, starts);
    outbox = new SqlOutbox(rows, sequence, touched);
    limits = new SqlRateLimits(rows);
    holds = new SqlHolds(rows);
    preferences = new SqlPreferences(rows);
    issues = new SqlIssues(rows);
    approvals = new SqlApprovals(rows);
    schedules = new SqlSchedules(rows);
    audit = new AuditWriter(connection);
  }

  @Override
  public Store.Inbox inbox() {
    return inbox;
  }

  @Override
  public SqlBindings bindings() {
    return bindings;
  }

  @Override
  public Store.Outbox outbox() {
    return outbox;
  }

  @Override
  public Store.Limits limits() {
    return limits;
  }

  @Override
  public Store.Holds holds() {
    return holds;
  }

  @Override
  public void wake(String service) {
    inbox.wake(service);
    outbox.wake(service);
  }

  @Override
  public Store.Preferences preferences() {
    return preferences;
  }

  @Override
  public Store.PullRequests pullRequests() {
    return pullRequests;
  }

  @Override
  public Store.Issues issues() {
    return issues;
  }

  @Override
  public Store.Approvals approvals() {
    return approvals;
  }

  @Override
  public Store.Starts starts() {
    return starts;
  }

  @Override
  public Store.Schedules schedules() {
    return schedules;
  }

  @Override
  public AuditWriter audit() {
    return audit;
  }

  Set<Touched> touched() {
    return touched;
  }
}
