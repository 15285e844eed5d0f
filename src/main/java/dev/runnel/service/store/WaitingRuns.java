package dev.runnel.service.store;

import dev.runnel.database.Rows;
import dev.runnel.service.run.limit.QueueOrder;
import dev.runnel.service.run.limit.QueuePlace;
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

/// The runs that wait for a slot, in the order of [QueueOrder]. What is asked for each claim reads
/// some rows for each person, however many runs wait.
final class WaitingRuns {
  /// How far back turns count, in the unit of times in rows.
  private static final long LATELY_MICROS =
      Duration.ofDays(1).dividedBy(ChronoUnit.MICROS.getDuration());

  /// Whether a person asked for a run, and not an account of a program. The form of
  /// [dev.runnel.service.run.ServiceJson]; in the value of another member the quotes would be
  /// escaped.
  private static final String OF_PERSON = "asked.creator LIKE '%\"type\":\"user\"%'";

  /// Runs beside the first run of their family, whose person they count for.
  private static final String WITH_ASKED =
      "runs JOIN runs asked ON asked.id = COALESCE(runs.root_run_id, runs.id)";

  /// As the indexes have it.
  private static final String OWN_PERSON = "COALESCE(creator_uid, '')";

  private static final String OWN_SERVED = "COALESCE(execution_started_at, started_at)";

  /// Runs that no run started. For them, [#WITH_ASKED] is the run itself.
  private static final String TOP = "state = 'QUEUED' AND depth = 0";

  /// For each person, the run that has waited longest, and when a run of the person got a slot.
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
      ) SELECT heads.person AS person, heads.last AS last, asked.id AS id,
        asked.queued_at AS queued_at, CASE WHEN %4$s THEN 1 ELSE 0 END AS is_of_person
      FROM heads JOIN runs asked ON asked.id = heads.id
      """
          .formatted(OWN_PERSON, TOP, OWN_SERVED, OF_PERSON);

  private final Rows rows;

  WaitingRuns(Rows rows) {
    this.rows = rows;
  }

  /// The run that gets the next free slot of a node. A run whose workspace is at a place of another
  /// node is left to that node, while it lives and for a short time after. A run is also left alone
  /// while processes of an earlier execution may live on this node, which would work in the same
  /// workspace. A run of a person whose runs have as many slots as they may have waits for one of
  /// those.
  ///
  /// @param mostOfPerson how many slots the runs of one person may have
  Optional<String> next(int depth, NodeMembership node, int mostOfPerson) throws SQLException {
    var leftAlone =
        Set.copyOf(
            rows.list(
                """
                SELECT id FROM runs WHERE state = 'QUEUED' AND place IN (
                  SELECT place FROM nodes WHERE place <> ? AND seen_at > ?)
                UNION SELECT run_id FROM claims WHERE node_name = ?
                """,
                row -> row.getString("id"),
                node.identity().place(),
                node.now().minus(node.lease()),
                node.identity().name()));
    var slots = slots(depth);
    var full = full(slots, mostOfPerson);
    // Runs below others are few, and count for the person of the first run of their family.
    return depth > 0
        ? queue(depth, slots).stream()
            .filter(run -> !leftAlone.contains(run.run()) && !isHeld(run, full))
            .map(QueueOrder.Waiting::run)
            .findFirst()
        : first(leftAlone, full, slots);
  }

  /// Of the runs that nobody's agent started.
  private Optional<String> first(Set<String> leftAlone, Set<String> full, Map<String, Slots> slots)
      throws SQLException {
    var heads = new ArrayList<QueueOrder.Head>();
    var served = new HashMap<String, Instant>();
    for (var head : heads()) {
      var run = head.run();
      if (isHeld(run, full)) {
        continue;
      }
      head.lastServed().ifPresent(at -> served.put(run.person(), at));
      var next =
          leftAlone.contains(run.run())
              ? longestWaiting(run.person(), leftAlone)
              : Optional.of(new QueueOrder.Head(run, 1));
      next.ifPresent(heads::add);
    }
    var isAlone = heads.size() < 2;
    return QueueOrder.first(heads, isAlone ? Map.of() : served(slots, served))
        .map(QueueOrder.Waiting::run);
  }

  /// The run of a person that has waited longest.
  ///
  /// @param lastServed when a run of the person last got a slot, but those below others
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
        LATELY_MICROS);
  }

  private Optional<QueueOrder.Head> longestWaiting(String person, Set<String> leftAlone)
      throws SQLException {
    var waiting =
        rows.list(
            """
            SELECT id, queued_at, CASE WHEN %s THEN 1 ELSE 0 END AS is_of_person
            FROM runs asked WHERE %s AND %s = ? ORDER BY queued_at, id LIMIT ?
            """
                .formatted(OF_PERSON, TOP, OWN_PERSON),
            row ->
                new QueueOrder.Waiting(
                    row.getString("id"),
                    person,
                    row.getInt("is_of_person") != 0,
                    Rows.instant(row, "queued_at")),
            person,
            leftAlone.size() + 1);
    for (int i = 0; i < waiting.size(); i++) {
      if (!leftAlone.contains(waiting.get(i).run())) {
        return Optional.of(new QueueOrder.Head(waiting.get(i), i + 1));
      }
    }
    return Optional.empty();
  }

  private static boolean isHeld(QueueOrder.Waiting run, Set<String> full) {
    return run.isOfPerson() && full.contains(run.person());
  }

  /// Whether a run waits until another one of the same person ends.
  boolean isHeld(String id, int mostOfPerson) throws SQLException {
    return Optional.ofNullable(places(Set.of(id), mostOfPerson).get(id))
        .filter(QueuePlace::isHeld)
        .isPresent();
  }

  /// @param byPeople those of the slots that a person asked for, and no program
  private record Slots(int all, int byPeople) {}

  /// The slots that people's runs have.
  private Map<String, Slots> slots(int depth) throws SQLException {
    var slots = new HashMap<String, Slots>();
    rows.list(
            """
            SELECT COALESCE(asked.creator_uid, '') AS person, COUNT(*) AS slots,
              SUM(CASE WHEN %s THEN 1 ELSE 0 END) AS by_people
            FROM %s WHERE runs.state = 'INPROGRESS' AND runs.depth = ?
            GROUP BY COALESCE(asked.creator_uid, '')
            """
                .formatted(OF_PERSON, WITH_ASKED),
            row ->
                Map.entry(
                    row.getString("person"),
                    new Slots(row.getInt("slots"), row.getInt("by_people"))),
            depth)
        .forEach(entry -> slots.put(entry.getKey(), entry.getValue()));
    return slots;
  }

  /// The people whose runs have as many slots as they may have, or more.
  private static Set<String> full(Map<String, Slots> slots, int mostOfPerson) {
    return slots.entrySet().stream()
        .filter(each -> !each.getKey().isEmpty() && each.getValue().byPeople() >= mostOfPerson)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  /// Positions in the queue; runs that are not queued are left out.
  ///
  /// @param mostOfPerson how many slots the runs of one person may have
  Map<String, QueuePlace> places(Collection<String> ids, int mostOfPerson) throws SQLException {
    if (ids.isEmpty()) {
      return Map.of();
    }
    var places = new HashMap<String, QueuePlace>();
    var depths =
        rows.list(
            "SELECT DISTINCT depth FROM runs WHERE state = 'QUEUED'", row -> row.getInt("depth"));
    for (var depth : depths) {
      var slots = slots(depth);
      var queue = queue(depth, slots);
      var full = full(slots, mostOfPerson);
      for (int i = 0; i < queue.size(); i++) {
        var run = queue.get(i);
        if (ids.contains(run.run())) {
          var held = isHeld(run, full) ? OptionalInt.of(mostOfPerson) : OptionalInt.empty();
          places.put(run.run(), new QueuePlace(i + 1, held));
        }
      }
    }
    return places;
  }

  private List<QueueOrder.Waiting> queue(int depth, Map<String, Slots> slots) throws SQLException {
    var waiting =
        rows.list(
            """
            SELECT runs.id AS id, COALESCE(asked.creator_uid, '') AS person,
              runs.queued_at AS queued_at, CASE WHEN %s THEN 1 ELSE 0 END AS is_of_person
            FROM %s WHERE runs.state = 'QUEUED' AND runs.depth = ?
            """
                .formatted(OF_PERSON, WITH_ASKED),
            row ->
                new QueueOrder.Waiting(
                    row.getString("id"),
                    row.getString("person"),
                    row.getInt("is_of_person") != 0,
                    Rows.instant(row, "queued_at")),
            depth);
    var people = waiting.stream().map(QueueOrder.Waiting::person).distinct().limit(2).count();
    return QueueOrder.of(waiting, people < 2 ? Map.of() : served(slots, ownServed()));
  }

  /// When runs of people last got a slot lately, but those below others.
  private Map<String, Instant> ownServed() throws SQLException {
    var served = new HashMap<String, Instant>();
    rows.list(
            """
            SELECT %1$s AS person, MAX(%2$s) AS last FROM runs
            WHERE depth = 0 AND %2$s > (SELECT MAX(updated_at) FROM runs) - ?
              AND updated_at > (SELECT MAX(updated_at) FROM runs) - ?
            GROUP BY %1$s
            """
                .formatted(OWN_PERSON, OWN_SERVED),
            row -> Map.entry(row.getString("person"), Rows.instant(row, "last")),
            LATELY_MICROS,
            LATELY_MICROS)
        .forEach(entry -> served.put(entry.getKey(), entry.getValue()));
    return served;
  }

  /// The slots that people have, and had lately, including those for follow-ups. Looking further
  /// back would read the whole table for each claim.
  ///
  /// @param own by runs that no run started
  private Map<String, QueueOrder.Served> served(Map<String, Slots> slots, Map<String, Instant> own)
      throws SQLException {
    var last = new HashMap<>(own);
    rows.list(
            """
            SELECT COALESCE(asked.creator_uid, '') AS person,
              MAX(COALESCE(runs.execution_started_at, runs.started_at)) AS last
            FROM %s
            WHERE runs.depth > 0 AND runs.started_at IS NOT NULL
              AND runs.updated_at > (SELECT MAX(updated_at) FROM runs) - ?
            GROUP BY COALESCE(asked.creator_uid, '')
            """
                .formatted(WITH_ASKED),
            row -> Map.entry(row.getString("person"), Rows.instant(row, "last")),
            LATELY_MICROS)
        .forEach(
            entry ->
                last.merge(
                    entry.getKey(), entry.getValue(), (one, two) -> one.isAfter(two) ? one : two));
    var served = new HashMap<String, QueueOrder.Served>();
    slots.forEach(
        (person, has) -> served.put(person, new QueueOrder.Served(has.all(), Instant.EPOCH)));
    last.forEach(
        (person, at) ->
            served.put(
                person,
                new QueueOrder.Served(slots.getOrDefault(person, new Slots(0, 0)).all(), at)));
    return served;
  }
}
