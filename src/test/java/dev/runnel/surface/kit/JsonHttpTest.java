package dev.runnel.surface.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.testkit.MockServers;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.SocketEffect;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonHttpTest {
  private final MockWebServer server = MockServers.create();
  private final ObjectNode body = JsonNodeFactory.instance.objectNode().put("text", "Grüße");

  @BeforeEach
  void start() throws IOException {
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private JsonHttp http() {
    return new JsonHttp(
        new OkHttpClient(),
        URI.create("http://127.0.0.1:" + server.getPort() + "/api/v4"),
        Map.of("Private-Token", "s3cret"));
  }

  private void answers(int status, String text) {
    server.enqueue(
        new MockResponse.Builder()
            .code(status)
            .addHeader("Retry-After", "17")
            .addHeader("X-Odd", "1.5")
            .body(text)
            .build());
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void tokenDoesNotFollowARedirectToAnotherHost(int status) throws Exception {
    try (var other = MockServers.create()) {
      other.start();
      for (var host : List.of("127.0.0.1", "localhost")) {
        redirects(status, "http://" + host + ":" + other.getPort() + "/collect");

        assertThat(http().get("/user").status()).isEqualTo(status);
        server.takeRequest();
        redirects(status, "http://" + host + ":" + other.getPort() + "/collect");

        assertThat(http().post("/user", body).status()).isEqualTo(status);
        server.takeRequest();
      }
      assertThat(other.getRequestCount()).isZero();
    }
  }

  @Test
  void redirectOnTheSameHostIsFollowedWithTheToken() throws Exception {
    redirects(301, "/api/v4/projects/7");
    answers(200, "{\"id\": 7}");

    assertThat(http().get("/projects/old").body().path("id").intValue()).isEqualTo(7);

    server.takeRequest();
    assertThat(server.takeRequest().getHeaders().get("Private-Token")).isEqualTo("s3cret");
  }

  private void redirects(int status, String location) {
    server.enqueue(new MockResponse.Builder().code(status).addHeader("Location", location).build());
  }

  @Test
  void pathAndQueryAreAppendedToTheBaseUrl() throws Exception {
    answers(200, "{\"id\": 1}");

    var answer = http().get("/projects/a%2Fb/notes?page=2&sort=asc");

    assertThat(answer.isGood()).isTrue();
    assertThat(answer.body().path("id").intValue()).isEqualTo(1);
    var request = server.takeRequest();
    assertThat(request.getTarget()).isEqualTo("/api/v4/projects/a%2Fb/notes?page=2&sort=asc");
    assertThat(request.getHeaders().get("Private-Token")).isEqualTo("s3cret");
  }

  @Test
  void bodiesAreJsonInUtf8() throws Exception {
    for (var method : new String[] {"POST", "PATCH", "PUT"}) {
      answers(201, "{}");

      switch (method) {
        case "POST" -> http().post("/x", body);
        case "PATCH" -> http().patch("/x", body);
        default -> http().put("/x", body);
      }

      var request = server.takeRequest();
      assertThat(request.getMethod()).isEqualTo(method);
      assertThat(request.getHeaders().get("Content-Type")).isEqualTo("application/json");
      assertThat(Objects.requireNonNull(request.getBody(), "body").utf8())
          .isEqualTo("{\"text\":\"Grüße\"}");
    }
  }

  @Test
  void everyStatusIsReturnedAsAResponse() throws Exception {
    answers(429, "<html>slow down</html>");

    var answer = http().get("/x");

    assertThat(answer.isGood()).isFalse();
    assertThat(answer.status()).isEqualTo(429);
    assertThat(answer.body().isMissingNode()).isTrue();
    assertThat(answer.number("retry-after")).contains(17L);
    assertThat(answer.number("X-Odd")).isEmpty();
    assertThat(answer.number("X-None")).isEmpty();
    assertThat(answer.toString()).doesNotContain("17", "html");
  }

  @Test
  void aBrokenConnectionIsNotTriedAgain() {
    server.enqueue(
        new MockResponse.Builder().onResponseStart(new SocketEffect.CloseSocket()).build());
    answers(201, "{}");

    assertThatExceptionOfType(IOException.class).isThrownBy(() -> http().post("/x", body));
    assertThat(server.getRequestCount()).isEqualTo(1);
  }

  @Test
  void jsonPatchHasItsContentType() throws Exception {
    answers(200, "{}");

    http().jsonPatch("/items/1", JsonNodeFactory.instance.arrayNode().add(body));

    var request = server.takeRequest();
    assertThat(request.getMethod()).isEqualTo("PATCH");
    assertThat(request.getHeaders().get("Content-Type")).startsWith("application/json-patch+json");
    assertThat(Objects.requireNonNull(request.getBody()).utf8())
        .isEqualTo("[{\"text\":\"Grüße\"}]");
  }
}
