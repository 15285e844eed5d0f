package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
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
    mcpServers = mcpServers == null ? null : Copies.map(mcpServers);
    skills = skills == null ? null : Copies.list(skills);
    memoryStores = memoryStores == null ? null : Copies.list(memoryStores);
    secrets = secrets == null ? null : Copies.list(secrets);
    more = Copies.map(more);
  }

  public static Builder builder() {
    return new Builder();
  }

  /// Returns a builder with the values of this record.
  public Builder toBuilder() {
    var builder = new Builder();
    builder.name = name;
    builder.modelId = modelId;
    builder.basePrompt = basePrompt;
    builder.environmentId = environmentId;
    builder.skillSpec = skillSpec;
    builder.mcpServers = mcpServers;
    builder.computerUseEnabled = computerUseEnabled;
    builder.computerUseModelId = computerUseModelId;
    builder.idleTimeoutMinutes = idleTimeoutMinutes;
    builder.workerHost = workerHost;
    builder.harness = harness;
    builder.harnessAuthSecrets = harnessAuthSecrets;
    builder.skills = skills;
    builder.runnerId = runnerId;
    builder.sessionSharing = sessionSharing;
    builder.memoryStores = memoryStores;
    builder.inferenceProviders = inferenceProviders;
    builder.credentialStrategy = credentialStrategy;
    builder.secrets = secrets;
    builder.experimental = experimental;
    builder.more.putAll(more);
    return builder;
  }

  /// Not thread-safe.
  public static final class Builder {
    private @Nullable String name;
    private @Nullable String modelId;
    private @Nullable String basePrompt;
    private @Nullable String environmentId;
    private @Nullable String skillSpec;
    private @Nullable Map<String, McpServer> mcpServers;
    private @Nullable Boolean computerUseEnabled;
    private @Nullable String computerUseModelId;
    private @Nullable Integer idleTimeoutMinutes;
    private @Nullable String workerHost;
    private @Nullable Harness harness;
    private @Nullable HarnessAuthSecrets harnessAuthSecrets;
    private @Nullable List<String> skills;
    private @Nullable String runnerId;
    private @Nullable SessionSharing sessionSharing;
    private @Nullable List<MemoryStore> memoryStores;
    private @Nullable InferenceProviders inferenceProviders;
    private @Nullable CredentialStrategy credentialStrategy;
    private @Nullable List<SecretName> secrets;
    private @Nullable JsonNode experimental;
    private final Map<String, JsonNode> more = new LinkedHashMap<>();

    private Builder() {}

    public Builder name(String name) {
      this.name = name;
      return this;
    }

    public Builder modelId(String modelId) {
      this.modelId = modelId;
      return this;
    }

    public Builder basePrompt(String basePrompt) {
      this.basePrompt = basePrompt;
      return this;
    }

    public Builder environmentId(String environmentId) {
      this.environmentId = environmentId;
      return this;
    }

    public Builder skillSpec(String skillSpec) {
      this.skillSpec = skillSpec;
      return this;
    }

    public Builder mcpServers(Map<String, McpServer> mcpServers) {
      this.mcpServers = mcpServers;
      return this;
    }

    /// Adds a tool server.
    public Builder mcpServers(String name, McpServer value) {
      var all = new LinkedHashMap<String, McpServer>(mcpServers == null ? Map.of() : mcpServers);
      all.put(name, value);
      mcpServers = all;
      return this;
    }

    public Builder computerUseEnabled(Boolean computerUseEnabled) {
      this.computerUseEnabled = computerUseEnabled;
      return this;
    }

    public Builder computerUseModelId(String computerUseModelId) {
      this.computerUseModelId = computerUseModelId;
      return this;
    }

    public Builder idleTimeoutMinutes(Integer idleTimeoutMinutes) {
      this.idleTimeoutMinutes = idleTimeoutMinutes;
      return this;
    }

    public Builder workerHost(String workerHost) {
      this.workerHost = workerHost;
      return this;
    }

    public Builder harness(Harness harness) {
      this.harness = harness;
      return this;
    }

    public Builder harnessAuthSecrets(HarnessAuthSecrets harnessAuthSecrets) {
      this.harnessAuthSecrets = harnessAuthSecrets;
      return this;
    }

    public Builder skills(List<String> skills) {
      this.skills = skills;
      return this;
    }

    public Builder runnerId(String runnerId) {
      this.runnerId = runnerId;
      return this;
    }

    public Builder sessionSharing(SessionSharing sessionSharing) {
      this.sessionSharing = sessionSharing;
      return this;
    }

    public Builder memoryStores(List<MemoryStore> memoryStores) {
      this.memoryStores = memoryStores;
      return this;
    }

    public Builder inferenceProviders(InferenceProviders inferenceProviders) {
      this.inferenceProviders = inferenceProviders;
      return this;
    }

    public Builder credentialStrategy(CredentialStrategy credentialStrategy) {
      this.credentialStrategy = credentialStrategy;
      return this;
    }

    public Builder secrets(List<SecretName> secrets) {
      this.secrets = secrets;
      return this;
    }

    public Builder experimental(JsonNode experimental) {
      this.experimental = experimental;
      return this;
    }

    /// Sets any other member; a JSON null is sent as null.
    public Builder member(String name, JsonNode value) {
      more.put(name, value);
      return this;
    }

    public AgentConfig build() {
      return new AgentConfig(
          name,
          modelId,
          basePrompt,
          environmentId,
          skillSpec,
          mcpServers,
          computerUseEnabled,
          computerUseModelId,
          idleTimeoutMinutes,
          workerHost,
          harness,
          harnessAuthSecrets,
          skills,
          runnerId,
          sessionSharing,
          memoryStores,
          inferenceProviders,
          credentialStrategy,
          secrets,
          experimental,
          more);
    }
  }
}
