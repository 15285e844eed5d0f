package dev.runnel.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.wire.CreateRun;
import java.net.URI;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.Test;

/// What a client, or one call, is told to do differently.
class OptionsTest extends ClientFixture {
  @Test
  void callOptionsApplyOnlyToThatCall() throws Exception {
    server.enqueue(json(200, CREATED));
    server.enqueue(json(200, CREATED));
    try (var client = builder().build()) {
      var create = client.runs().create(CreateRun.of("fix it"));
      create
          .withOptions(
              it ->
                  it.withHeader("X-One", "1")
                      .withQuery("two", "a b")
                      .withQuery("two", "c")
                      .withBodyMember("three", IntNode.valueOf(3)))
          .send();
      create.send();
    }

    var changed = server.takeRequest();
    assertThat(changed.getHeaders().get("X-One")).isEqualTo("1");
    assertThat(changed.getTarget()).isEqualTo("/api/v1/agent/run?two=a%20b&two=c");
    assertThat(body(changed)).isEqualTo("{\"prompt\":\"fix it\",\"three\":3}");
    var plain = server.takeRequest();
    assertThat(plain.getHeaders().get("X-One")).isNull();
    assertThat(plain.getTarget()).isEqualTo("/api/v1/agent/run");
    assertThat(body(plain)).isEqualTo("{\"prompt\":\"fix it\"}");
  }

  @Test
  void callOptionsOverrideClientOptions() throws Exception {
    server.enqueue(json(200, RUN));
    try (var client =
        builder().options(it -> it.withHeader("X-A", "1").withQuery("q", "1")).build()) {
      client.runs().get("r1").withOptions(it -> it.withHeader("x-a", "2")).send();
    }

    var request = server.takeRequest();
    assertThat(request.getHeaders().values("X-A")).containsExactly("2");
    assertThat(request.getTarget()).endsWith("?q=1");
  }

  @Test
  void aDerivedClientLeavesTheFirstAsItWasAndSharesItsConnections() throws Exception {
    for (int i = 0; i < 3; i++) {
      server.enqueue(json(200, RUN));
    }
    try (var client = builder().build()) {
      client.runs().get("r1").send();
      client.withOptions(it -> it.withTeam("t1")).runs().get("r1").send();
      client.runs().get("r1").send();
    }

    var first = server.takeRequest();
    var derived = server.takeRequest();
    var again = server.takeRequest();
    assertThat(first.getHeaders().get("X-Warp-Team-Uid")).isNull();
    assertThat(derived.getHeaders().get("X-Warp-Team-Uid")).isEqualTo("t1");
    assertThat(again.getHeaders().get("X-Warp-Team-Uid")).isNull();
    assertThat(again.getConnectionIndex()).isZero();
    assertThat(again.getExchangeIndex()).isEqualTo(2);
  }

  @Test
  void headersAreReplacedOrOmittedRegardlessOfCase() throws Exception {
    server.enqueue(json(200, CREATED));
    try (var client = builder().options(it -> it.withoutHeader("AUTHORIZATION")).build()) {
      client
          .runs()
          .create(CreateRun.of("fix it"))
          .withOptions(
              it ->
                  it.withHeader("ACCEPT", "text/plain")
                      .withoutHeader("user-agent")
                      .withHeader("content-type", "application/merge-patch+json"))
          .send();
    }

    var headers = server.takeRequest().getHeaders();
    assertThat(headers.get("Authorization")).isNull();
    assertThat(headers.values("Accept")).containsExactly("text/plain");
    assertThat(headers.get("User-Agent")).isNull();
    assertThat(headers.values("Content-Type")).containsExactly("application/merge-patch+json");
  }

  @Test
  void theUsualHeadersAreSent() throws Exception {
    server.enqueue(json(200, CREATED));
    try (var client = builder().build()) {
      client.runs().create(CreateRun.of("fix it")).send();
    }

    var headers = server.takeRequest().getHeaders();
    assertThat(headers.get("Authorization")).isEqualTo("Bearer " + KEY);
    assertThat(headers.get("Accept")).startsWith("application/json");
    assertThat(headers.get("Content-Type")).isEqualTo("application/json");
    assertThat(headers.get("User-Agent")).startsWith("runnel/");
    assertThat(headers.get("X-Stainless-Retry-Count")).isEqualTo("0");
  }

  @Test
  void optionsCopyMutableValues() throws Exception {
    var given = JsonNodeFactory.instance.objectNode().put("a", 1);
    var options = RequestOptions.DEFAULT.withBodyMember("x", given);
    given.put("a", 2);
    assertThat(options.body().get("x")).hasToString("{\"a\":1}");

    server.enqueue(json(200, "{}"));
    try (var client = builder().build()) {
      client.post("agent/x", given).withOptions(_ -> options).send();
    }
    assertThat(given).hasToString("{\"a\":2}");
    assertThat(body(server.takeRequest())).isEqualTo("{\"a\":2,\"x\":{\"a\":1}}");
  }

  @Test
  void addressesUnknownToTheClientCanBeCalled() throws Exception {
    for (int i = 0; i < 4; i++) {
      server.enqueue(json(200, "{\"a\": 1}"));
    }
    server.enqueue(answer(204, "", "application/json").build());
    try (var client = builder().build()) {
      assertThat(client.get("/agent/x%20y").send().path("a").intValue()).isOne();
      client.post("agent/x", Map.of("p", "q")).send();
      client.put("agent/x", Map.of("p", "q")).send();
      assertThat(client.patch("agent/x", Map.of("p", "q")).as(ObjectNode.class).send().has("a"))
          .isTrue();
      assertThat(client.delete("agent/x").send().isMissingNode()).isTrue();
    }

    assertThat(server.takeRequest().getRequestLine()).isEqualTo("GET /api/v1/agent/x%20y HTTP/1.1");
    for (var method : new String[] {"POST", "PUT", "PATCH"}) {
      var request = server.takeRequest();
      assertThat(request.getMethod()).isEqualTo(method);
      assertThat(body(request)).isEqualTo("{\"p\":\"q\"}");
    }
    assertThat(server.takeRequest().getMethod()).isEqualTo("DELETE");
  }

  @Test
  void unknownAddressesAreRetriedAndRedirectedLikeOthers() throws Exception {
    server.enqueue(problem(500, "internal_error"));
    server.enqueue(
        answer(307, "", "text/plain").setHeader("Location", server.url("/other")).build());
    server.enqueue(json(200, "{}"));
    try (var client = builder().build()) {
      client.get("agent/x").send();
    }

    server.takeRequest();
    server.takeRequest();
    var last = server.takeRequest();
    assertThat(last.getTarget()).isEqualTo("/other");
    assertThat(last.getHeaders().get("Authorization")).isEqualTo("Bearer " + KEY);
  }

  @Test
  void redirectToAnotherHostOmitsTheHeadersForTheService() throws Exception {
    try (var elsewhere = new mockwebserver3.MockWebServer()) {
      elsewhere.start();
      elsewhere.enqueue(answer(200, "kept", "text/plain").build());
      server.enqueue(
          answer(302, "", "text/plain").setHeader("Location", elsewhere.url("/k?sig=1")).build());
      try (var client = builder().options(it -> it.withTeam("t1")).build()) {
        assertThat(client.artifacts().download("a1").send()).asString().isEqualTo("kept");
      }

      var headers = elsewhere.takeRequest().getHeaders();
      assertThat(headers.get("Authorization")).isNull();
      assertThat(headers.get("X-Warp-Team-Uid")).isNull();
      assertThat(headers.get("User-Agent")).startsWith("runnel/");
    }
  }

  @Test
  void pathCannotLeaveTheBaseUrl() {
    try (var client = builder().build()) {
      for (var path :
          Set.of(
              "",
              "/",
              "agent//x",
              "../x",
              "agent/%2e%2E/x",
              "agent/.%2e",
              "agent\\..\\..\\x",
              "agent/.\n./x",
              "agent/x/",
              "agent?x=1",
              "agent#x")) {
        assertThatIllegalArgumentException().as(path).isThrownBy(() -> client.get(path));
      }
    }
  }

  @Test
  void theBaseUrlMayEndWithASlashOrNot() throws Exception {
    for (var path : new String[] {"/api/v1", "/api/v1/"}) {
      server.enqueue(json(200, RUN));
      try (var client = builder().baseUrl(server.url(path).uri()).build()) {
        client.runs().get("r1").send();
      }
      assertThat(server.takeRequest().getTarget()).isEqualTo("/api/v1/agent/runs/r1");
    }
  }

  @Test
  void missingClientSettingIsNamed() {
    assertThatIllegalStateException()
        .isThrownBy(() -> new RunsClientBuilder(_ -> null).build())
        .withMessage(
            "A client needs a base URL (RUNNEL_AGENT_API_URL) and an API key"
                + " (RUNNEL_AGENT_API_KEY)");
    assertThatIllegalStateException()
        .isThrownBy(() -> new RunsClientBuilder(_ -> null).baseUrl(server.url("/").uri()).build())
        .withMessage("A client needs an API key (RUNNEL_AGENT_API_KEY)");
  }

  @Test
  void theEnvironmentIsReadWhenAskedTo() throws Exception {
    server.enqueue(json(200, RUN));
    var environment =
        Map.of(
            "RUNNEL_AGENT_API_URL",
            server.url("/env") + " ",
            "RUNNEL_AGENT_API_KEY",
            "wk-environment");
    try (var client = new RunsClientBuilder(environment::get).fromEnvironment().build()) {
      client.runs().get("r1").send();
    }

    var request = server.takeRequest();
    assertThat(request.getTarget()).isEqualTo("/env/agent/runs/r1");
    assertThat(request.getHeaders().get("Authorization")).isEqualTo("Bearer wk-environment");
  }

  @Test
  void propertiesOverrideVariablesAndSettersOverrideBoth() throws Exception {
    server.enqueue(json(200, RUN));
    var environment =
        Map.of(
            "RUNNEL_AGENT_API_URL", "http://variable.example/",
            "RUNNEL_AGENT_API_KEY", "wk-variable");
    System.setProperty("runnel.agentApiUrl", "http://property.example/");
    System.setProperty("runnel.agentApiKey", "wk-property");
    try (var client =
        new RunsClientBuilder(environment::get)
            .fromEnvironment()
            .baseUrl(server.url("/set").uri())
            .build()) {
      client.runs().get("r1").send();
    } finally {
      System.clearProperty("runnel.agentApiUrl");
      System.clearProperty("runnel.agentApiKey");
    }

    var request = server.takeRequest();
    assertThat(request.getTarget()).isEqualTo("/set/agent/runs/r1");
    assertThat(request.getHeaders().get("Authorization")).isEqualTo("Bearer wk-property");
  }

  @Test
  void nothingIsReadFromTheEnvironmentUnlessAskedTo() {
    var read = new HashSet<String>();
    try (var _ =
        new RunsClientBuilder(
                name -> {
                  read.add(name);
                  return null;
                })
            .baseUrl(server.url("/").uri())
            .apiKey(KEY)
            .build()) {
      assertThat(read).containsOnly("RUNNEL_CLIENT_LOG");
    }
  }

  @Test
  void anEnvironmentThatCannotBeUsedIsRefusedWithoutBeingShown() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new RunsClientBuilder(Map.of("RUNNEL_AGENT_API_URL", "http://u:pw@x/")::get)
                    .fromEnvironment())
        .withMessageStartingWith("RUNNEL_AGENT_API_URL")
        .withMessageNotContaining("pw@");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RunsClient.builder().baseUrl(URI.create("/api/v1")));
  }

  private static String body(RecordedRequest request) {
    return requireNonNull(request.getBody()).utf8();
  }
}
