package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What creates a run (the interface's `RunAgentRequest`).
///
/// @param prompt needed unless a skill is named or a conversation is continued
/// @param title made up by the service when absent
/// @param skill `repo:name`, `owner/repo:name` or `owner/repo:path`; wins over the configuration's
/// @param team whether the run belongs to the team; when absent so for members of just one
/// @param agentIdentityUid as whom the agent works; for runs of a team
/// @param conversationId an earlier conversation that this new run continues
/// @param attachments at most 5
/// @param parentRunId the run that starts this one
/// @param interactive false when absent
/// @param mode `normal` when absent
/// @param metadata at most 20; names of 1 to 64 of `[a-zA-Z0-9._-]`, values up to 256 bytes
/// @param onBehalfOf e-mail or id of the team member the run is for
/// @param more what this version does not know, as it came
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CreateRun(
    @JsonProperty("prompt") @Nullable String prompt,
    @JsonProperty("config") @Nullable AgentConfig config,
    @JsonProperty("title") @Nullable String title,
    @JsonProperty("skill") @Nullable String skill,
    @JsonProperty("team") @Nullable Boolean team,
    @JsonProperty("agent_identity_uid") @Nullable String agentIdentityUid,
    @JsonProperty("conversation_id") @Nullable String conversationId,
    @JsonProperty("attachments") @Nullable List<Attachment> attachments,
    @JsonProperty("parent_run_id") @Nullable String parentRunId,
    @JsonProperty("interactive") @Nullable Boolean interactive,
    @JsonProperty("mode") @Nullable RunMode mode,
    @JsonProperty("metadata") @Nullable Map<String, String> metadata,
    @JsonProperty("on_behalf_of") @Nullable String onBehalfOf,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public CreateRun {
    attachments = attachments == null ? null : Copies.list(attachments);
    metadata = metadata == null ? null : Copies.map(metadata);
    more = Copies.map(more);
  }

  public static Builder builder() {
    return new Builder();
  }

  /// A builder that holds what this one does.
  public Builder toBuilder() {
    var builder = new Builder();
    builder.prompt = prompt;
    builder.config = config;
    builder.title = title;
    builder.skill = skill;
    builder.team = team;
    builder.agentIdentityUid = agentIdentityUid;
    builder.conversationId = conversationId;
    builder.attachments = attachments;
    builder.parentRunId = parentRunId;
    builder.interactive = interactive;
    builder.mode = mode;
    builder.metadata = metadata;
    builder.onBehalfOf = onBehalfOf;
    builder.more.putAll(more);
    return builder;
  }

  /// A run that has nothing but a prompt.
  public static CreateRun of(String prompt) {
    return builder().prompt(prompt).build();
  }

  /// Whether there is something to do: a prompt, a skill, or a conversation to continue.
  @JsonIgnore
  public boolean hasTask() {
    var inConfig =
        config != null
            && (isSaid(config.skillSpec())
                || (config.skills() != null && !config.skills().isEmpty()));
    return isSaid(prompt) || isSaid(skill) || isSaid(conversationId) || inConfig;
  }

  private static boolean isSaid(@Nullable String text) {
    return text != null && !text.isBlank();
  }

  /// Without what people wrote.
  @Override
  public String toString() {
    return "CreateRun[skill=%s, conversationId=%s, metadata=%s]"
        .formatted(skill, conversationId, metadata == null ? null : metadata.keySet());
  }

  /// Not for several threads.
  public static final class Builder {
    private @Nullable String prompt;
    private @Nullable AgentConfig config;
    private @Nullable String title;
    private @Nullable String skill;
    private @Nullable Boolean team;
    private @Nullable String agentIdentityUid;
    private @Nullable String conversationId;
    private @Nullable List<Attachment> attachments;
    private @Nullable String parentRunId;
    private @Nullable Boolean interactive;
    private @Nullable RunMode mode;
    private @Nullable Map<String, String> metadata;
    private @Nullable String onBehalfOf;
    private final Map<String, JsonNode> more = new LinkedHashMap<>();

    private Builder() {}

    public Builder prompt(String prompt) {
      this.prompt = prompt;
      return this;
    }

    public Builder config(AgentConfig config) {
      this.config = config;
      return this;
    }

    public Builder title(String title) {
      this.title = title;
      return this;
    }

    public Builder skill(String skill) {
      this.skill = skill;
      return this;
    }

    public Builder team(Boolean team) {
      this.team = team;
      return this;
    }

    public Builder agentIdentityUid(String agentIdentityUid) {
      this.agentIdentityUid = agentIdentityUid;
      return this;
    }

    public Builder conversationId(String conversationId) {
      this.conversationId = conversationId;
      return this;
    }

    public Builder attachments(List<Attachment> attachments) {
      this.attachments = attachments;
      return this;
    }

    public Builder parentRunId(String parentRunId) {
      this.parentRunId = parentRunId;
      return this;
    }

    public Builder interactive(Boolean interactive) {
      this.interactive = interactive;
      return this;
    }

    public Builder mode(RunMode mode) {
      this.mode = mode;
      return this;
    }

    public Builder metadata(Map<String, String> metadata) {
      this.metadata = metadata;
      return this;
    }

    /// Adds one.
    public Builder metadata(String name, String value) {
      var all = new LinkedHashMap<String, String>(metadata == null ? Map.of() : metadata);
      all.put(name, value);
      metadata = all;
      return this;
    }

    public Builder onBehalfOf(String onBehalfOf) {
      this.onBehalfOf = onBehalfOf;
      return this;
    }

    /// Any other member; a JSON null is sent as such.
    public Builder member(String name, JsonNode value) {
      more.put(name, value);
      return this;
    }

    /// @throws IllegalStateException when something needed is missing
    public CreateRun build() {
      var run =
          new CreateRun(
              prompt,
              config,
              title,
              skill,
              team,
              agentIdentityUid,
              conversationId,
              attachments,
              parentRunId,
              interactive,
              mode,
              metadata,
              onBehalfOf,
              more);
      if (!run.hasTask()) {
        throw new IllegalStateException(
            "A run needs a prompt, a skill, or a conversation to continue");
      }
      return new CreateRun(
          prompt,
          config,
          title,
          skill,
          team,
          agentIdentityUid,
          conversationId,
          attachments,
          parentRunId,
          interactive,
          mode,
          metadata,
          onBehalfOf,
          more);
    }
  }
}
