package dev.runnel.service.http;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.runnel.wire.CloudEnvironment;
import dev.runnel.wire.HandoffAttachment;
import dev.runnel.wire.Identity;
import dev.runnel.wire.Schedule;
import dev.runnel.wire.Skill;
import dev.runnel.wire.TimelineEvent;
import dev.runnel.wire.Worker;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Bodies for which `wire` has no record, because the client returns only what is in them. They
/// describe the routes.
final class ResponseBodies {
  private ResponseBodies() {}

  record Timeline(@JsonProperty("events") List<TimelineEvent> events) {}

  record HandoffAttachments(@JsonProperty("attachments") List<HandoffAttachment> attachments) {}

  record Skills(@JsonProperty("agents") List<Skill> agents) {}

  record Environments(@JsonProperty("environments") List<CloudEnvironment> environments) {}

  record Workers(@JsonProperty("workers") List<Worker> workers) {}

  record Identities(@JsonProperty("agents") List<Identity> agents) {}

  record Schedules(@JsonProperty("schedules") List<Schedule> schedules) {}

  record RunReference(@JsonProperty("run_id") String runId) {}

  /// @param scope `all`, `runs` (the default) or `read`
  record CreateKey(
      @JsonProperty("name") String name, @JsonProperty("scope") @Nullable String scope) {}

  record Key(
      @JsonProperty("id") String id,
      @JsonProperty("name") String name,
      @JsonProperty("scope") String scope,
      @JsonProperty("created_at") Instant createdAt,
      @JsonProperty("revoked_at") @Nullable Instant revokedAt) {}

  /// @param key the secret
  record CreatedKey(
      @JsonProperty("id") String id,
      @JsonProperty("name") String name,
      @JsonProperty("scope") String scope,
      @JsonProperty("created_at") Instant createdAt,
      @JsonProperty("key") String key) {}

  record Keys(@JsonProperty("keys") List<Key> keys) {}
}
