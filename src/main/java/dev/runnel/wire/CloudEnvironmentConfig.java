package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The configuration of an environment.
///
/// @param providers accounts at cloud providers
/// @param failureSessionRetentionMinutes how long the session of a failed run is kept, in minutes
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CloudEnvironmentConfig(
    @JsonProperty("name") @Nullable String name,
    @JsonProperty("description") @Nullable String description,
    @JsonProperty("docker_image") @Nullable String dockerImage,
    @JsonProperty("github_repos") List<GitHubRepo> repositories,
    @JsonProperty("setup_commands") List<String> setupCommands,
    @JsonProperty("providers") @Nullable JsonNode providers,
    @JsonProperty("failure_session_retention_minutes")
        @Nullable Integer failureSessionRetentionMinutes,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public CloudEnvironmentConfig {
    repositories = DefensiveCopies.list(repositories);
    setupCommands = DefensiveCopies.list(setupCommands);
    more = DefensiveCopies.map(more);
  }
}
