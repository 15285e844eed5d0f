package dev.runnel.store;

import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Store.Schedules.Schedule;
import dev.runnel.database.Database;
import dev.runnel.database.DatabaseException;
import dev.runnel.database.Like;
import dev.runnel.database.Rows;
import dev.runnel.store.audit.AuditLog;
import dev.runnel.store.audit.AuditRow;
import dev.runnel.store.row.StoredJson;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Removes a run or a person from the bot's tables, also while a server is running. Their entries
/// in the audit log lose their personal part; the chain of hashes stays valid.
public final class Erasure {
  /// Replaces a person's name and id in the runs of others.
  private static final String NOBODY = "forgotten";

  /// An id of at least this length does not occur in other texts by chance.
  private static final int MIN_UNIQUE_LENGTH = 16;

  /// The end of a condition on the rows of a queue.
  private static final String EXCEPT_WAITING = " AND state <> 0";

  private static final Logger log = LoggerFactory.getLogger(Erasure.class);
  private static final List<String> BINDINGS = List.of("bindings", "bindings_aside");

  private final Database database;

  /// @param database the bot's database, already migrated
  public Erasure(Database database) {
    this.database = database;
  }

  /// A person's stable id.
  ///
  /// @param surface `slack`
  /// @param team `T012AB`; empty for all
  /// @param actor `U012345`
  public record PersonId(String surface, Optional<String> team, String actor) {
    private static final Pattern FORM = Pattern.compile("([a-z][a-z0-9-]*):(?:([^/\\s]+)/)?(\\S+)");

    /// Reads `slack:U012345` or `slack:T012AB/U012345`; empty if it has another form.
    public static Optional<PersonId> parse(String text) {
      var match = FORM.matcher(text);
      return match.matches()
          ? Optional.of(
              new PersonId(match.group(1), Optional.ofNullable(match.group(2)), match.group(3)))
          : Optional.empty();
    }

    private boolean isSender(Delivery delivery) {
      return delivery.actor().id().equals(actor)
          && (delivery.id().surface().value().equals(surface)
              || delivery.conversation().surface().value().equals(surface))
          && isIn(delivery.conversation());
    }

    private boolean isRequester(Binding binding) {
      return binding.requester().id().equals(actor)
          && binding.conversation().surface().value().equals(surface)
          && isIn(binding.conversation());
    }

    private boolean isIn(Conversation conversation) {
      return team.isEmpty() || conversation.key().startsWith(team.get() + "/");
    }
  }

  /// A run as the bot knows it.
  ///
  /// @param active whether it has not ended
  public record KnownRun(String id, boolean active) {}

  /// The data about a person.
  ///
  /// @param own the runs that they requested
  /// @param others the runs of others that they wrote to
  /// @param deliveries the ids of their messages
  public record Traces(List<KnownRun> own, Set<String> others, Set<String> deliveries) {
    public boolean isEmpty() {
      return own.isEmpty() && others.isEmpty() && deliveries.isEmpty();
    }
  }

  /// The runs whose id begins with the prefix; those that are only in the audit log have ended.
  public List<KnownRun> runs(String prefix) {
    return database.read(
        rows -> {
          var found = new ArrayList<KnownRun>();
          for (var table : BINDINGS) {
            found.addAll(
                rows.list(
                    "SELECT run, active FROM %s WHERE run LIKE ? ESCAPE '!'".formatted(table),
                    row -> new KnownRun(row.getString(1), row.getInt(2) == 1),
                    Like.prefix(prefix)));
          }
          var known = found.stream().map(KnownRun::id).toList();
          rows
              .list(
                  "SELECT DISTINCT run FROM audit WHERE run LIKE ? ESCAPE '!'",
                  row -> row.getString(1),
                  Like.prefix(prefix))
              .stream()
              .filter(run -> !known.contains(run))
              .forEach(run -> found.add(new KnownRun(run, false)));
          return found;
        });
  }

  public Traces traces(PersonId person) {
    return database.read(
        rows -> {
          var own = new ArrayList<KnownRun>();
          for (var table : BINDINGS) {
            rows
                .list(
                    "SELECT body, active FROM %s WHERE body LIKE ? ESCAPE '!'".formatted(table),
                    row ->
                        readable(row.getString(1), Binding.class)
                            .filter(person::isRequester)
                            .map(it -> it.run().id().value()),
                    Like.containing(person.actor()))
                .stream()
                .flatMap(Optional::stream)
                .map(run -> new KnownRun(run, false))
                .forEach(own::add);
          }
          var deliveries = new LinkedHashSet<String>();
          sent(rows, person).forEach(delivery -> deliveries.add(delivery.id().value()));
          scheduled(rows, person).forEach(it -> deliveries.add(it.template().id().value()));
          var others = new LinkedHashSet<String>();
          var ownIds = new LinkedHashSet<>(own.stream().map(KnownRun::id).toList());
          for (var entry : audited(rows, person)) {
            entry.delivery().ifPresent(deliveries::add);
            entry.run().filter(run -> !ownIds.contains(run)).ifPresent(others::add);
          }
          return new Traces(active(rows, own), others, deliveries);
        });
  }

  private static List<KnownRun> active(Rows rows, List<KnownRun> runs) throws SQLException {
    var all = new ArrayList<KnownRun>();
    for (var run : runs) {
      var isActive = false;
      for (var table : BINDINGS) {
        isActive |=
            rows.first(
                    "SELECT 1 FROM %s WHERE run = ? AND active = 1".formatted(table),
                    row -> row.getInt(1),
                    run.id())
                .isPresent();
      }
      all.add(new KnownRun(run.id(), isActive));
    }
    return all;
  }

  private static List<AuditRow.Personal> audited(Rows rows, PersonId person) throws SQLException {
    return rows
        .list(
            "SELECT personal FROM audit WHERE actor = ?",
            row -> row.getString(1),
            person.surface() + ":" + person.actor())
        .stream()
        .flatMap(json -> readable(json, AuditRow.Personal.class).stream())
        .filter(entry -> person.team().isEmpty() || person.team().equals(entry.team()))
        .toList();
  }

  private static List<Delivery> sent(Rows rows, PersonId person) throws SQLException {
    return rows
        .list(
            "SELECT body FROM inbox WHERE body LIKE ? ESCAPE '!'",
            row -> readable(row.getString(1), Delivery.class).filter(person::isSender),
            Like.containing(person.actor()))
        .stream()
        .flatMap(Optional::stream)
        .toList();
  }

  private static List<Schedule> scheduled(Rows rows, PersonId person) throws SQLException {
    return rows
        .list(
            "SELECT body FROM schedules WHERE body LIKE ? ESCAPE '!'",
            row ->
                readable(row.getString(1), Schedule.class)
                    .filter(it -> person.isSender(it.template())),
            Like.containing(person.actor()))
        .stream()
        .flatMap(Optional::stream)
        .toList();
  }

  /// Removes a run that has ended.
  ///
  /// @return number of rows removed or changed
  public int forgetRun(String run) {
    return database.write(rows -> forgetRun(rows, run, true));
  }

  /// @param whole whether to remove everything; else waiting rows stay, and so do the starts and
  ///   the audit log
  private static int forgetRun(Rows rows, String run, boolean whole) throws SQLException {
    var deliveries = new LinkedHashSet<String>();
    var conversations = new LinkedHashSet<String>();
    for (var table : BINDINGS) {
      for (var body :
          rows.list(
              "SELECT conversation, body FROM %s WHERE run = ?".formatted(table),
              row -> List.of(row.getString(1), row.getString(2)),
              run)) {
        conversations.add(body.getFirst());
        readable(body.getLast(), Binding.class)
            .flatMap(binding -> binding.run().delivery())
            .map(DeliveryId::value)
            .ifPresent(deliveries::add);
      }
    }
    rows.list("SELECT personal FROM audit WHERE run = ?", row -> row.getString(1), run).stream()
        .flatMap(json -> readable(json, AuditRow.Personal.class).stream())
        .forEach(entry -> entry.delivery().ifPresent(deliveries::add));
    var sum = forgetPullRequests(rows, run);
    for (var table : BINDINGS) {
      sum += rows.change("DELETE FROM %s WHERE run = ?".formatted(table), run);
    }
    for (var table :
        List.of("askers", "pull_requests", "pushed_pull_requests", "guest_conversations")) {
      sum += rows.change("DELETE FROM %s WHERE run = ?".formatted(table), run);
    }
    if (whole) {
      sum += rows.change("DELETE FROM starts WHERE run = ?", run);
    }
    for (var conversation : conversations) {
      sum += forgetConversation(rows, conversation, whole);
    }
    var about = naming(run);
    deliveries.addAll(
        rows.list(
            "SELECT id FROM inbox WHERE body LIKE ? ESCAPE '!' OR note LIKE ? ESCAPE '!' OR seen"
                + " LIKE ? ESCAPE '!' OR why LIKE ? ESCAPE '!'",
            row -> row.getString(1),
            about,
            about,
            about,
            about));
    sum += forgetDeliveries(rows, deliveries, whole);
    sum +=
        forgetNotices(
            rows,
            whole,
            "status_of = ? OR body LIKE ? ESCAPE '!' OR why LIKE ? ESCAPE '!'",
            run,
            about,
            about);
    return whole ? sum + blank(rows, "run = ? OR personal LIKE ? ESCAPE '!'", run, about) : sum;
  }

  /// Removes the states and follow-ups of the pull requests that the run opened.
  private static int forgetPullRequests(Rows rows, String run) throws SQLException {
    var sum = 0;
    for (var table : List.of("pull_request_states", "pull_request_follow_ups")) {
      for (var opened : List.of("pull_requests", "pushed_pull_requests")) {
        sum +=
            rows.change(
                "DELETE FROM %s WHERE address IN (SELECT address FROM %s WHERE run = ?)"
                    .formatted(table, opened),
                run);
      }
    }
    return sum;
  }

  /// A run that ended long ago, as read.
  record OldRun(String table, String id, String conversation, long version) {}

  /// Removes the runs that ended before a time, one in each commit. A run for which a row waits
  /// stays until the next call. The audit log keeps its entries, which have their own retention,
  /// and gets an entry for each removal; if that cannot be written, the run stays.
  ///
  /// @return number of runs
  public int forgetRunsBefore(Instant before, Instant now) {
    var sum = 0;
    for (var run : endedBefore(before)) {
      try {
        sum += forgetOld(run, now) ? 1 : 0;
      } catch (DatabaseException e) {
        if (e.isUnreachable()) {
          throw e;
        }
        log.warn("old run not deleted, will retry run={} error={}", run.id(), e.toString());
      }
    }
    return sum;
  }

  List<OldRun> endedBefore(Instant before) {
    var all = new ArrayList<OldRun>();
    for (var table : BINDINGS) {
      database
          .<List<Optional<OldRun>>>read(
              rows ->
                  rows.list(
                      "SELECT run, conversation, version, body FROM %s WHERE active = 0 AND since < ?"
                          .formatted(table),
                      row ->
                          endedBefore(row.getString("body"), before)
                              ? Optional.of(
                                  new OldRun(
                                      table,
                                      row.getString("run"),
                                      row.getString("conversation"),
                                      row.getLong("version")))
                              : Optional.empty(),
                      before))
          .stream()
          .flatMap(Optional::stream)
          .forEach(all::add);
    }
    return all;
  }

  private static boolean endedBefore(String body, Instant before) {
    return readable(body, Binding.class)
        .filter(binding -> binding.run().updatedAt().orElse(binding.since()).isBefore(before))
        .isPresent();
  }

  /// @return false if the run changed since it was read, or if a row waits for it
  boolean forgetOld(OldRun run, Instant now) {
    return database.write(
        rows -> {
          // Locks the row until the commit.
          var isUnchanged =
              rows.change(
                      "UPDATE %s SET version = version WHERE run = ? AND active = 0 AND version = ?"
                          .formatted(run.table()),
                      run.id(),
                      run.version())
                  > 0;
          if (!isUnchanged || isWaitedFor(rows, run)) {
            return false;
          }
          int _ = forgetRun(rows, run.id(), false);
          AuditLog.add(
              rows,
              AuditEntry.of(
                      now,
                      AuditEntry.Person.RUNNEL,
                      AuditEntry.Verb.FORGET,
                      "a run that ended long ago")
                  .about(new RunId(run.id())));
          return true;
        });
  }

  private static boolean isWaitedFor(Rows rows, OldRun run) throws SQLException {
    var about = naming(run.id());
    for (var queue : List.of("inbox", "outbox")) {
      if (rows.first(
              "SELECT 1 FROM %s WHERE state = 0 AND (conversation = ? OR body LIKE ? ESCAPE '!')"
                  .formatted(queue),
              row -> row.getInt(1),
              run.conversation(),
              about)
          .isPresent()) {
        return true;
      }
    }
    return false;
  }

  /// Removes starts from before a time. The newest start of each person stays, because rules may
  /// depend on whether it is a person's first run.
  ///
  /// @return number of starts
  public int forgetStartsBefore(Instant before) {
    return database.write(
        rows ->
            rows.change(
                "DELETE FROM starts WHERE at < ? AND EXISTS (SELECT 1 FROM starts AS later WHERE"
                    + " later.person = starts.person AND later.at > starts.at)",
                before));
  }

  /// Removes the messages and posts of a conversation that has no other run.
  private static int forgetConversation(Rows rows, String conversation, boolean whole)
      throws SQLException {
    for (var table : BINDINGS) {
      if (rows.first(
              "SELECT 1 FROM %s WHERE conversation = ?".formatted(table),
              row -> row.getInt(1),
              conversation)
          .isPresent()) {
        return 0;
      }
    }
    var deliveries =
        rows.list(
            "SELECT id FROM inbox WHERE conversation = ?", row -> row.getString(1), conversation);
    return forgetDeliveries(rows, deliveries, whole)
        + forgetNotices(rows, whole, "conversation = ?", conversation)
        + rows.change("DELETE FROM askers WHERE conversation = ?", conversation)
        + rows.change("DELETE FROM guest_conversations WHERE conversation = ?", conversation)
        + rows.change("DELETE FROM issue_claims WHERE conversation = ?", conversation)
        + (whole ? rows.change("DELETE FROM schedules WHERE conversation = ?", conversation) : 0)
        + rows.change("DELETE FROM scheduled_tasks WHERE task_instance = ?", conversation);
  }

  /// @param whole false to keep those that wait, and the starts
  private static int forgetDeliveries(Rows rows, Iterable<String> ids, boolean whole)
      throws SQLException {
    var sum = 0;
    for (var id : ids) {
      var deleted =
          rows.change(
              "DELETE FROM inbox WHERE (id = ? OR part_of = ?)" + (whole ? "" : EXCEPT_WAITING),
              id,
              id);
      if (whole) {
        sum += rows.change("DELETE FROM starts WHERE delivery = ?", id);
      }
      if (whole || deleted > 0) {
        sum += rows.change("DELETE FROM approvals WHERE delivery = ?", id);
      }
      // The rows of a waiting delivery are still needed.
      for (var table : List.of("issue_claims", "pull_request_follow_ups")) {
        sum +=
            rows.change(
                "DELETE FROM %s WHERE delivery = ? AND NOT EXISTS (SELECT 1 FROM inbox WHERE id = ?)"
                    .formatted(table),
                id,
                id);
      }
      // An old delivery has no notices, and searching for them is slow.
      if (deleted > 0) {
        sum +=
            deleted
                + rows.change("DELETE FROM turns WHERE holder = ?", id)
                + forgetNotices(
                    rows,
                    whole,
                    "id LIKE ? ESCAPE '!' OR body LIKE ? ESCAPE '!'",
                    Like.containing(id),
                    Like.containing(id));
      }
    }
    return sum;
  }

  /// Removes the posts that contain the name as a separate word. Waiting ones are kept, because
  /// they may be for others.
  private static int forgetNoticesNaming(Rows rows, String name, String here) throws SQLException {
    if (name.isBlank()) {
      return 0;
    }
    var word = Pattern.compile("(?<![\\p{L}\\p{N}])" + Pattern.quote(name) + "(?![\\p{L}\\p{N}])");
    var sum = 0;
    for (var notice :
        rows.list(
            "SELECT id, body FROM outbox WHERE state <> 0 AND conversation LIKE ? ESCAPE '!' AND"
                + " body LIKE ? ESCAPE '!'",
            row -> List.of(row.getString(1), row.getString(2)),
            here,
            Like.containing(name))) {
      if (word.matcher(notice.getLast()).find()) {
        sum += forgetNotices(rows, true, "id = ?", notice.getFirst());
      }
    }
    return sum;
  }

  private static int forgetNotices(Rows rows, boolean whole, String where, String... parameters)
      throws SQLException {
    var ids =
        rows.list(
            "SELECT id FROM outbox WHERE (%s)%s".formatted(where, whole ? "" : EXCEPT_WAITING),
            row -> row.getString(1),
            (Object[]) parameters);
    var sum = 0;
    for (var id : ids) {
      sum +=
          rows.change("DELETE FROM outbox WHERE id = ?", id)
              + rows.change("DELETE FROM turns WHERE holder = ?", id);
    }
    return sum;
  }

  private static int blank(Rows rows, String where, String... parameters) throws SQLException {
    return rows.change(
        "UPDATE audit SET personal = NULL, salt = NULL, actor = NULL, run = NULL WHERE " + where,
        (Object[]) parameters);
  }

  /// Removes a person, and the runs that they requested. In the runs of others, a placeholder
  /// replaces them.
  ///
  /// @return number of rows removed or changed
  public int forgetPerson(PersonId person) {
    return database.write(rows -> forgetPerson(rows, person));
  }

  private static int forgetPerson(Rows rows, PersonId person) throws SQLException {
    var actor = person.actor();
    var sum = 0;
    var entries = audited(rows, person);
    var deliveries = new LinkedHashSet<String>();
    var names = new LinkedHashSet<String>();
    for (var delivery : sent(rows, person)) {
      deliveries.add(delivery.id().value());
      names.add(delivery.actor().name());
    }
    entries.forEach(entry -> entry.delivery().ifPresent(deliveries::add));
    for (var schedule : scheduled(rows, person)) {
      sum += rows.change("DELETE FROM schedules WHERE id = ?", schedule.id());
    }
    for (var table : BINDINGS) {
      for (var run :
          rows.list(
              "SELECT body FROM %s WHERE body LIKE ? ESCAPE '!'".formatted(table),
              row ->
                  readable(row.getString(1), Binding.class)
                      .filter(person::isRequester)
                      .map(binding -> binding.run().id().value()),
              Like.containing(actor))) {
        if (run.isPresent()) {
          sum += forgetRun(rows, run.get(), true);
        }
      }
    }
    sum += forgetDeliveries(rows, deliveries, true);
    var place = person.surface() + ":";
    var here =
        Like.escaped(place) + person.team().map(team -> Like.escaped(team) + "/").orElse("") + "%";
    var about = Like.containing("\"" + actor + "\"");
    var mentioned = Like.containing("@" + actor);
    sum +=
        forgetNotices(
            rows,
            true,
            "conversation LIKE ? ESCAPE '!' AND (body LIKE ? ESCAPE '!' OR body LIKE ? ESCAPE '!')",
            here,
            about,
            mentioned);
    sum +=
        rows.change(
            "DELETE FROM inbox WHERE state <> 0 AND conversation LIKE ? ESCAPE '!' AND (body LIKE ?"
                + " ESCAPE '!' OR body LIKE ? ESCAPE '!')",
            here,
            about,
            mentioned);
    sum +=
        rows.change(
            "DELETE FROM askers WHERE conversation LIKE ? ESCAPE '!' AND body LIKE ? ESCAPE '!'",
            here,
            about);
    // Answers to others may contain only the name.
    for (var name : names) {
      sum += forgetNoticesNaming(rows, name, here);
    }
    for (var table : BINDINGS) {
      sum += rename(rows, table, here, actor);
    }
    sum +=
        rows.change(
            "DELETE FROM starts WHERE person = ? AND place LIKE ? ESCAPE '!'", place + actor, here);
    sum +=
        rows.change(
            "DELETE FROM approvals WHERE person = ? AND conversation LIKE ? ESCAPE '!'",
            actor,
            here);
    sum +=
        rows.change(
            "UPDATE approvals SET decider = ?, decided_by = ? WHERE decider = ? AND conversation"
                + " LIKE ? ESCAPE '!'",
            NOBODY,
            NOBODY,
            actor,
            here);
    sum +=
        rows.change(
            "DELETE FROM console_sessions WHERE person = ?",
            place + person.team().map(team -> team + "/").orElse("") + actor);
    // Defaults of a person, and a freeze of all starts, belong to no team.
    if (person.team().isEmpty() || !entries.isEmpty()) {
      sum +=
          rows.change(
              "UPDATE start_freeze SET freezer = ?, frozen_by = ? WHERE freezer = ?",
              NOBODY,
              NOBODY,
              place + actor);
      sum += rows.change("DELETE FROM preferences WHERE place = ?", place + "@" + actor);
      sum +=
          rows.change(
              "UPDATE preferences SET set_by = ? WHERE set_by = ? AND place LIKE ? ESCAPE '!'",
              NOBODY,
              actor,
              Like.escaped(person.surface()) + "%");
    }
    if (person.team().isEmpty()) {
      sum +=
          rows.change(
              "DELETE FROM console_sessions WHERE person LIKE ? ESCAPE '!'",
              Like.escaped(place) + "%/" + Like.escaped(actor));
      return sum
          + blank(
              rows,
              "actor = ? OR personal LIKE ? ESCAPE '!'",
              place + actor,
              Like.containing("\"" + place + actor + "\""));
    }
    return sum
        + blank(
            rows,
            "actor = ? AND personal LIKE ? ESCAPE '!'",
            place + actor,
            Like.containing("\"team\":\"" + person.team().get() + "\""));
  }

  /// Replaces a person in the bindings of others.
  private static int rename(Rows rows, String table, String here, String actor)
      throws SQLException {
    var quoted = Pattern.quote(actor);
    var person =
        Pattern.compile("\\{\"id\":\"" + quoted + "\",\"name\":\"(?:[^\"\\\\]|\\\\.)*\"\\}");
    var mention = Pattern.compile("\"" + quoted + "\"|@" + quoted + "\\b");
    var sum = 0;
    for (var binding :
        rows.list(
            "SELECT run, body FROM %s WHERE conversation LIKE ? ESCAPE '!' AND body LIKE ? ESCAPE '!'"
                .formatted(table),
            row -> List.of(row.getString(1), row.getString(2)),
            here,
            Like.containing(actor))) {
      var body =
          person
              .matcher(binding.getLast())
              .replaceAll("{\"id\":\"%s\",\"name\":\"%s\"}".formatted(NOBODY, NOBODY));
      body =
          mention
              .matcher(body)
              .replaceAll(
                  match -> match.group().startsWith("@") ? "@" + NOBODY : "\"" + NOBODY + "\"");
      sum +=
          rows.change(
              "UPDATE %s SET body = ?, version = version + 1 WHERE run = ?".formatted(table),
              body,
              binding.getFirst());
    }
    return sum;
  }

  /// Adds an entry to the audit log that something was removed, without identifying it.
  public void audit(AuditEntry entry) {
    new AuditLog(database).add(entry);
  }

  private static <T> Optional<T> readable(@Nullable String json, Class<T> type) {
    try {
      return json == null ? Optional.empty() : Optional.of(StoredJson.read(json, type));
    } catch (StoredJson.Unreadable e) {
      return Optional.empty();
    }
  }

  /// A run service may use short ids, which may also occur in other texts. They are only matched as
  /// JSON values.
  private static String naming(String run) {
    return Like.containing(run.length() < MIN_UNIQUE_LENGTH ? "\"" + run + "\"" : run);
  }
}
