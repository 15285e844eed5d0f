package dev.runnel.service.store;

import dev.runnel.database.Database;
import dev.runnel.database.Rows;
import dev.runnel.service.run.NodeIdentity;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// The membership of this process among the nodes that share the database: a row with a lease.
/// While the lease is valid, the process may claim runs, and no other node ends its executions. A
/// process whose lease has expired ends its agents and joins again with another id. Thread-safe.
///
/// An embedded database has only one process, which needs no lease.
///
/// Leases are compared with the time of the database, never with the times of changes. Those may be
/// later, because they increase even when the clock is set back.
public final class NodeMembership {
  /// How often a lease is renewed within its duration.
  public static final int RENEWALS_PER_LEASE = 10;

  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);
  private static final Duration ENDED_RETENTION = Duration.ofDays(30);

  private final Database database;
  private final InstantSource clock;
  private final NodeIdentity identity;
  private final int slots;
  private final Duration lease;
  private volatile String id = "";
  private volatile long renewedAt;

  private NodeMembership(
      Database database, InstantSource clock, NodeIdentity identity, int slots, Duration lease) {
    this.database = database;
    this.clock = clock;
    this.identity = identity;
    this.slots = slots;
    this.lease = lease;
  }

  /// @param clock the time of the database, which all nodes share
  /// @param slots maximum number of concurrent executions of this process at each depth
  /// @param lease how long other nodes wait for this process before they consider it lost, and how
  ///   long runs wait for the node that has their workspace
  public static NodeMembership join(
      Database database, InstantSource clock, NodeIdentity identity, int slots, Duration lease) {
    var joined = new NodeMembership(database, clock, identity, slots, lease);
    joined.joinAgain();
    return joined;
  }

  /// The host of another running process with the same name, as with a copy of a data folder; empty
  /// if there is none. Waits for two renewals if there may be one.
  ///
  /// @param lease of all nodes
  public static Optional<String> otherProcess(
      Database database, NodeIdentity identity, Duration lease) throws InterruptedException {
    var before = lastHeartbeat(database, identity);
    if (before.isEmpty()) {
      return Optional.empty();
    }
    var end = System.nanoTime() + lease.dividedBy(RENEWALS_PER_LEASE).multipliedBy(2).toNanos();
    while (System.nanoTime() < end) {
      Thread.sleep(POLL_INTERVAL);
      var now = lastHeartbeat(database, identity);
      if (now.isPresent() && !now.equals(before)) {
        return now.map(Heartbeat::host);
      }
    }
    return Optional.empty();
  }

  private record Heartbeat(String host, long at) {}

  private static Optional<Heartbeat> lastHeartbeat(Database database, NodeIdentity identity) {
    return database.read(
        rows ->
            rows.first(
                """
                SELECT host, seen_at FROM nodes WHERE name = ? AND host <> ? AND ended = 0
                ORDER BY seen_at DESC LIMIT 1
                """,
                row -> new Heartbeat(row.getString(1), row.getLong(2)),
                identity.name(),
                identity.host()));
  }

  /// The membership of the only process of an embedded database.
  public static NodeMembership alone(Database database, InstantSource clock, int slots) {
    return join(database, clock, NodeIdentity.ALONE, slots, Duration.ofDays(1));
  }

  /// Whether the database is embedded, so that no other process can use it.
  public boolean isAlone() {
    return database.isEmbedded();
  }

  /// The id of this process, which changes with each [#joinAgain].
  public String id() {
    return id;
  }

  public NodeIdentity identity() {
    return identity;
  }

  public Duration lease() {
    return lease;
  }

  /// Begins a new lease with a new id. All executions that were claimed under the previous one must
  /// have ended.
  public void joinAgain() {
    var next = UUID.randomUUID().toString();
    var start = System.nanoTime();
    if (!isAlone()) {
      database.write(
          rows -> {
            var now = now();
            rows.change(
                "DELETE FROM nodes WHERE ended = 1 AND seen_at < ?", now.minus(ENDED_RETENTION));
            rows.change(
                "DELETE FROM claims WHERE claimed_at < ? AND token NOT IN"
                    + " (SELECT claim FROM runs WHERE claim IS NOT NULL)",
                now.minus(ENDED_RETENTION));
            return rows.change(
                """
                INSERT INTO nodes (id, name, host, place, slots, joined_at, seen_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                next,
                identity.name(),
                identity.host(),
                identity.place(),
                slots,
                now,
                now,
                now.plus(lease));
          });
    }
    id = next;
    renewedAt = start;
  }

  /// Extends the lease.
  ///
  /// @return false if another node has ended the lease and the executions claimed under it
  public boolean renew() {
    if (isAlone()) {
      return true;
    }
    // Read before the request, so that this process never assumes a longer lease than the row has.
    var start = System.nanoTime();
    var now = now();
    var renewed =
        database.write(
                rows ->
                    rows.change(
                        "UPDATE nodes SET seen_at = ?, expires_at = ? WHERE id = ? AND ended = 0",
                        now,
                        now.plus(lease),
                        id))
            > 0;
    if (renewed) {
      renewedAt = start;
    }
    return renewed;
  }

  /// Whether the lease is certainly still valid. Becomes false some time before it expires, so that
  /// agents can be ended in time. Does not access the database.
  public boolean isLeaseSafe() {
    return isAlone()
        || System.nanoTime() - renewedAt < lease.multipliedBy(3).dividedBy(4).toNanos();
  }

  /// Ends the lease. All executions that were claimed under it must have ended.
  public void leave() {
    if (!isAlone()) {
      database.write(rows -> rows.change("UPDATE nodes SET ended = 1 WHERE id = ?", id));
    }
  }

  /// Whether this process may claim a run in this transaction.
  boolean mayClaim(Rows rows) throws SQLException {
    return isAlone()
        || (isLeaseSafe()
            && rows.exists(
                "SELECT 1 FROM nodes WHERE id = ? AND ended = 0 AND expires_at > ?", id, now()));
  }

  /// Whether the process that made a claim is not considered lost.
  boolean isClaimValid(Rows rows, String claim) throws SQLException {
    return isAlone()
        || rows.exists(
            """
            SELECT 1 FROM claims JOIN nodes ON nodes.id = claims.node
            WHERE claims.token = ? AND nodes.ended = 0
            """,
            claim);
  }

  /// A process that shares the database.
  ///
  /// @param isThis whether it is this process
  public record Node(
      String name, String host, int slots, Optional<Instant> seenAt, boolean isThis) {}

  /// The processes whose leases are valid.
  public List<Node> nodes() {
    return isAlone()
        ? List.of(new Node(identity.name(), identity.host(), slots, Optional.empty(), true))
        : database.read(
            rows ->
                rows.list(
                    """
                    SELECT id, name, host, slots, seen_at FROM nodes
                    WHERE ended = 0 AND expires_at > ? ORDER BY joined_at
                    """,
                    row ->
                        new Node(
                            row.getString("name"),
                            row.getString("host"),
                            row.getInt("slots"),
                            Optional.of(Rows.instant(row, "seen_at")),
                            row.getString("id").equals(id)),
                    now()));
  }

  /// The number of slots of all nodes with a valid lease.
  int slots(Rows rows) throws SQLException {
    return isAlone()
        ? slots
        : rows.first(
                "SELECT SUM(slots) FROM nodes WHERE ended = 0 AND expires_at > ?",
                row -> row.getInt(1),
                now())
            .orElse(slots);
  }

  /// Ids of processes whose lease has expired, and that are not marked as lost yet.
  static List<String> expired(Rows rows, Instant at) throws SQLException {
    return rows.texts("SELECT id FROM nodes WHERE ended = 0 AND expires_at < ?", at);
  }

  /// Marks a process as lost.
  ///
  /// @return false if it has renewed its lease meanwhile, or is already marked
  static boolean end(Rows rows, String node, Instant at) throws SQLException {
    return rows.change(
            "UPDATE nodes SET ended = 1 WHERE id = ? AND ended = 0 AND expires_at < ?", node, at)
        > 0;
  }

  /// Claims of lost processes whose executions have not been ended yet.
  static List<String> claimsOfEnded(Rows rows) throws SQLException {
    return rows.texts(
        """
        SELECT claims.token FROM claims JOIN runs ON runs.claim = claims.token
        JOIN nodes ON nodes.id = claims.node WHERE nodes.ended = 1
        """);
  }

  /// The host name of the last node with this place; empty if there was none.
  static Optional<String> hostOf(Rows rows, String place) throws SQLException {
    return rows.first(
        "SELECT host FROM nodes WHERE place = ? ORDER BY seen_at DESC LIMIT 1",
        row -> row.getString(1),
        place);
  }

  Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }
}
