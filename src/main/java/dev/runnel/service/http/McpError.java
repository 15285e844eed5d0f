package dev.runnel.service.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.run.ServiceJson;
import java.util.List;
import java.util.Optional;

/// A message to the MCP server that cannot be handled, as a JSON-RPC error.
final class McpError extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;
  private final int code;
  private final transient Optional<ObjectNode> data;

  /// @param status of the HTTP response
  private McpError(int status, int code, String message, Optional<ObjectNode> data) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }

  /// @param why in a sentence
  static McpError notJson(String why) {
    return new McpError(400, -32700, why, Optional.empty());
  }

  static McpError invalidRequest(String message) {
    return new McpError(400, -32600, message, Optional.empty());
  }

  /// @param status 404 in the revision that has no handshake, 200 in those before
  static McpError methodNotFound(int status, McpMessage message) {
    return new McpError(
        status, -32601, "This server has no method " + message.method(), Optional.empty());
  }

  /// @param status 400 if a member is missing that every request must have, else 200
  static McpError invalidParams(int status, String message) {
    return new McpError(status, -32602, message, Optional.empty());
  }

  /// A header is missing, or does not match the body.
  static McpError headerMismatch(String message) {
    return new McpError(400, -32020, message, Optional.empty());
  }

  static McpError unsupportedVersion(String requested, List<String> supported) {
    var data = ServiceJson.newObject().put("requested", requested);
    supported.forEach(data.putArray("supported")::add);
    return new McpError(
        400,
        -32022,
        "This server does not support that protocol version. Supported: "
            + String.join(", ", supported),
        Optional.of(data));
  }

  int status() {
    return status;
  }

  ObjectNode json() {
    var error = ServiceJson.newObject().put("code", code).put("message", getMessage());
    data.ifPresent(it -> error.set("data", it));
    return error;
  }
}
