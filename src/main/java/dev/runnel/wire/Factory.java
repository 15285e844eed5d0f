package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A group of agents that accepts work.
///
/// @param codeForge the first of its code forges: `GITHUB`, `GITLAB`, `AZURE_DEVOPS`, `NONE`
/// @param avatarUrl expires after a short time
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Factory(
    @JsonProperty("uid") String uid,
    @JsonProperty("name") @Nullable String name,
    @JsonProperty("alias") @Nullable String alias,
    @JsonProperty("description") @Nullable String description,
    @JsonProperty("team_uid") @Nullable String teamUid,
    @JsonProperty("default_environment") @Nullable String defaultEnvironment,
    @JsonProperty("default_model") @Nullable String defaultModel,
    @JsonProperty("repositories") List<JsonNode> repositories,
    @JsonProperty("integrations") List<JsonNode> integrations,
    @JsonProperty("agent_defaults") @Nullable JsonNode agentDefaults,
    @JsonProperty("credential_strategy") @Nullable CredentialStrategy credentialStrategy,
    @JsonProperty("code_forge") @Nullable String codeForge,
    @JsonProperty("created_at") @Nullable Instant createdAt,
    @JsonProperty("updated_at") @Nullable Instant updatedAt,
    @JsonProperty("avatar_url") @Nullable String avatarUrl,
    @JsonProperty("code_forges") List<String> codeForges,
    @JsonProperty("scorer_defaults") @Nullable JsonNode scorerDefaults,
    @JsonProperty("scoring") @Nullable JsonNode scoring,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public Factory {
    DefensiveCopies.requireText(uid, "uid");
    repositories = DefensiveCopies.list(repositories);
    integrations = DefensiveCopies.list(integrations);
    codeForges = DefensiveCopies.list(codeForges);
    more = DefensiveCopies.map(more);
  }
}
