package dev.runnel.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// What the probes of the interface's rows share.
public final class Probes {
  private static final String UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

  private Probes() {}

  static ObjectNode object(String json) {
    try {
      return (ObjectNode) RunningService.JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(json, e);
    }
  }

  /// A new run, as it is shown.
  static JsonNode created(RunningService service, String body) {
    return service.run(service.create(object(body)));
  }

  public static void assertRefused(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(RunningService.problem(answer)).isEqualTo(code);
  }

  static void assertInvalid(HttpResponse<String> answer) {
    assertRefused(answer, 400, "invalid_request");
  }

  static void assertNotFound(HttpResponse<String> answer) {
    assertRefused(answer, 404, "resource_not_found");
  }

  /// The runs of a list, by their ids, in its order.
  static List<String> ids(RunningService service, String query) {
    return service.ok(service.get("/agent/runs?" + query)).get("runs").findValuesAsText("run_id");
  }

  public static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  static void assertUuid(JsonNode id) {
    assertThat(id.isTextual()).isTrue();
    assertThat(id.asText()).matches(UUID);
  }

  /// A time as RFC 3339 writes it, in UTC.
  static void assertTime(JsonNode time) {
    assertThat(time.isTextual()).isTrue();
    assertThat(time.asText()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z");
  }
}
