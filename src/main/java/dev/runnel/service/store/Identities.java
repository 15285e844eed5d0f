package dev.runnel.service.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.database.Database;
import dev.runnel.database.Rows;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.ToolServerSecrets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/// Agent identities: those created over the API, stored as sent with unknown members included, and
/// those of the configured factories, which are read-only. They are returned with the secrets of
/// tool servers masked.
///
/// @param configured the identities of factories by uid, as the API shows them
public record Identities(
    Database database, InstantSource clock, Map<String, ObjectNode> configured) {
  static final String TYPE = "agent_type";
  static final String FOREMAN = "FOREMAN";

  private static final List<String> READ_ONLY_MEMBERS =
      List.of("uid", "available", "created_at", "updated_at");

  /// Members of an identity, and the names of the same members in a run's configuration.
  private static final Map<String, String> NAMES =
      Map.of(
          "name", "name",
          "prompt", "base_prompt",
          "environment_id", "environment_id",
          "base_model", "model_id",
          "harness", "harness",
          "harness_auth_secrets", "harness_auth_secrets",
          "mcp_servers", "mcp_servers",
          "skills", "skills",
          "credential_strategy", "credential_strategy",
          "worker_host", "worker_host");

  public ObjectNode create(ObjectNode request) {
    var uid = UUID.randomUUID().toString();
    var now = clock.instant().truncatedTo(ChronoUnit.MICROS);
    var body = request.deepCopy();
    body.remove(READ_ONLY_MEMBERS);
    body.properties().removeIf(member -> member.getValue().isNull());
    ToolServerSecrets.requireNoMask(body);
    database.write(
        rows ->
            rows.change(
                """
                INSERT INTO identities (uid, name, body, created_at, updated_at)
                VALUES (?, ?, ?, ?, ?)
                """,
                uid,
                body.path("name").asText(),
                body.toString(),
                now,
                now));
    return masked(show(uid, body, now, now));
  }

  /// Identities of factories first, then created ones ordered by name.
  ///
  /// @param factoryUid if present, only identities of this factory
  public List<ObjectNode> list(Optional<String> factoryUid) {
    List<ObjectNode> created =
        database.read(
            rows -> rows.list("SELECT * FROM identities ORDER BY name, uid", Identities::read));
    return Stream.concat(configured.values().stream(), created.stream())
        .filter(
            identity ->
                factoryUid.isEmpty()
                    || factoryUid.get().equals(identity.path("factory_uid").asText()))
        .map(Identities::masked)
        .toList();
  }

  public Optional<ObjectNode> find(String uid) {
    return stored(uid).map(Identities::masked);
  }

  /// Whether the identity exists and belongs to the factory.
  public boolean isOfFactory(String uid, String factoryUid) {
    return stored(uid)
        .filter(identity -> factoryUid.equals(identity.path("factory_uid").asText()))
        .isPresent();
  }

  /// Whether the identity is the foreman of a factory. Only a dispatch may give a foreman work.
  public boolean isForeman(String uid) {
    return configured.containsKey(uid) && configured.get(uid).path(TYPE).asText().equals(FOREMAN);
  }

  private Optional<ObjectNode> stored(String uid) {
    return configured.containsKey(uid)
        ? Optional.of(configured.get(uid))
        : database.read(
            rows -> rows.first("SELECT * FROM identities WHERE uid = ?", Identities::read, uid));
  }

  /// Changes an identity: a missing or null member keeps its value, as does a masked secret; an
  /// empty one clears it, any other replaces it.
  public Optional<ObjectNode> update(String uid, ObjectNode changes) {
    requireNotConfigured(uid);
    var now = clock.instant().truncatedTo(ChronoUnit.MICROS);
    return database.write(
        rows -> {
          var found = rows.first("SELECT * FROM identities WHERE uid = ?", Identities::read, uid);
          if (found.isEmpty()) {
            return Optional.empty();
          }
          var createdAt = Instant.parse(found.get().path("created_at").asText());
          var body = found.get().deepCopy();
          body.remove(READ_ONLY_MEMBERS);
          var unmasked = changes.deepCopy();
          ToolServerSecrets.unmask(unmasked, body);
          ToolServerSecrets.requireNoMask(unmasked);
          unmasked
              .properties()
              .forEach(
                  member -> {
                    var value = member.getValue();
                    if (isCleared(value)) {
                      body.remove(member.getKey());
                    } else if (!value.isNull() && !READ_ONLY_MEMBERS.contains(member.getKey())) {
                      body.set(member.getKey(), value);
                    }
                  });
          if (body.path("name").asText("").isBlank()) {
            throw RequestProblem.invalid("An agent identity needs a name");
          }
          rows.change(
              "UPDATE identities SET name = ?, body = ?, updated_at = ? WHERE uid = ?",
              body.path("name").asText(),
              body.toString(),
              now,
              uid);
          return Optional.of(masked(show(uid, body, createdAt, now)));
        });
  }

  private static boolean isCleared(JsonNode value) {
    return value.isTextual()
        ? value.textValue().isEmpty()
        : value.isContainerNode() && value.isEmpty();
  }

  public boolean delete(String uid) {
    requireNotConfigured(uid);
    return database.write(rows -> rows.change("DELETE FROM identities WHERE uid = ?", uid) > 0);
  }

  /// Applies the configuration of the identity that the run names, for members that the run leaves
  /// out.
  ///
  /// @throws RequestProblem if there is no such identity
  public NewRun withIdentity(NewRun run) {
    return run.identityUid().map(uid -> run.withDefaults(config(uid))).orElse(run);
  }

  /// The run configuration of an identity.
  ///
  /// @throws RequestProblem if there is no such identity
  private ObjectNode config(String uid) {
    var identity =
        stored(uid).orElseThrow(() -> RequestProblem.invalid("agent_identity_uid names no agent"));
    var config = ServiceJson.newObject();
    NAMES.forEach(
        (identityMember, configMember) -> {
          var value = identity.path(identityMember);
          if (value.isValueNode() ? !value.isNull() : !value.isEmpty()) {
            config.set(configMember, value);
          }
        });
    return config;
  }

  private void requireNotConfigured(String uid) {
    if (configured.containsKey(uid)) {
      throw new RequestProblem(
          RequestProblem.Code.OPERATION_NOT_SUPPORTED,
          "This agent belongs to a factory; change it in the configuration");
    }
  }

  private static ObjectNode masked(ObjectNode identity) {
    var shown = identity.deepCopy();
    ToolServerSecrets.mask(shown);
    return shown;
  }

  private static ObjectNode read(ResultSet row) throws SQLException {
    return show(
        row.getString("uid"),
        (ObjectNode) ServiceJson.read(row.getString("body")),
        Rows.instant(row, "created_at"),
        Rows.instant(row, "updated_at"));
  }

  private static ObjectNode show(String uid, ObjectNode body, Instant created, Instant updated) {
    var json = ServiceJson.newObject();
    json.put("uid", uid);
    json.put("available", true);
    json.put("created_at", created.toString());
    json.put("updated_at", updated.toString());
    json.setAll(body);
    complete(json);
    return json;
  }

  /// Adds the members that every response has.
  static void complete(ObjectNode identity) {
    for (var list : List.of("skills", "secrets")) {
      if (!identity.has(list)) {
        identity.putArray(list);
      }
    }
    if (!identity.has("default_runner_uid")) {
      identity.put("default_runner_uid", "");
    }
    if (!identity.has("memory")) {
      var memory = identity.putObject("memory");
      memory.putArray("attached_stores");
      memory.putObject("auto_memory").put("enabled", false);
    }
  }
}
