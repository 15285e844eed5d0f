package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A request to create an agent identity.
///
/// @param memory attached stores and automatic memory
/// @param agentType its role in a factory
/// @param more members unknown to this version, unchanged
@GenerateBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CreateIdentity(
    @JsonProperty("name") String name,
    @JsonProperty("description") @Nullable String description,
    @JsonProperty("prompt") @Nullable String prompt,
    @JsonProperty("environment_id") @Nullable String environmentId,
    @JsonProperty("base_model") @Nullable String baseModel,
    @JsonProperty("base_harness") @Nullable String baseHarness,
    @JsonProperty("harness") @Nullable Harness harness,
    @JsonProperty("harness_auth_secrets") @Nullable HarnessAuthSecrets harnessAuthSecrets,
    @JsonProperty("skills") @Nullable List<String> skills,
    @JsonProperty("secrets") @Nullable List<SecretName> secrets,
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
  public CreateIdentity {
    DefensiveCopies.requireText(name, "name");
    skills = skills == null ? null : DefensiveCopies.list(skills);
    secrets = secrets == null ? null : DefensiveCopies.list(secrets);
    mcpServers = mcpServers == null ? null : DefensiveCopies.map(mcpServers);
    more = DefensiveCopies.map(more);
  }

  public static CreateIdentityBuilder builder() {
    return CreateIdentityBuilder.builder();
  }

  /// Returns a builder with the values of this record.
  public CreateIdentityBuilder toBuilder() {
    return CreateIdentityBuilder.builder(this);
  }
}
