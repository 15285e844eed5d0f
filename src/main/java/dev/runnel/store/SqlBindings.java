package dev.runnel.store;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.PostRef;
import dev.runnel.core.model.RunId;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.core.port.Store;
import dev.runnel.database.Rows;
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

  private final Rows rows;
  private final Set<RunId> changed = new HashSet<>();

  SqlBindings(Rows rows) {
    this.rows = rows;
  }

  /// The runs whose bindings this transaction wrote.
  Set<RunId> changed() {
    return changed;
  }

  @Override
  public Optional<Binding> of(Conversation conversation) {
    return Queue.sql(
        () ->
            rows.first(
                "SELECT * FROM bindings WHERE conversation = ?",
                SqlBindings::binding,
                conversation.id()));
  }

  @Override
  public Optional<Binding> of(RunId run) {
    return Queue.sql(
        () ->
            rows.first("SELECT * FROM bindings WHERE run = ?", SqlBindings::binding, run.value()));
  }

  @Override
  public List<Binding> active() {
    return readable("SELECT * FROM bindings WHERE active = 1");
  }

  @Override
  public int countActive() {
    return Queue.sql(
        () ->
            rows.first("SELECT count(*) FROM bindings WHERE active = 1", row -> row.getInt(1))
                .orElse(0));
  }

  @Override
  public List<Binding> recent(Optional<SurfaceId> surface, String place, int limit) {
    // A range would depend on the database's collation.
    var prefix = surface.map(id -> id + ":" + place).orElse("");
    return readable(
        "SELECT * FROM bindings WHERE substr(conversation, 1, length(?)) = ? ORDER BY since DESC"
            + " LIMIT ?",
        prefix,
        prefix,
        limit);
  }

  /// One that cannot be read must not hide the others.
  private List<Binding> readable(String sql, Object... parameters) {
    return Queue.sql(
        () ->
            rows
                .list(
                    sql,
                    row -> {
                      try {
                        return Optional.of(binding(row));
                      } catch (Json.Unreadable e) {
                        log.warn(
                            "{} conversation={}", e.getMessage(), row.getString("conversation"));
                        return Optional.<Binding>empty();
                      }
                    },
                    parameters)
                .stream()
                .flatMap(Optional::stream)
                .toList());
  }

  @Override
  public boolean save(Binding binding) {
    changed.add(binding.run().id());
    return binding.version() == 0 ? insert(binding) : update(binding);
  }

  private boolean insert(Binding binding) {
    return Queue.sql(
            () ->
                rows.change(
                    "INSERT INTO bindings (conversation, run, active, since, status_post, version,"
                        + " body) VALUES (?, ?, ?, ?, ?, 1, ?) ON CONFLICT (conversation) DO UPDATE"
                        + " SET run = excluded.run, active = excluded.active, since ="
                        + " excluded.since, status_post = excluded.status_post, version ="
                        + " bindings.version + 1, body = excluded.body",
                    binding.conversation().id(),
                    binding.run().id().value(),
                    binding.isActive(),
                    binding.since(),
                    binding.status().map(PostRef::value).orElse(null),
                    Json.write(binding)))
        == 1;
  }

  private boolean update(Binding binding) {
    return Queue.sql(
            () ->
                rows.change(
                    "UPDATE bindings SET run = ?, active = ?, version = version + 1, body = ? WHERE"
                        + " conversation = ? AND version = ?",
                    binding.run().id().value(),
                    binding.isActive(),
                    Json.write(binding),
                    binding.conversation().id(),
                    binding.version()))
        == 1;
  }

  @Override
  public void statusPosted(Conversation conversation, RunId run, PostRef status) {
    changed.add(run);
    Queue.sql(
        () ->
            rows.change(
                "UPDATE bindings SET status_post = ?, version = version + 1 WHERE conversation = ?"
                    + " AND run = ?",
                status.value(),
                conversation.id(),
                run.value()));
  }

  /// The status post and the version live in columns of their own.
  private static Binding binding(ResultSet row) throws SQLException {
    var body = Json.read(row.getString("body"), Binding.class);
    return new Binding(
        body.conversation(),
        body.run(),
        body.requester(),
        body.request(),
        body.origin(),
        Rows.text(row, "status_post").map(PostRef::new),
        body.since(),
        body.reopened(),
        body.stop(),
        row.getLong("version"));
  }
}
