package dev.runnel.service.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;

/// The variables and headers of the tool servers (`mcp_servers`) of a configuration of agents. They
/// hold secrets, so the API shows a mask in their place.
public final class ToolServerSecrets {
  private static final JsonNode MASK = TextNode.valueOf("***");
  private static final String SERVERS = "mcp_servers";
  private static final List<String> MEMBERS = List.of("env", "headers");

  private ToolServerSecrets() {}

  /// @param config the configuration, which is changed
  public static void mask(JsonNode config) {
    for (var server : config.path(SERVERS)) {
      for (var member : MEMBERS) {
        server.path(member).properties().forEach(value -> value.setValue(MASK));
      }
    }
  }

  /// @throws RequestProblem if it has a mask instead of a secret
  public static void requireNoMask(JsonNode config) {
    for (var server : config.path(SERVERS).properties()) {
      for (var member : MEMBERS) {
        for (var value : server.getValue().path(member).properties()) {
          if (value.getValue().equals(MASK)) {
            throw RequestProblem.invalid(
                "%s.%s.%s.%s is a mask: send the value"
                    .formatted(SERVERS, server.getKey(), member, value.getKey()));
          }
        }
      }
    }
  }

  /// Replaces masks by the stored values, since a caller may send back what it got.
  public static void unmask(JsonNode changes, JsonNode stored) {
    for (var server : changes.path(SERVERS).properties()) {
      for (var member : MEMBERS) {
        var storedValues = stored.path(SERVERS).path(server.getKey()).path(member);
        for (var value : server.getValue().path(member).properties()) {
          if (value.getValue().equals(MASK) && storedValues.has(value.getKey())) {
            value.setValue(storedValues.get(value.getKey()));
          }
        }
      }
    }
  }
}
