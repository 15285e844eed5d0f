package dev.runnel.client;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import okio.ByteString;

/// Reads and writes as the client does, for the tests of the wire.
public final class ClientJson {
  private ClientJson() {}

  /// @throws IOException when a member cannot be read
  public static <T> T strict(JsonNode json, Class<T> type) throws IOException {
    return requireNonNull(Json.read(json, type, true));
  }

  /// What cannot be read counts as absent.
  public static <T> T lenient(JsonNode json, Class<T> type) throws IOException {
    return requireNonNull(Json.read(json, type, false));
  }

  public static JsonNode tree(String json) throws IOException {
    return Json.tree(ByteString.encodeUtf8(json));
  }

  public static JsonNode tree(Object value) throws IOException {
    return tree(Json.write(Json.tree(value)).utf8());
  }
}
