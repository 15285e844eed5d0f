package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How an agent is run (the interface's `AmbientAgentConfig`).
///
/// @param name label for grouping and filtering; the skill's name where a skill starts the run
/// @param environmentId the environment to run in
/// @param skillSpec `owner/repo:skill-name` or `owner/repo:path/to/SKILL.md`
/// @param mcpServers tool servers by name
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AgentConfig(
    @JsonProperty("name") @Nullable String name,
    @JsonProperty("model_id") @Nullable String modelId,
    @JsonProperty("base_prompt") @Nullable String basePrompt,
    @JsonProperty("environment_id") @Nullable String environmentId,
    @JsonProperty("skill_spec") @Nullable String skillSpec,
    @JsonProperty("mcp_servers") @Nullable Map<String, McpServer> mcpServers) {}
