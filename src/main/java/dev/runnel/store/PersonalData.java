package dev.runnel.store;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.Store.Schedules.Schedule;
import dev.runnel.database.Database;
import dev.runnel.database.Like;
import dev.runnel.database.Rows;
import dev.runnel.store.audit.AuditRow;
import dev.runnel.store.row.StoredJson;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Finds the runs and a person's data in the bot's tables, also while a server is running.
public final class PersonalData {
  private final Database database;

  /// @param database the bot's database, already migrated
  public PersonalData(Database database) {
    this.database = database;
  }

  /// A person's stable id.
  ///
  /// @param surface `slack`
  /// @param team `T012AB`; empty for all
  /// @param actor `U012345`
  public record PersonId(String surface, Optional<String> team, String actor) {
    private static final Pattern FORM =
        Pattern.compile("^([a-z][a-z0-9-]*):(?:([^/\\s]+)/)?(\\S+)");

    /// Reads `slack:U012345` or `slack:T012AB/U012345`; empty if it has another form.
    public static Optional<PersonId> parse(String text) {
      var match = FORM.matcher(text);
      return match.matches()
          ? Optional.of(
              new PersonId(match.group(1), Optional.ofNullable(match.group(2)), match.group(3)))
          : Optional.empty();
    }

    boolean isSender(Delivery delivery) {
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

    /// The id by which the audit log and the starts name the person.
    String id() {
      return new Actor(actor, actor).idOn(new SurfaceId(surface));
    }

    /// A pattern for the ids of the conversations where the person may have written.
    String conversations() {
      return Like.escaped(surface + ":") + team.map(it -> Like.escaped(it) + "/").orElse("") + "%";
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
          for (var table : Erasure.BINDINGS) {
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
          var own = requested(rows, person);
          var deliveries = new LinkedHashSet<String>();
          sent(rows, person).forEach(delivery -> deliveries.add(delivery.id().value()));
          scheduled(rows, person).forEach(it -> deliveries.add(it.template().id().value()));
          var others = new LinkedHashSet<String>();
          for (var entry : audited(rows, person)) {
            entry.delivery().ifPresent(deliveries::add);
            entry.run().filter(run -> !own.contains(run)).ifPresent(others::add);
          }
          return new Traces(withActivity(rows, own), others, deliveries);
        });
  }

  /// The ids of the runs that the person requested.
  static Set<String> requested(Rows rows, PersonId person) throws SQLException {
    var requested = new LinkedHashSet<String>();
    for (var table : Erasure.BINDINGS) {
      rows
          .list(
              "SELECT body FROM %s WHERE body LIKE ? ESCAPE '!'".formatted(table),
              row ->
                  readable(row.getString(1), Binding.class)
                      .filter(person::isRequester)
                      .map(binding -> binding.run().id().value()),
              Like.containing(person.actor()))
          .stream()
          .flatMap(Optional::stream)
          .forEach(requested::add);
    }
    return requested;
  }

  private static List<KnownRun> withActivity(Rows rows, Set<String> runs) throws SQLException {
    var all = new ArrayList<KnownRun>();
    for (var run : runs) {
      var isActive = false;
      for (var table : Erasure.BINDINGS) {
        isActive |=
            rows.first(
                    "SELECT 1 FROM %s WHERE run = ? AND active = 1".formatted(table),
                    row -> row.getInt(1),
                    run)
                .isPresent();
      }
      all.add(new KnownRun(run, isActive));
    }
    return all;
  }

  /// The entries of the audit log about the person's actions.
  static List<AuditRow.Personal> audited(Rows rows, PersonId person) throws SQLException {
    return rows
        .list("SELECT personal FROM audit WHERE actor = ?", row -> row.getString(1), person.id())
        .stream()
        .flatMap(json -> readable(json, AuditRow.Personal.class).stream())
        .filter(entry -> person.team().isEmpty() || person.team().equals(entry.team()))
        .toList();
  }

  /// The messages that the person sent.
  static List<Delivery> sent(Rows rows, PersonId person) throws SQLException {
    return rows
        .list(
            "SELECT body FROM inbox WHERE body LIKE ? ESCAPE '!'",
            row -> readable(row.getString(1), Delivery.class).filter(person::isSender),
            Like.containing(person.actor()))
        .stream()
        .flatMap(Optional::stream)
        .toList();
  }

  /// The schedules that the person created.
  static List<Schedule> scheduled(Rows rows, PersonId person) throws SQLException {
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

  /// Reads a row's body; empty if it is unreadable.
  static <T> Optional<T> readable(@Nullable String json, Class<T> type) {
    try {
      return json == null ? Optional.empty() : Optional.of(StoredJson.read(json, type));
    } catch (StoredJson.Unreadable e) {
      return Optional.empty();
    }
  }
}
