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

/// An agent identity, also called a named agent.
///
/// @param memory attached stores and automatic memory
/// @param agentType its role in a factory
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Identity(
    @JsonProperty("uid") String uid,
    @JsonProperty("name") @Nullable String name,
    @JsonProperty("available") @Nullable Boolean available,
    @JsonProperty("created_at") @Nullable Instant createdAt,
    @JsonProperty("updated_at") @Nullable Instant updatedAt,
    @JsonProperty("description") @Nullable String description,
    @JsonProperty("prompt") @Nullable String prompt,
    @JsonProperty("environment_id") @Nullable String environmentId,
    @JsonProperty("base_model") @Nullable String baseModel,
    @JsonProperty("base_harness") @Nullable String baseHarness,
    @JsonProperty("harness") @Nullable Harness harness,
    @JsonProperty("harness_auth_secrets") @Nullable HarnessAuthSecrets harnessAuthSecrets,
    @JsonProperty("skills") List<String> skills,
    @JsonProperty("secrets") List<SecretName> secrets,
    @JsonProperty("mcp_servers") @Nullable Map<String, McpServer> mcpServers,
    @JsonProperty("memory") @Nullable JsonNode memory,
    @JsonProperty("inference_providers") @Nullable InferenceProviders inferenceProviders,
    @JsonProperty("credential_strategy") @Nullable CredentialStrategy credentialStrategy,
    @JsonProperty("agent_type") @Nullable String agentType,
    @JsonProperty("worker_host") @Nullable String workerHost,
    @JsonProperty("default_runner_uid") @Nullable String defaultRunnerUid,
    @JsonProperty("on_behalf_of_enabled") @Nullable Boolean onBehalfOfEnabled,
    @JsonProperty("factory_uid") @Nullable String factoryUid,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public Identity {
    DefensiveCopies.requireText(uid, "uid");
    skills = DefensiveCopies.list(skills);
    secrets = DefensiveCopies.list(secrets);
    mcpServers = mcpServers == null ? null : DefensiveCopies.map(mcpServers);
    more = DefensiveCopies.map(more);
  }
}
