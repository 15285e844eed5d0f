package dev.runnel.surface.kit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;

/// Calls a tracker's REST API. Each call takes its `place`, which messages for people name: an
/// issue, "The account". Thread-safe; blocks.
public record RestApi(JsonHttp http, TrackerCalls calls) {
  /// @param platform the display name
  /// @param urlSetting the variable that contains the URL
  /// @param probe the path of a resource that every valid credential may read
  public static RestApi of(
      String platform,
      Credential credential,
      String urlSetting,
      InstantSource clock,
      JsonHttp http,
      String probe) {
    return new RestApi(
        http, new TrackerCalls(platform, credential, urlSetting, clock, () -> http.get(probe)));
  }

  /// The account that the credential belongs to.
  ///
  /// @param path of a resource that describes it
  /// @param name finds its name there
  public BotAccount account(String path, Function<JsonNode, Optional<String>> name) {
    return new BotAccount(
        () ->
            get("The account", path) instanceof ApiResult.Done(var account)
                ? name.apply(account)
                : Optional.empty());
  }

  public ApiResult get(Object place, String path) {
    return calls.make(place, () -> http.get(path));
  }

  public ApiResult post(Object place, String path, JsonNode body) {
    return calls.make(place, () -> http.post(path, body));
  }

  public ApiResult patch(Object place, String path, JsonNode body) {
    return calls.make(place, () -> http.patch(path, body));
  }

  /// @param operations a JSON Patch (RFC 6902)
  public ApiResult jsonPatch(Object place, String path, ArrayNode operations) {
    return calls.make(place, () -> http.jsonPatch(path, operations));
  }

  public ApiResult put(Object place, String path, JsonNode body) {
    return calls.make(place, () -> http.put(path, body));
  }

  public ApiResult delete(Object place, String path) {
    return calls.make(place, () -> http.delete(path));
  }
}
