package dev.runnel.service;

import static dev.runnel.service.Probes.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.run.RequestProblem;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/// Section 2.13 of the interface: what is answered when something is wrong. How runs fail is in
/// `StateRowsTest`.
@Tag("slow")
@DisplayNameGeneration(Row.Names.class)
class ProblemRowsTest {
  /// Those of the interface that this service has a use for.
  private static final Map<String, Integer> PUBLISHED =
      Map.of(
          "invalid_request", 400,
          "authentication_required", 401,
          "not_authorized", 403,
          "budget_exceeded", 403,
          "feature_not_available", 403,
          "resource_not_found", 404,
          "operation_not_supported", 422,
          "internal_error", 500,
          "resource_unavailable", 500);

  /// What HTTP itself asks for; a client tells them by their status.
  private static final Map<String, Integer> OF_HTTP =
      Map.of("method_not_allowed", 405, "request_too_large", 413);

  @TempDir static Path folder;
  private static RunningService service;

  /// One of each kind that can be had.
  private static List<HttpResponse<String>> answers;

  @BeforeAll
  static void start() {
    service = RunningService.withCommand(folder, "cat");
    var id = service.create("x");
    var reading =
        RunningService.json(service.post("/agent/keys", "{\"name\":\"k\",\"scope\":\"read\"}"))
            .get("key")
            .asText();
    answers =
        List.of(
            service.post("/agent/runs", "{}"),
            with("wrong", "/agent/runs"),
            with(reading, "/agent/runs"),
            service.get("/agent/runs/nobody"),
            service.post("/agent/runs/" + id + "/interrupt", ""),
            service.send(service.request("/agent/runs").DELETE()),
            service.get("/elsewhere?secret=1"),
            unavailable());
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Row("2.13 type")
  void theTypeEndsInTheCode() {
    for (var answer : answers) {
      assertThat(URI.create(text(answer, "type")).isAbsolute()).isTrue();
    }
    assertThat(answers)
        .extracting(RunningService::problem)
        .containsExactly(
            "invalid_request",
            "authentication_required",
            "not_authorized",
            "resource_not_found",
            "operation_not_supported",
            "method_not_allowed",
            "resource_not_found",
            "resource_unavailable");
  }

  @Row("2.13 title")
  void theTitleIsTheSameForACode() {
    assertThat(text(answers.get(3), "title")).isEqualTo(text(answers.get(6), "title"));
    assertThat(answers).allSatisfy(answer -> assertThat(text(answer, "title")).isNotBlank());
  }

  @Row("2.13 status")
  void theStatusIsRepeated() {
    for (var answer : answers) {
      assertThat(json(answer).get("status").isIntegralNumber()).isTrue();
      assertThat(json(answer).get("status").intValue()).isEqualTo(answer.statusCode());
    }
  }

  @Row("2.13 error")
  void theErrorIsTitleAndDetailForOldClients() {
    for (var answer : answers) {
      assertThat(text(answer, "error"))
          .isEqualTo(text(answer, "title") + " (" + text(answer, "detail") + ")");
    }
  }

  @Row("2.13 detail")
  void theDetailSaysWhatIsWrongThisTime() {
    assertThat(text(answers.getFirst(), "detail")).contains("prompt");
    assertThat(answers).allSatisfy(answer -> assertThat(text(answer, "detail")).isNotBlank());
  }

  @Row("2.13 instance")
  void theInstanceIsThePathAlone() {
    assertThat(text(answers.getFirst(), "instance")).isEqualTo("/api/v1/agent/runs");
    assertThat(text(answers.get(6), "instance")).isEqualTo("/api/v1/elsewhere");
  }

  @Row("2.13 retryable")
  void whetherARepetitionCanHelpIsSaid() {
    for (var answer : answers) {
      assertThat(json(answer).get("retryable").isBoolean()).isTrue();
    }
  }

  @Row("2.13 trace_id")
  void theTraceIsTheCallersOrANewOne() {
    for (var answer : answers) {
      assertThat(text(answer, "trace_id")).matches("[0-9a-f]{32}");
    }
    assertThat(answers.stream().map(answer -> text(answer, "trace_id"))).doesNotHaveDuplicates();
    var traced =
        service.send(
            service
                .request("/elsewhere")
                .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
    assertThat(text(traced, "trace_id")).isEqualTo("0af7651916cd43dd8448eb211c80319c");
  }

  @Row("2.13 provider")
  void noProviderIsNamed() {
    assertNone("provider");
  }

  @Row("2.13 auth_url")
  void noAccountIsToBeConnected() {
    assertNone("auth_url");
  }

  @Row("2.13 inaccessible_repos")
  void noRepositoriesAreNamed() {
    assertNone("inaccessible_repos");
  }

  @Row("2.13 integration_name")
  void noIntegrationIsNamed() {
    assertNone("integration_name");
  }

  @Row("2.13 setup_url")
  void noIntegrationIsToBeSetUp() {
    assertNone("setup_url");
  }

  @Row("2.13 codes")
  void codesHaveTheStatusThatIsPublished() {
    var all =
        Stream.concat(
            Stream.of(PUBLISHED, OF_HTTP)
                .flatMap(codes -> codes.entrySet().stream())
                .map(code -> code.getKey() + " " + code.getValue()),
            // As the contract of the operator asks for while too much is sent at once.
            Stream.of("resource_unavailable 503"));

    assertThat(
            Stream.of(RequestProblem.Code.values())
                .map(code -> code.typeSegment() + " " + code.status())
                .distinct())
        .containsExactlyInAnyOrderElementsOf(all.toList());
    for (var answer : answers) {
      var code = RunningService.problem(answer);
      assertThat(answer.statusCode()).isEqualTo(PUBLISHED.getOrDefault(code, OF_HTTP.get(code)));
    }
  }

  @Row("2.13 spellings of type")
  void theTypeIsSpelledInOneWay() {
    assertThat(answers)
        .allSatisfy(
            answer ->
                assertThat(text(answer, "type"))
                    .matches("http://runnel\\.test:8080/problems/[a-z]+(_[a-z]+)*"));
  }

  @Row("2.13 retryable or not")
  void onlyWhatIsTheServicesFaultCanBeRepeated() {
    for (var answer : answers) {
      assertThat(json(answer).get("retryable").booleanValue())
          .as(answer.body())
          .isEqualTo(answer.statusCode() >= 500);
    }
  }

  @Row("2.13 status to class")
  void everyStatusHasAClassInTheLibraries() {
    assertThat(answers)
        .extracting(HttpResponse::statusCode)
        .containsExactly(400, 401, 403, 404, 422, 405, 404, 500);
  }

  /// After its database is gone.
  private static HttpResponse<String> unavailable() {
    try (var broken = RunningService.withCommand(folder.resolve("broken"), "cat")) {
      broken.loseDatabase();
      var answer = broken.get("/agent/runs");
      assertRefused(answer, 500, "resource_unavailable");
      assertThat(answer.headers().firstValue("Retry-After")).hasValue("5");
      return answer;
    }
  }

  private static void assertNone(String member) {
    assertThat(answers).allSatisfy(answer -> assertThat(json(answer).has(member)).isFalse());
  }

  private static HttpResponse<String> with(String key, String path) {
    return service.send(
        HttpRequest.newBuilder(service.uri("/api/v1" + path))
            .header("Authorization", "Bearer " + key)
            .POST(BodyPublishers.ofString("{\"prompt\":\"x\"}")));
  }

  private static String text(HttpResponse<String> answer, String member) {
    return json(answer).get(member).textValue();
  }

  private static JsonNode json(HttpResponse<String> answer) {
    return RunningService.json(answer);
  }
}
