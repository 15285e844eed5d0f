package dev.runnel.service.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ServiceJson;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// An MCP server in a run's configuration. Its variables and headers are often secrets.
sealed interface ToolServer {
  /// Started by the agent; communicates over standard input and output.
  record Local(String name, String command, List<String> args, Map<String, String> env)
      implements ToolServer {
    @Override
    public String toString() {
      return "Local[" + name + "]";
    }
  }

  /// Reached over HTTP.
  record Remote(String name, String url, Map<String, String> headers) implements ToolServer {
    /// Servers of the older SSE transport are recognized by their URL alone.
    boolean isEventStream() {
      var path = url.replaceAll("[?#].*$", "");
      return path.endsWith("/sse") || path.endsWith("/sse/");
    }

    @Override
    public String toString() {
      return "Remote[" + name + "]";
    }
  }

  /// Name in the characters `A-Z a-z 0-9 _ -`, unique within the run.
  String name();

  /// The tool servers of a run's configuration, in order.
  ///
  /// @throws AgentRefused if one is a shared server, which only the public service has
  static List<ToolServer> of(ExecutionRequest executionRequest) throws AgentRefused {
    var servers = new ArrayList<ToolServer>();
    var names = new HashSet<String>();
    for (var entry :
        ServiceJson.read(executionRequest.configJson()).path("mcp_servers").properties()) {
      var plain = entry.getKey().replaceAll("[^A-Za-z0-9_-]", "_");
      var name = plain;
      for (int count = 2; !names.add(name); count++) {
        name = plain + "_" + count;
      }
      var config = entry.getValue();
      if (config.hasNonNull("command")) {
        var args = new ArrayList<String>();
        config.path("args").forEach(each -> args.add(each.asText()));
        servers.add(
            new Local(name, config.get("command").asText(), args, texts(config.path("env"))));
      } else if (config.hasNonNull("url")) {
        servers.add(new Remote(name, config.get("url").asText(), texts(config.path("headers"))));
      } else {
        throw AgentRefused.sharedServer(entry.getKey());
      }
    }
    return servers;
  }

  private static Map<String, String> texts(JsonNode node) {
    var texts = new LinkedHashMap<String, String>();
    node.properties().forEach(each -> texts.put(each.getKey(), each.getValue().asText()));
    return texts;
  }
}
