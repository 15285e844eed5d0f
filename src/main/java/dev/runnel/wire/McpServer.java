package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A tool server (the API's `MCPServerConfig`): exactly one of `warpId`, `command` or `url`; the
/// client does not send any other tool server.
///
/// @param warpId a shared server's id, or a well-known name such as `linear`
/// @param command started by the agent; communicates over standard input and output
/// @param env may hold secrets
/// @param url reached over HTTP
/// @param headers may hold secrets
/// @param more members unknown to this version, unchanged
@GenerateBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record McpServer(
    @JsonProperty("warp_id") @Nullable String warpId,
    @JsonProperty("command") @Nullable String command,
    @JsonProperty("args") @Nullable List<String> args,
    @JsonProperty("env") @Nullable Map<String, String> env,
    @JsonProperty("url") @Nullable String url,
    @JsonProperty("headers") @Nullable Map<String, String> headers,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public McpServer {
    args = args == null ? null : DefensiveCopies.list(args);
    env = env == null ? null : DefensiveCopies.map(env);
    headers = headers == null ? null : DefensiveCopies.map(headers);
    more = DefensiveCopies.map(more);
  }

  public static McpServerBuilder builder() {
    return McpServerBuilder.builder();
  }

  /// Returns a builder with the values of this record.
  public McpServerBuilder toBuilder() {
    return McpServerBuilder.builder(this);
  }

  /// How many of `warpId`, `command` and `url` are set; valid is exactly one.
  @JsonIgnore
  public int ways() {
    return (warpId == null ? 0 : 1) + (command == null ? 0 : 1) + (url == null ? 0 : 1);
  }

  /// Leaves out the values that may be secret.
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
