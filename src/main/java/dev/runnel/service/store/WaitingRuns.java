package dev.runnel.service.store;

import dev.runnel.database.Rows;
import dev.runnel.service.run.limit.QueueOrder;
import dev.runnel.service.run.limit.QueuePosition;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/// The runs that wait for a slot, in the order of [QueueOrder]. The query for a claim reads a few
/// rows per person, regardless of how many runs wait.
record WaitingRuns(Rows rows) {
  /// How far back earlier slots count, in the unit of times in rows.
  private static final long RECENT_MICROS =
      Duration.ofDays(1).dividedBy(ChronoUnit.MICROS.getDuration());

  /// Whether a person requested a run, not the account of a program. Matches the JSON of
  /// [dev.runnel.service.run.ServiceJson]; in the value of another member, the quotes would be
  /// escaped.
  private static final String OF_PERSON = "root.creator LIKE '%\"type\":\"user\"%'";

  /// Joins runs with their root run, because they count for the person who requested it.
  private static final String WITH_ROOT =
      "runs JOIN runs root ON root.id = COALESCE(runs.root_run_id, runs.id)";

  /// The same expression as in the index.
  private static final String PERSON = "COALESCE(creator_uid, '')";

  private static final String SERVED = "COALESCE(execution_started_at, started_at)";

  /// Queued root runs.
  private static final String QUEUED_ROOTS = "state = 'QUEUED' AND depth = 0";

  /// For each person, the root run that has waited longest, and when a run of the person last got a
  /// slot.
  static final String HEADS =
      """
      WITH RECURSIVE people (person) AS (
        SELECT (SELECT %1$s FROM runs WHERE %2$s ORDER BY %1$s LIMIT 1)
        UNION ALL SELECT (
          SELECT %1$s FROM runs WHERE %2$s AND %1$s > people.person ORDER BY %1$s LIMIT 1)
        FROM people WHERE people.person IS NOT NULL
      ), heads AS (
        SELECT person,
          (SELECT id FROM runs WHERE %2$s AND %1$s = people.person
            ORDER BY queued_at, id LIMIT 1) AS id,
          (SELECT %3$s FROM runs WHERE depth = 0 AND %1$s = people.person
            AND %3$s > (SELECT MAX(updated_at) FROM runs) - ? ORDER BY %3$s DESC LIMIT 1) AS last
        FROM people WHERE person IS NOT NULL
      ) SELECT heads.person AS person, heads.last AS last, root.id AS id,
        root.queued_at AS queued_at, CASE WHEN %4$s THEN 1 ELSE 0 END AS is_of_person
      FROM heads JOIN runs root ON root.id = heads.id
      """
          .formatted(PERSON, QUEUED_ROOTS, SERVED, OF_PERSON);

  /// The run that gets the next free slot of a node. A run whose workspace is at the place of
  /// another node waits for that node, while it is alive and for a short time after. A run also
  /// waits while processes of an earlier execution may be running on this node, because they would
  /// use the same workspace. A run of a person who has reached the limit waits for a slot of that
  /// person.
  ///
  /// @param maxPerPerson maximum number of slots for the runs of one person
  Optional<String> next(int depth, NodeMembership node, int maxPerPerson) throws SQLException {
    var excluded =
        Set.copyOf(
            rows.texts(
                """
                SELECT id FROM runs WHERE state = 'QUEUED' AND place IN (
                  SELECT place FROM nodes WHERE place <> ? AND seen_at > ?)
                UNION SELECT run_id FROM claims WHERE node_name = ?
                """,
                node.identity().place(),
                node.now().minus(node.lease()),
                node.identity().name()));
    var slots = slots(depth);
    var atLimit = atLimit(slots, maxPerPerson);
    // There are few runs with a parent, and they count for the person of their root run.
    return depth > 0
        ? queue(depth, slots).stream()
            .filter(run -> !excluded.contains(run.run()) && !isHeld(run, atLimit))
            .map(QueueOrder.Waiting::run)
            .findFirst()
        : nextRoot(excluded, atLimit, slots);
  }

  /// The next of the root runs.
  private Optional<String> nextRoot(
      Set<String> excluded, Set<String> atLimit, Map<String, Slots> slots) throws SQLException {
    var heads = new ArrayList<QueueOrder.Head>();
    var served = new HashMap<String, Instant>();
    for (var head : heads()) {
      var run = head.run();
      if (isHeld(run, atLimit)) {
        continue;
      }
      head.lastServed().ifPresent(at -> served.put(run.person(), at));
      var next =
          excluded.contains(run.run())
              ? longestWaiting(run.person(), excluded)
              : Optional.of(new QueueOrder.Head(run, 1));
      next.ifPresent(heads::add);
    }
    var isAlone = heads.size() < 2;
    return QueueOrder.first(heads, isAlone ? Map.of() : served(slots, served))
        .map(QueueOrder.Waiting::run);
  }

  /// The run of a person that has waited longest.
  ///
  /// @param lastServed when a root run of the person last got a slot
  private record Head(QueueOrder.Waiting run, Optional<Instant> lastServed) {}

  private List<Head> heads() throws SQLException {
    return rows.list(
        HEADS,
        row -> {
          var last = row.getLong("last");
          return new Head(
              new QueueOrder.Waiting(
                  row.getString("id"),
                  row.getString("person"),
                  row.getInt("is_of_person") != 0,
                  Rows.instant(row, "queued_at")),
              last == 0 ? Optional.empty() : Optional.of(Rows.instant(row, "last")));
        },
        RECENT_MICROS);
  }

  private Optional<QueueOrder.Head> longestWaiting(String person, Set<String> excluded)
      throws SQLException {
    var waiting =
        rows.list(
            """
            SELECT id, queued_at, CASE WHEN %s THEN 1 ELSE 0 END AS is_of_person
            FROM runs root WHERE %s AND %s = ? ORDER BY queued_at, id LIMIT ?
            """
                .formatted(OF_PERSON, QUEUED_ROOTS, PERSON),
            row ->
                new QueueOrder.Waiting(
                    row.getString("id"),
                    person,
                    row.getInt("is_of_person") != 0,
                    Rows.instant(row, "queued_at")),
            person,
            excluded.size() + 1);
    for (int i = 0; i < waiting.size(); i++) {
      if (!excluded.contains(waiting.get(i).run())) {
        return Optional.of(new QueueOrder.Head(waiting.get(i), i + 1));
      }
    }
    return Optional.empty();
  }

  private static boolean isHeld(QueueOrder.Waiting run, Set<String> atLimit) {
    return run.isOfPerson() && atLimit.contains(run.person());
  }

  /// Whether a run waits until another one of the same person ends.
  boolean isHeld(String id, int maxPerPerson) throws SQLException {
    return Optional.ofNullable(positions(Set.of(id), maxPerPerson).get(id))
        .filter(QueuePosition::isHeldByPersonLimit)
        .isPresent();
  }

  /// @param byPeople the slots of runs that a person requested, not a program
  private record Slots(int all, int byPeople) {}

  /// The slots of running executions, by person.
  private Map<String, Slots> slots(int depth) throws SQLException {
    var slots = new HashMap<String, Slots>();
    rows.list(
            """
            SELECT COALESCE(root.creator_uid, '') AS person, COUNT(*) AS slots,
              SUM(CASE WHEN %s THEN 1 ELSE 0 END) AS by_people
            FROM %s WHERE runs.state = 'INPROGRESS' AND runs.depth = ?
            GROUP BY COALESCE(root.creator_uid, '')
            """
                .formatted(OF_PERSON, WITH_ROOT),
            row ->
                Map.entry(
                    row.getString("person"),
                    new Slots(row.getInt("slots"), row.getInt("by_people"))),
            depth)
        .forEach(entry -> slots.put(entry.getKey(), entry.getValue()));
    return slots;
  }

  /// The people who have reached the limit.
  private static Set<String> atLimit(Map<String, Slots> slots, int maxPerPerson) {
    return slots.entrySet().stream()
        .filter(each -> !each.getKey().isEmpty() && each.getValue().byPeople() >= maxPerPerson)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  /// Positions in the queue; runs that are not queued are left out.
  ///
  /// @param maxPerPerson maximum number of slots for the runs of one person
  Map<String, QueuePosition> positions(Collection<String> ids, int maxPerPerson)
      throws SQLException {
    if (ids.isEmpty()) {
      return Map.of();
    }
    var positions = new HashMap<String, QueuePosition>();
    var depths =
        rows.list(
            "SELECT DISTINCT depth FROM runs WHERE state = 'QUEUED'", row -> row.getInt("depth"));
    for (var depth : depths) {
      var slots = slots(depth);
      var queue = queue(depth, slots);
      var atLimit = atLimit(slots, maxPerPerson);
      for (int i = 0; i < queue.size(); i++) {
        var run = queue.get(i);
        if (ids.contains(run.run())) {
          var held = isHeld(run, atLimit) ? OptionalInt.of(maxPerPerson) : OptionalInt.empty();
          positions.put(run.run(), new QueuePosition(i + 1, held));
        }
      }
    }
    return positions;
  }

  private List<QueueOrder.Waiting> queue(int depth, Map<String, Slots> slots) throws SQLException {
    var waiting =
        rows.list(
            """
            SELECT runs.id AS id, COALESCE(root.creator_uid, '') AS person,
              runs.queued_at AS queued_at, CASE WHEN %s THEN 1 ELSE 0 END AS is_of_person
            FROM %s WHERE runs.state = 'QUEUED' AND runs.depth = ?
            """
                .formatted(OF_PERSON, WITH_ROOT),
            row ->
                new QueueOrder.Waiting(
                    row.getString("id"),
                    row.getString("person"),
                    row.getInt("is_of_person") != 0,
                    Rows.instant(row, "queued_at")),
            depth);
    var people = waiting.stream().map(QueueOrder.Waiting::person).distinct().limit(2).count();
    return QueueOrder.of(waiting, people < 2 ? Map.of() : served(slots, lastServedRoots()));
  }

  /// When root runs of people recently got a slot, by person.
  private Map<String, Instant> lastServedRoots() throws SQLException {
    var served = new HashMap<String, Instant>();
    rows.list(
            """
            SELECT %1$s AS person, MAX(%2$s) AS last FROM runs
            WHERE depth = 0 AND %2$s > (SELECT MAX(updated_at) FROM runs) - ?
              AND updated_at > (SELECT MAX(updated_at) FROM runs) - ?
            GROUP BY %1$s
            """
                .formatted(PERSON, SERVED),
            row -> Map.entry(row.getString("person"), Rows.instant(row, "last")),
            RECENT_MICROS,
            RECENT_MICROS)
        .forEach(entry -> served.put(entry.getKey(), entry.getValue()));
    return served;
  }

  /// The slots that people have and recently had, including those for follow-ups. Looking further
  /// back would read the whole table for each claim.
  ///
  /// @param ofRoots when root runs last got a slot, by person
  private Map<String, QueueOrder.Served> served(
      Map<String, Slots> slots, Map<String, Instant> ofRoots) throws SQLException {
    var last = new HashMap<>(ofRoots);
    rows.list(
            """
            SELECT COALESCE(root.creator_uid, '') AS person,
              MAX(COALESCE(runs.execution_started_at, runs.started_at)) AS last
            FROM %s
            WHERE runs.depth > 0 AND runs.started_at IS NOT NULL
              AND runs.updated_at > (SELECT MAX(updated_at) FROM runs) - ?
            GROUP BY COALESCE(root.creator_uid, '')
            """
                .formatted(WITH_ROOT),
            row -> Map.entry(row.getString("person"), Rows.instant(row, "last")),
            RECENT_MICROS)
        .forEach(
            entry ->
                last.merge(
                    entry.getKey(), entry.getValue(), (one, two) -> one.isAfter(two) ? one : two));
    var served = new HashMap<String, QueueOrder.Served>();
    slots.forEach(
        (person, current) ->
            served.put(person, new QueueOrder.Served(current.all(), Instant.EPOCH)));
    last.forEach(
        (person, at) ->
            served.put(
                person,
                new QueueOrder.Served(slots.getOrDefault(person, new Slots(0, 0)).all(), at)));
    return served;
  }
}
