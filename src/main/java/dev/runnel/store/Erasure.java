package dev.runnel.store;

import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.RunId;
import dev.runnel.database.Database;
import dev.runnel.database.DatabaseException;
import dev.runnel.database.Like;
import dev.runnel.database.Rows;
import dev.runnel.store.PersonalData.PersonId;
import dev.runnel.store.audit.AuditLog;
import dev.runnel.store.audit.AuditRow;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
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
  static final List<String> BINDINGS = List.of("bindings", "bindings_aside");

  private final Database database;

  /// @param database the bot's database, already migrated
  public Erasure(Database database) {
    this.database = database;
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
        PersonalData.readable(body.getLast(), Binding.class)
            .flatMap(binding -> binding.run().delivery())
            .map(DeliveryId::value)
            .ifPresent(deliveries::add);
      }
    }
    rows.list("SELECT personal FROM audit WHERE run = ?", row -> row.getString(1), run).stream()
        .flatMap(json -> PersonalData.readable(json, AuditRow.Personal.class).stream())
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
    return PersonalData.readable(body, Binding.class)
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
    // Read first, because the steps remove the rows by which others are found.
    var entries = PersonalData.audited(rows, person);
    var sent = PersonalData.sent(rows, person);
    var deliveries = new LinkedHashSet<String>();
    sent.forEach(delivery -> deliveries.add(delivery.id().value()));
    entries.forEach(entry -> entry.delivery().ifPresent(deliveries::add));
    var names = new LinkedHashSet<String>();
    sent.forEach(delivery -> names.add(delivery.actor().name()));
    return forgetSchedules(rows, person)
        + forgetRequestedRuns(rows, person)
        + forgetDeliveries(rows, deliveries, true)
        + forgetMentions(rows, person)
        + forgetNoticesNaming(rows, names, person)
        + replaceInRunsOfOthers(rows, person)
        + forgetStarts(rows, person)
        + forgetApprovals(rows, person)
        + forgetSessions(rows, person)
        // Defaults of a person, and a freeze of all starts, belong to no team.
        + (person.team().isEmpty() || !entries.isEmpty() ? forgetSettings(rows, person) : 0)
        + blankAuditEntries(rows, person);
  }

  private static int forgetSchedules(Rows rows, PersonId person) throws SQLException {
    var sum = 0;
    for (var schedule : PersonalData.scheduled(rows, person)) {
      sum += rows.change("DELETE FROM schedules WHERE id = ?", schedule.id());
    }
    return sum;
  }

  private static int forgetRequestedRuns(Rows rows, PersonId person) throws SQLException {
    var sum = 0;
    for (var run : PersonalData.requested(rows, person)) {
      sum += forgetRun(rows, run, true);
    }
    return sum;
  }

  /// Removes the posts and the processed messages that contain the person's id.
  private static int forgetMentions(Rows rows, PersonId person) throws SQLException {
    var here = person.conversations();
    var about = Like.containing("\"" + person.actor() + "\"");
    var mentioned = Like.containing("@" + person.actor());
    return forgetNotices(
            rows,
            true,
            "conversation LIKE ? ESCAPE '!' AND (body LIKE ? ESCAPE '!' OR body LIKE ? ESCAPE '!')",
            here,
            about,
            mentioned)
        + rows.change(
            "DELETE FROM inbox WHERE state <> 0 AND conversation LIKE ? ESCAPE '!' AND (body LIKE ?"
                + " ESCAPE '!' OR body LIKE ? ESCAPE '!')",
            here,
            about,
            mentioned)
        + rows.change(
            "DELETE FROM askers WHERE conversation LIKE ? ESCAPE '!' AND body LIKE ? ESCAPE '!'",
            here,
            about);
  }

  /// Removes answers to others that may contain only the name.
  private static int forgetNoticesNaming(Rows rows, Set<String> names, PersonId person)
      throws SQLException {
    var sum = 0;
    for (var name : names) {
      sum += forgetNoticesNaming(rows, name, person.conversations());
    }
    return sum;
  }

  private static int replaceInRunsOfOthers(Rows rows, PersonId person) throws SQLException {
    var sum = 0;
    for (var table : BINDINGS) {
      sum += rename(rows, table, person.conversations(), person.actor());
    }
    return sum;
  }

  private static int forgetStarts(Rows rows, PersonId person) throws SQLException {
    return rows.change(
        "DELETE FROM starts WHERE person = ? AND place LIKE ? ESCAPE '!'",
        person.id(),
        person.conversations());
  }

  private static int forgetApprovals(Rows rows, PersonId person) throws SQLException {
    return rows.change(
            "DELETE FROM approvals WHERE person = ? AND conversation LIKE ? ESCAPE '!'",
            person.actor(),
            person.conversations())
        + rows.change(
            "UPDATE approvals SET decider = ?, decided_by = ? WHERE decider = ? AND conversation"
                + " LIKE ? ESCAPE '!'",
            NOBODY,
            NOBODY,
            person.actor(),
            person.conversations());
  }

  private static int forgetSessions(Rows rows, PersonId person) throws SQLException {
    var place = person.surface() + ":";
    var ofTeam =
        rows.change(
            "DELETE FROM console_sessions WHERE person = ?",
            place + person.team().map(team -> team + "/").orElse("") + person.actor());
    return person.team().isPresent()
        ? ofTeam
        : ofTeam
            + rows.change(
                "DELETE FROM console_sessions WHERE person LIKE ? ESCAPE '!'",
                Like.escaped(place) + "%/" + Like.escaped(person.actor()));
  }

  /// Removes the person's defaults, and replaces the person in the freeze and in the defaults of
  /// places.
  private static int forgetSettings(Rows rows, PersonId person) throws SQLException {
    return rows.change(
            "UPDATE start_freeze SET freezer = ?, frozen_by = ? WHERE freezer = ?",
            NOBODY,
            NOBODY,
            person.id())
        + rows.change(
            "DELETE FROM preferences WHERE place = ?", person.surface() + ":@" + person.actor())
        + rows.change(
            "UPDATE preferences SET set_by = ? WHERE set_by = ? AND place LIKE ? ESCAPE '!'",
            NOBODY,
            person.actor(),
            Like.escaped(person.surface()) + "%");
  }

  private static int blankAuditEntries(Rows rows, PersonId person) throws SQLException {
    return person.team().isPresent()
        ? blank(
            rows,
            "actor = ? AND personal LIKE ? ESCAPE '!'",
            person.id(),
            Like.containing("\"team\":\"" + person.team().get() + "\""))
        : blank(
            rows,
            "actor = ? OR personal LIKE ? ESCAPE '!'",
            person.id(),
            Like.containing("\"" + person.id() + "\""));
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

  /// A run service may use short ids, which may also occur in other texts. They are only matched as
  /// JSON values.
  private static String naming(String run) {
    return Like.containing(run.length() < MIN_UNIQUE_LENGTH ? "\"" + run + "\"" : run);
  }
}
