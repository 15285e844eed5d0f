package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A tool server (the API's `MCPServerConfig`): exactly one of `warpId`, `command` or `url`.
///
/// @param warpId a shared server's id, or a well-known name such as `linear`
/// @param command started by the agent; communicates over standard input and output
/// @param env may hold secrets
/// @param url reached over HTTP
/// @param headers may hold secrets
/// @param more members unknown to this version, unchanged
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
    args = args == null ? null : Copies.list(args);
    env = env == null ? null : Copies.map(env);
    headers = headers == null ? null : Copies.map(headers);
    more = Copies.map(more);
  }

  public static Builder builder() {
    return new Builder();
  }

  /// Returns a builder with the values of this record.
  public Builder toBuilder() {
    var builder = new Builder();
    builder.warpId = warpId;
    builder.command = command;
    builder.args = args;
    builder.env = env;
    builder.url = url;
    builder.headers = headers;
    builder.more.putAll(more);
    return builder;
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

  /// Not thread-safe.
  public static final class Builder {
    private @Nullable String warpId;
    private @Nullable String command;
    private @Nullable List<String> args;
    private @Nullable Map<String, String> env;
    private @Nullable String url;
    private @Nullable Map<String, String> headers;
    private final Map<String, JsonNode> more = new LinkedHashMap<>();

    private Builder() {}

    public Builder warpId(String warpId) {
      this.warpId = warpId;
      return this;
    }

    public Builder command(String command) {
      this.command = command;
      return this;
    }

    public Builder args(List<String> args) {
      this.args = args;
      return this;
    }

    public Builder env(Map<String, String> env) {
      this.env = env;
      return this;
    }

    /// Adds a variable.
    public Builder env(String name, String value) {
      var all = new LinkedHashMap<String, String>(env == null ? Map.of() : env);
      all.put(name, value);
      env = all;
      return this;
    }

    public Builder url(String url) {
      this.url = url;
      return this;
    }

    public Builder headers(Map<String, String> headers) {
      this.headers = headers;
      return this;
    }

    /// Adds a header.
    public Builder headers(String name, String value) {
      var all = new LinkedHashMap<String, String>(headers == null ? Map.of() : headers);
      all.put(name, value);
      headers = all;
      return this;
    }

    /// Sets any other member; a JSON null is sent as null.
    public Builder member(String name, JsonNode value) {
      more.put(name, value);
      return this;
    }

    /// @throws IllegalStateException if a required value is missing
    public McpServer build() {
      var server = new McpServer(warpId, command, args, env, url, headers, more);
      if (server.ways() != 1) {
        throw new IllegalStateException(
            "A tool server needs exactly one of warpId, command and url");
      }
      return new McpServer(warpId, command, args, env, url, headers, more);
    }
  }
}
