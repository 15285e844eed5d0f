package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A tool server (the interface's `MCPServerConfig`): exactly one of `warpId`, `command` or `url`.
///
/// @param env may hold secrets
/// @param headers may hold secrets
@JsonInclude(JsonInclude.Include.NON_NULL)
public record McpServer(
    @JsonProperty("warp_id") @Nullable String warpId,
    @JsonProperty("command") @Nullable String command,
    @JsonProperty("args") @Nullable List<String> args,
    @JsonProperty("env") @Nullable Map<String, String> env,
    @JsonProperty("url") @Nullable String url,
    @JsonProperty("headers") @Nullable Map<String, String> headers) {
  /// Without the values that may be secret.
  @Override
  public String toString() {
    return "McpServer[warpId=%s, command=%s, url=%s, env=%s, headers=%s]"
        .formatted(
            warpId,
            command,
            url,
            env == null ? null : env.keySet(),
            headers == null ? null : headers.keySet());
  }
}
