package dev.runnel.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.client.RunsClient;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.run.Factory;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.testkit.EmbeddedService;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The responses of the service have the form that its description gives them.
@Tag("slow")
@Timeout(60)
class ApiResponsesTest {
  private static final JsonNode DESCRIPTION = ApiDescription.document();
  private static final Factory BUILDERS =
      new Factory(
          "builders",
          "Builders",
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          new Factory.Member(
              "foreman", Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()),
          List.of());
  private static final Environments WEB =
      new Environments(List.of(Environment.named("web")), Optional.empty(), Map.of());
  private static final String IMAGE =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void runsAndTheirNeighboursHaveTheDescribedForm(@TempDir Path folder) throws Exception {
    try (var service = new EmbeddedService(folder, "cat; sleep 0", List.of(BUILDERS))) {
      var prompt =
          "{\"prompt\": \"fix it\", \"metadata\": {\"a\": \"b\"}, \"attachments\": [{\"file_name\":"
              + " \"a.png\", \"mime_type\": \"image/png\", \"data\": \"%s\"}]}".formatted(IMAGE);
      var run = call(service, "POST /agent/runs", "", prompt).path("run_id").asText();
      call(service, "GET /agent/runs/{id}", run, "");
      try (var client =
          RunsClient.builder()
              .baseUrl(URI.create(service.uri() + "/api/v1"))
              .apiKey(EmbeddedService.KEY)
              .build()) {
        client.runs().await(run).send();
      }
      call(service, "GET /agent/runs/{id}", run, "");
      call(service, "POST /agent/run", "", "{\"prompt\": \"fix it\"}");
      call(service, "GET /agent/runs", "", "");
      call(service, "GET /agent/runs/{id}/timeline", run, "");
      call(service, "GET /agent/runs/{id}/harness-usage", run, "");
      call(service, "GET /agent/runs/{id}/conversation", run, "");
      call(service, "GET /agent/conversations/{id}", run, "");
      call(service, "GET /agent/conversations/{id}/redirect", run, "");
      call(service, "GET /agent/runs/{id}/handoff/attachments", run, "");
      call(service, "POST /agent/runs/{id}/followups", run, "{\"message\": \"go on\"}");
      call(service, "POST /agent/conversations/{id}/followups", run, "{\"message\": \"go on\"}");
      call(service, "GET /agent/models", "", "");
      call(service, "GET /agent/connected-self-hosted-workers", "", "");

      var factory = call(service, "GET /factory", "", "").at("/factories/0/uid").asText();
      call(service, "GET /factory/{uid}", factory, "");
      call(service, "POST /factory/{uid}/runs", factory, "{\"prompt\": \"fix it\"}");
      call(service, "GET /agent/identities", "", "");
    }
  }

  @Test
  void createdObjectsHaveTheDescribedForm(@TempDir Path folder) throws Exception {
    try (var service =
        new EmbeddedService(folder, "sleep 300", System.getenv(), WEB, new Isolation.None())) {
      var run =
          call(service, "POST /agent/runs", "", "{\"prompt\": \"x\"}").path("run_id").asText();
      call(service, "POST /agent/runs/{id}/cancel", run, "");
      call(service, "GET /agent/environments", "", "");
      call(service, "GET /agent", "", "");

      var identity =
          call(service, "POST /agent/identities", "", "{\"name\": \"a\"}").path("uid").asText();
      call(service, "GET /agent/identities", "", "");
      call(service, "GET /agent/identities/{uid}", identity, "");
      call(service, "PUT /agent/identities/{uid}", identity, "{\"prompt\": \"b\"}");

      var times = "{\"name\": \"a\", \"cron_schedule\": \"0 3 * * *\", \"prompt\": \"x\"}";
      var schedule = call(service, "POST /agent/schedules", "", times).path("id").asText();
      call(service, "GET /agent/schedules", "", "");
      call(service, "GET /agent/schedules/{id}", schedule, "");
      call(service, "POST /agent/schedules/{id}/pause", schedule, "");
      call(service, "DELETE /agent/schedules/{id}", schedule, "");

      call(service, "POST /agent/keys", "", "{\"name\": \"a\"}");
      call(service, "GET /agent/keys", "", "");
    }
  }

  /// @param id in place of the parameter of the path
  /// @param body empty for none
  private JsonNode call(EmbeddedService service, String route, String id, String body)
      throws IOException, InterruptedException {
    var method = route.split(" ", 2)[0];
    var path = route.split(" ", 2)[1];
    var request =
        HttpRequest.newBuilder(
                URI.create(service.uri() + "/api/v1" + path.replaceFirst("\\{\\w+}", id)))
            .header("Authorization", "Bearer " + EmbeddedService.KEY)
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    var response = http.send(request, HttpResponse.BodyHandlers.ofString());
    var operation = ApiDescription.ALL.stream().filter(it -> it.route().equals(route)).findFirst();
    assertThat(response.statusCode())
        .as("%s: %s", route, response.body())
        .isEqualTo(operation.orElseThrow().status());
    var schema =
        DESCRIPTION
            .path("paths")
            .path(path)
            .path(method.toLowerCase(Locale.ROOT))
            .path("responses")
            .path(Integer.toString(response.statusCode()))
            .at("/content/application~1json/schema");
    assertThat(schema.isMissingNode()).as(route).isFalse();
    var answer = json.readTree(response.body());
    var problems = new ArrayList<String>();
    check(route, answer, schema, problems);
    assertThat(problems).isEmpty();
    return answer;
  }

  private static void check(String at, JsonNode value, JsonNode schema, List<String> problems) {
    if (schema.has("$ref")) {
      check(at, value, DESCRIPTION.at(schema.path("$ref").asText().substring(1)), problems);
      return;
    }
    var types = new ArrayList<String>();
    if (schema.path("type").isArray()) {
      schema.path("type").forEach(type -> types.add(type.asText()));
    } else if (schema.has("type")) {
      types.add(schema.path("type").asText());
    }
    if (!types.isEmpty() && !types.contains(type(value))) {
      problems.add("%s is %s, not %s".formatted(at, value, types));
    }
    if (schema.path("format").asText().equals("date-time") && value.isTextual()) {
      OffsetDateTime.parse(value.textValue());
    }
    schema
        .path("required")
        .forEach(
            name -> {
              if (!value.has(name.asText())) {
                problems.add("%s has no %s".formatted(at, name.asText()));
              }
            });
    for (var member : value.properties()) {
      var known = schema.path("properties").path(member.getKey());
      var described = known.isMissingNode() ? schema.path("additionalProperties") : known;
      check(at + "/" + member.getKey(), member.getValue(), described, problems);
    }
    for (var item : value) {
      if (value.isArray()) {
        check(at + "[]", item, schema.path("items"), problems);
      }
    }
  }

  private static String type(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> "string";
      case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
      case BOOLEAN -> "boolean";
      case ARRAY -> "array";
      case NULL -> "null";
      default -> "object";
    };
  }
}
