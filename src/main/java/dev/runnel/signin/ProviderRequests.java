package dev.runnel.signin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.core.port.ProxyRefused;
import dev.runnel.core.port.SignInProvider.Failed;
import dev.runnel.json.BoundedJson;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import okhttp3.FormBody;
import okhttp3.OkHttpClient;
import okhttp3.Request;

/// Requests to an identity provider, with JSON responses of a limited size. Redirects are not
/// followed, because requests carry secrets.
final class ProviderRequests {
  private static final int MAX_BYTES = 256 * 1024;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");
  private static final ObjectMapper JSON = BoundedJson.mapper().build();

  private final OkHttpClient http;

  ProviderRequests(OkHttpClient http) {
    this.http =
        http.newBuilder()
            .followRedirects(false)
            .followSslRedirects(false)
            .callTimeout(TIMEOUT)
            .build();
  }

  JsonNode get(URI address) {
    return send(new Request.Builder().url(address.toString()).header("Accept", "application/json"));
  }

  JsonNode getAs(String token, URI address) {
    if (!TOKEN.matcher(token).matches()) {
      throw new Failed("The provider sent an access token that is not valid");
    }
    return send(
        new Request.Builder()
            .url(address.toString())
            .header("Accept", "application/json")
            .header("Authorization", "Bearer " + token));
  }

  JsonNode post(URI address, Map<String, String> fields) {
    var form = new FormBody.Builder();
    fields.forEach(form::add);
    return send(
        new Request.Builder()
            .url(address.toString())
            .header("Accept", "application/json")
            .post(form.build()));
  }

  private JsonNode send(Request.Builder builder) {
    var request = builder.build();
    var host = request.url().host();
    try (var response = http.newCall(request).execute()) {
      if (!response.isSuccessful()) {
        throw new Failed(host + " answered " + response.code());
      }
      var body = response.peekBody(MAX_BYTES);
      if (body.contentType() != null && "jwt".equals(body.contentType().subtype())) {
        throw new Failed(
            host + " answered with a signed token (application/jwt), which must be plain JSON");
      }
      return JSON.readTree(body.bytes());
    } catch (IOException e) {
      throw new Failed(host + " did not answer: " + ProxyRefused.why(e));
    }
  }

  static JsonNode json(byte[] bytes) {
    try {
      return JSON.readTree(bytes);
    } catch (IOException e) {
      throw new Failed("The response is not JSON");
    }
  }

  /// The text of a required member.
  static String text(JsonNode tree, String member) {
    var text = tree.path(member).asText("");
    if (text.isBlank()) {
      throw new Failed("The response has no " + member);
    }
    return text;
  }

  static URI with(URI address, Map<String, String> parameters) {
    var query =
        parameters.entrySet().stream()
            .map(it -> it.getKey() + "=" + URLEncoder.encode(it.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    return URI.create(address + (address.getRawQuery() == null ? "?" : "&") + query);
  }

  /// The PKCE code challenge, by the method `S256`.
  static String challenge(String verifier) {
    try {
      var hash =
          MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("Every JDK has SHA-256", impossible);
    }
  }
}
