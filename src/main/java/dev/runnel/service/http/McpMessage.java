package dev.runnel.service.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.run.ServiceJson;

/// A JSON-RPC 2.0 request or notification.
///
/// @param id a string or an integer; missing for a notification
/// @param params empty if the message has none
record McpMessage(JsonNode id, String method, ObjectNode params) {
  private static final String META = "_meta";
  private static final String PREFIX = "io.modelcontextprotocol/";

  /// @throws McpError if the body is anything else
  static McpMessage of(ObjectNode json) {
    var id = json.has("id") ? json.get("id") : MissingNode.getInstance();
    if (!id.isMissingNode() && !id.isTextual() && !id.isIntegralNumber()) {
      throw McpError.invalidRequest("id must be a string or an integer");
    }
    if (!json.path("jsonrpc").asText().equals("2.0")) {
      throw McpError.invalidRequest("jsonrpc must be \"2.0\"");
    }
    if (!json.path("method").isTextual()) {
      throw McpError.invalidRequest(
          "method must be a string: this server takes requests and notifications only");
    }
    if (json.has("params") && !json.get("params").isObject()) {
      throw McpError.invalidRequest("params must be an object");
    }
    return new McpMessage(
        id,
        json.get("method").asText(),
        json.get("params") instanceof ObjectNode params ? params : ServiceJson.newObject());
  }

  boolean isNotification() {
    return id.isMissingNode();
  }

  /// A member of `_meta` that the protocol defines: `protocolVersion`, `clientCapabilities`.
  JsonNode meta(String name) {
    return params.path(META).path(PREFIX + name);
  }
}
