package dev.runnel.surface.kit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.runnel.json.BoundedJson;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Calls a platform's API with JSON requests and responses. Thread-safe.
///
/// Nothing is retried here, not even after a broken connection: only the caller knows whether a
/// request may be repeated.
public final class JsonHttp {
  private static final JsonMapper JSON = BoundedJson.mapper().build();
  private static final Logger log = LoggerFactory.getLogger(JsonHttp.class);
  private static final MediaType JSON_TYPE = MediaType.get("application/json");
  private static final MediaType JSON_PATCH = MediaType.get("application/json-patch+json");
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final long MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

  private final OkHttpClient http;
  private final HttpUrl base;
  private final Headers headers;

  /// @param base the URL that paths are appended to; it may have a path of its own
  /// @param headers sent with each request, including the token's
  public JsonHttp(OkHttpClient http, URI base, Map<String, String> headers) {
    this.http =
        http.newBuilder()
            .retryOnConnectionFailure(false)
            .callTimeout(TIMEOUT)
            .addNetworkInterceptor(new SameHostRedirects())
            .build();
    this.base = HttpUrl.get(base.toString());
    this.headers = Headers.of(headers);
  }

  /// The platform's response, whatever its status.
  ///
  /// @param body a missing node if the response is not JSON, or too long
  public record JsonResponse(int status, Headers headers, JsonNode body) {
    public boolean isGood() {
      return status >= 200 && status < 300;
    }

    public Optional<String> header(String name) {
      return Optional.ofNullable(headers.get(name));
    }

    /// A header whose value is a whole number, such as `Retry-After`.
    public Optional<Long> number(String name) {
      return header(name).filter(text -> text.matches("[0-9]{1,15}")).map(Long::valueOf);
    }

    /// Omits headers and body, which may be secret.
    @Override
    public String toString() {
      return "JsonResponse[status=" + status + "]";
    }
  }

  /// @param path appended to the base: segments separated by `/`, then an optional query, all
  ///   encoded
  /// @throws IOException when there was no response; for other methods than GET it is then unknown
  ///   whether the call had its effect
  public JsonResponse get(String path) throws IOException {
    return call(new Request.Builder().get(), path);
  }

  public JsonResponse post(String path, JsonNode body) throws IOException {
    return call(new Request.Builder().post(json(body, JSON_TYPE)), path);
  }

  public JsonResponse patch(String path, JsonNode body) throws IOException {
    return call(new Request.Builder().patch(json(body, JSON_TYPE)), path);
  }

  /// Sends a JSON Patch (RFC 6902).
  public JsonResponse jsonPatch(String path, ArrayNode operations) throws IOException {
    return call(new Request.Builder().patch(json(operations, JSON_PATCH)), path);
  }

  public JsonResponse put(String path, JsonNode body) throws IOException {
    return call(new Request.Builder().put(json(body, JSON_TYPE)), path);
  }

  public JsonResponse delete(String path) throws IOException {
    return call(new Request.Builder().delete(), path);
  }

  private JsonResponse call(Request.Builder request, String path) throws IOException {
    try (var response = http.newCall(request.url(url(path)).headers(headers).build()).execute()) {
      return new JsonResponse(response.code(), response.headers(), body(response));
    }
  }

  private static JsonNode body(Response response) throws IOException {
    try {
      // One byte more, so that a longer response is not taken for a complete one.
      return read(response.peekBody(MAX_RESPONSE_BYTES + 1).bytes());
    } catch (AnswerMemory.AnswerTooLong tooLong) {
      log.warn(
          "response not read url={} why={}",
          response.request().url().encodedPath(),
          tooLong.getMessage());
      return MissingNode.getInstance();
    }
  }

  private HttpUrl url(String path) {
    var query = path.indexOf('?');
    var url =
        base.newBuilder()
            .addEncodedPathSegments(query < 0 ? path.substring(1) : path.substring(1, query));
    return query < 0 ? url.build() : url.encodedQuery(path.substring(query + 1)).build();
  }

  private static RequestBody json(JsonNode body, MediaType type) {
    return RequestBody.create(body.toString().getBytes(StandardCharsets.UTF_8), type);
  }

  private static JsonNode read(byte[] body) {
    try {
      return JSON.readTree(body);
    } catch (IOException noJson) {
      return MissingNode.getInstance();
    }
  }
}
