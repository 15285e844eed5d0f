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

/// A request to change an agent identity. Members left out keep their value; an empty text or list
/// clears.
///
/// @param memory attached stores and automatic memory
/// @param agentType its role in a factory
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record UpdateIdentity(
    @JsonProperty("name") @Nullable String name,
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
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public UpdateIdentity {
    skills = skills == null ? null : Copies.list(skills);
    secrets = secrets == null ? null : Copies.list(secrets);
    mcpServers = mcpServers == null ? null : Copies.map(mcpServers);
    more = Copies.map(more);
  }

  public static Builder builder() {
    return new Builder();
  }

  /// Returns a builder with the values of this record.
  public Builder toBuilder() {
    var builder = new Builder();
    builder.name = name;
    builder.description = description;
    builder.prompt = prompt;
    builder.environmentId = environmentId;
    builder.baseModel = baseModel;
    builder.baseHarness = baseHarness;
    builder.harness = harness;
    builder.harnessAuthSecrets = harnessAuthSecrets;
    builder.skills = skills;
    builder.secrets = secrets;
    builder.mcpServers = mcpServers;
    builder.memory = memory;
    builder.inferenceProviders = inferenceProviders;
    builder.credentialStrategy = credentialStrategy;
    builder.agentType = agentType;
    builder.workerHost = workerHost;
    builder.defaultRunnerUid = defaultRunnerUid;
    builder.onBehalfOfEnabled = onBehalfOfEnabled;
    builder.more.putAll(more);
    return builder;
  }

  /// Not thread-safe.
  public static final class Builder {
    private @Nullable String name;
    private @Nullable String description;
    private @Nullable String prompt;
    private @Nullable String environmentId;
    private @Nullable String baseModel;
    private @Nullable String baseHarness;
    private @Nullable Harness harness;
    private @Nullable HarnessAuthSecrets harnessAuthSecrets;
    private @Nullable List<String> skills;
    private @Nullable List<SecretName> secrets;
    private @Nullable Map<String, McpServer> mcpServers;
    private @Nullable JsonNode memory;
    private @Nullable InferenceProviders inferenceProviders;
    private @Nullable CredentialStrategy credentialStrategy;
    private @Nullable String agentType;
    private @Nullable String workerHost;
    private @Nullable String defaultRunnerUid;
    private @Nullable Boolean onBehalfOfEnabled;
    private final Map<String, JsonNode> more = new LinkedHashMap<>();

    private Builder() {}

    public Builder name(String name) {
      this.name = name;
      return this;
    }

    public Builder description(String description) {
      this.description = description;
      return this;
    }

    public Builder prompt(String prompt) {
      this.prompt = prompt;
      return this;
    }

    public Builder environmentId(String environmentId) {
      this.environmentId = environmentId;
      return this;
    }

    public Builder baseModel(String baseModel) {
      this.baseModel = baseModel;
      return this;
    }

    public Builder baseHarness(String baseHarness) {
      this.baseHarness = baseHarness;
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

    public Builder secrets(List<SecretName> secrets) {
      this.secrets = secrets;
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

    public Builder memory(JsonNode memory) {
      this.memory = memory;
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

    public Builder agentType(String agentType) {
      this.agentType = agentType;
      return this;
    }

    public Builder workerHost(String workerHost) {
      this.workerHost = workerHost;
      return this;
    }

    public Builder defaultRunnerUid(String defaultRunnerUid) {
      this.defaultRunnerUid = defaultRunnerUid;
      return this;
    }

    public Builder onBehalfOfEnabled(Boolean onBehalfOfEnabled) {
      this.onBehalfOfEnabled = onBehalfOfEnabled;
      return this;
    }

    /// Sets any other member; a JSON null is sent as null.
    public Builder member(String name, JsonNode value) {
      more.put(name, value);
      return this;
    }

    public UpdateIdentity build() {
      return new UpdateIdentity(
          name,
          description,
          prompt,
          environmentId,
          baseModel,
          baseHarness,
          harness,
          harnessAuthSecrets,
          skills,
          secrets,
          mcpServers,
          memory,
          inferenceProviders,
          credentialStrategy,
          agentType,
          workerHost,
          defaultRunnerUid,
          onBehalfOfEnabled,
          more);
    }
  }
}
