package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The configuration of a run's agent (the API's `AmbientAgentConfig`). All members are optional.
///
/// @param name label for grouping and filtering; default: the skill's name if a skill starts the
///   run
/// @param modelId default: the team's default model
/// @param basePrompt instructions that precede the prompt
/// @param environmentId the environment to run in
/// @param skillSpec `owner/repo:skill-name` or `owner/repo:path/to/SKILL.md`
/// @param mcpServers tool servers by name
/// @param computerUseEnabled the default differs between versions of the service
/// @param idleTimeoutMinutes how long the environment is kept after the end, 1 to 60 minutes;
///   default: 10
/// @param workerHost a self-hosted worker; absent or `warp` for a hosted one
/// @param skills several skills; mutually exclusive with `skillSpec`
/// @param experimental set by the service
/// @param more members unknown to this version, unchanged
@GenerateBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AgentConfig(
    @JsonProperty("name") @Nullable String name,
    @JsonProperty("model_id") @Nullable String modelId,
    @JsonProperty("base_prompt") @Nullable String basePrompt,
    @JsonProperty("environment_id") @Nullable String environmentId,
    @JsonProperty("skill_spec") @Nullable String skillSpec,
    @JsonProperty("mcp_servers") @Nullable Map<String, McpServer> mcpServers,
    @JsonProperty("computer_use_enabled") @Nullable Boolean computerUseEnabled,
    @JsonProperty("computer_use_model_id") @Nullable String computerUseModelId,
    @JsonProperty("idle_timeout_minutes") @Nullable Integer idleTimeoutMinutes,
    @JsonProperty("worker_host") @Nullable String workerHost,
    @JsonProperty("harness") @Nullable Harness harness,
    @JsonProperty("harness_auth_secrets") @Nullable HarnessAuthSecrets harnessAuthSecrets,
    @JsonProperty("skills") @Nullable List<String> skills,
    @JsonProperty("runner_id") @Nullable String runnerId,
    @JsonProperty("session_sharing") @Nullable SessionSharing sessionSharing,
    @JsonProperty("memory_stores") @Nullable List<MemoryStore> memoryStores,
    @JsonProperty("inference_providers") @Nullable InferenceProviders inferenceProviders,
    @JsonProperty("credential_strategy") @Nullable CredentialStrategy credentialStrategy,
    @JsonProperty("secrets") @Nullable List<SecretName> secrets,
    @JsonProperty("experimental") @Nullable JsonNode experimental,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public AgentConfig {
    mcpServers = mcpServers == null ? null : DefensiveCopies.map(mcpServers);
    skills = skills == null ? null : DefensiveCopies.list(skills);
    memoryStores = memoryStores == null ? null : DefensiveCopies.list(memoryStores);
    secrets = secrets == null ? null : DefensiveCopies.list(secrets);
    more = DefensiveCopies.map(more);
  }

  public static AgentConfigBuilder builder() {
    return AgentConfigBuilder.builder();
  }

  /// Returns a builder with the values of this record.
  public AgentConfigBuilder toBuilder() {
    return AgentConfigBuilder.builder(this);
  }
}
