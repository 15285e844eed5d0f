package dev.runnel.store;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Store;
import dev.runnel.database.Rows;
import dev.runnel.store.row.Statements;
import dev.runnel.store.row.StoredJson;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Bindings in the table `bindings`.
final class SqlBindings implements Store.Bindings {
  private static final Logger log = LoggerFactory.getLogger(SqlBindings.class);

  private static final String COLUMNS = "conversation, run, since, status_post, version, body";

  private static final String OF_RUN =
      "SELECT %1$s FROM bindings WHERE run = ? UNION ALL SELECT %1$s FROM bindings_aside WHERE run = ? LIMIT 1"
          .formatted(COLUMNS);

  private final Statements rows;
  private final SqlPullRequests pullRequests;
  private final SqlStarts starts;
  private final Set<RunId> changed = new HashSet<>();

  SqlBindings(Statements rows, SqlPullRequests pullRequests, SqlStarts starts) {
    this.rows = rows;
    this.pullRequests = pullRequests;
    this.starts = starts;
  }

  /// The runs whose bindings this transaction wrote.
  Set<RunId> changed() {
    return changed;
  }

  @Override
  public Optional<Binding> of(Conversation conversation) {
    return rows.first(
        "SELECT %s FROM bindings WHERE conversation = ?".formatted(COLUMNS),
        SqlBindings::binding,
        conversation.id());
  }

  @Override
  public Optional<Binding> of(RunId run) {
    return rows.first(OF_RUN, SqlBindings::binding, run.value(), run.value());
  }

  /// The run's binding; empty also if it cannot be read.
  Optional<Binding> ifReadable(RunId run) {
    return readable(OF_RUN, run.value(), run.value()).stream().findFirst();
  }

  @Override
  public List<Binding> active() {
    return readable(
        "SELECT %1$s FROM bindings WHERE active = 1 UNION ALL SELECT %1$s FROM bindings_aside WHERE active = 1"
            .formatted(COLUMNS));
  }

  @Override
  public int countActive() {
    return rows.first(
            "SELECT (SELECT count(*) FROM bindings WHERE active = 1) + (SELECT count(*)"
                + " FROM bindings_aside WHERE active = 1)",
            row -> row.getInt(1))
        .orElse(0);
  }

  @Override
  public boolean hasActive() {
    return rows.first(
            "SELECT 1 WHERE EXISTS (SELECT 1 FROM bindings WHERE active = 1) OR EXISTS (SELECT 1"
                + " FROM bindings_aside WHERE active = 1)",
            _ -> true)
        .isPresent();
  }

  @Override
  public List<Binding> recent(Optional<SurfaceId> surface, String place, int limit) {
    // A range would depend on the database's collation.
    var prefix = surface.map(id -> id + ":" + place).orElse("");
    return readable(
        "SELECT %1$s FROM bindings WHERE substr(conversation, 1, length(?)) = ? UNION ALL SELECT %1$s FROM bindings_aside WHERE substr(conversation, 1, length(?)) = ? ORDER BY since DESC LIMIT ?"
            .formatted(COLUMNS),
        prefix,
        prefix,
        prefix,
        prefix,
        limit);
  }

  /// Scans the ids in their index; a range would depend on the database's collation.
  @Override
  public List<Binding> startingWith(String id, int limit) {
    var runs =
        rows.list(
            "SELECT run FROM bindings WHERE substr(run, 1, length(?)) = ? UNION ALL SELECT"
                + " run FROM bindings_aside WHERE substr(run, 1, length(?)) = ? LIMIT ?",
            row -> new RunId(row.getString("run")),
            id,
            id,
            id,
            id,
            limit);
    return runs.stream().flatMap(run -> of(run).stream()).toList();
  }

  /// Skips unreadable rows, which must not hide the others.
  private List<Binding> readable(String sql, Object... parameters) {
    return rows
        .list(
            sql,
            row -> {
              try {
                return Optional.of(binding(row));
              } catch (StoredJson.Unreadable e) {
                log.warn("{} conversation={}", e.getMessage(), row.getString("conversation"));
                return Optional.<Binding>empty();
              }
            },
            parameters)
        .stream()
        .flatMap(Optional::stream)
        .toList();
  }

  @Override
  public boolean save(Binding binding) {
    changed.add(binding.run().id());
    var isSaved = binding.version() == 0 ? insert(binding) : update(binding);
    if (isSaved) {
      pullRequests.saveOpened(binding.run());
      starts.saveUsage(binding.run());
    }
    return isSaved;
  }

  private boolean insert(Binding binding) {
    var run = binding.run().id().value();
    var before =
        rows.first(
            "SELECT run FROM bindings WHERE conversation = ? AND run <> ?",
            row -> new RunId(row.getString("run")),
            binding.conversation().id(),
            run);
    if (before.isPresent()) {
      setAside(before.get());
    }
    rows.change("DELETE FROM bindings_aside WHERE run = ?", run);
    return rows.change(
            "INSERT INTO bindings (conversation, run, active, since, status_post, version,"
                + " body) VALUES (?, ?, ?, ?, ?, 1, ?) ON CONFLICT (conversation) DO UPDATE"
                + " SET run = excluded.run, active = excluded.active, since ="
                + " excluded.since, status_post = excluded.status_post, version ="
                + " bindings.version + 1, body = excluded.body",
            binding.conversation().id(),
            run,
            binding.isActive(),
            binding.since(),
            binding.status().map(PostRef::value).orElse(null),
            StoredJson.write(binding))
        == 1;
  }

  private void setAside(RunId run) {
    changed.add(run);
    rows.change(
        "INSERT INTO bindings_aside (run, conversation, active, since, status_post, version, body)"
            + " SELECT run, conversation, active, since, status_post, version, body FROM bindings"
            + " WHERE run = ? ON CONFLICT (run) DO NOTHING",
        run.value());
  }

  private boolean update(Binding binding) {
    return inEither(
        "SET active = ?, version = version + 1, body = ? WHERE conversation = ? AND run = ? AND"
            + " version = ?",
        binding.isActive(),
        StoredJson.write(binding),
        binding.conversation().id(),
        binding.run().id().value(),
        binding.version());
  }

  @Override
  public void statusPosted(Conversation conversation, RunId run, PostRef status) {
    changed.add(run);
    inEither(
        "SET status_post = ?, version = version + 1 WHERE conversation = ? AND run = ?",
        status.value(),
        conversation.id(),
        run.value());
  }

  private boolean inEither(String change, Object... parameters) {
    return rows.change("UPDATE bindings " + change, parameters) == 1
        || rows.change("UPDATE bindings_aside " + change, parameters) == 1;
  }

  @Override
  public void release(Conversation conversation, RunId run) {
    changed.add(run);
    for (var table : List.of("bindings", "bindings_aside")) {
      rows.change(
          "DELETE FROM %s WHERE conversation = ? AND run = ?".formatted(table),
          conversation.id(),
          run.value());
    }
  }

  /// The status post and the version are stored in columns of their own.
  private static Binding binding(ResultSet row) throws SQLException {
    return StoredJson.read(row.getString("body"), Binding.class)
        .withStatus(Rows.text(row, "status_post").map(PostRef::new))
        .withVersion(row.getLong("version"));
  }
}
