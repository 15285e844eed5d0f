package dev.runnel.service;

import static dev.runnel.service.RunningService.JSON;
import static dev.runnel.service.RunningService.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.run.Factory;
import dev.runnel.service.run.Factory.Member;
import dev.runnel.service.workspace.Environments;
import dev.runnel.testkit.LocalRepository;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What an agent can do with the key that it gets to start runs below its own.
@Tag("slow")
class ChildKeyTest {
  @TempDir static Path folder;
  private static RunningService service;
  private static LocalRepository archive;
  private static String parent;
  private static String key;

  @BeforeAll
  static void start() throws Exception {
    var site = LocalRepository.make(folder.resolve("origin/acme/site"));
    site.commit("skills/write/SKILL.md", "Write plainly.\n");
    var vault = LocalRepository.make(folder.resolve("origin/acme/vault"));
    vault.commit("skills/deploy/SKILL.md", "Deploy to the bunker.\n");
    var docs = EnvironmentRuns.web("docs", List.of(), site);
    var prod = EnvironmentRuns.web("prod", List.of(), vault);
    archive = LocalRepository.make(folder.resolve("origin/acme/archive"));
    archive.commit("skills/keep/SKILL.md", "Keep everything.\n");
    var old = EnvironmentRuns.web("old", List.of(), archive);
    var setup =
        Setup.USUAL
            .with(new Environments(List.of(docs, prod, old), Optional.of(prod), Map.of()))
            .with(
                new Factory(
                    "shop",
                    "Web shop",
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    new Member(
                        "foreman",
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()),
                    List.of(
                        new Member(
                            "coder",
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty()))));
    service =
        RunningService.with(
            folder,
            "test -z \"$RUNNEL_AGENT_API_KEY\" || printf %s \"$RUNNEL_AGENT_API_KEY\" > ../key;"
                + " prompt=$(cat);"
                + " test \"$prompt\" != link || exec echo https://github.com/acme/site/pull/7;"
                + " test \"$prompt\" = report || exec sleep 300;"
                + " echo Paid > \"$RUNNEL_ARTIFACTS/report.md\"",
            20,
            setup);
    parent = leads("docs");
    key = keyOf(parent);
  }

  private static String leads(String environment) {
    return service.create(
        JSON.createObjectNode()
            .put("prompt", "Lead")
            .put("mode", "orchestrate")
            .set("config", JSON.createObjectNode().put("environment_id", environment)));
  }

  private static String keyOf(String run) throws IOException {
    var file = folder.resolve("workspaces/" + run + "/key");
    await().until(() -> Files.exists(file) && Files.size(file) > 10);
    return Files.readString(file);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static HttpResponse<String> asks(String method, String path, String body) {
    return asks(key, method, path, body);
  }

  private static HttpResponse<String> asks(String key, String method, String path, String body) {
    return service.send(
        HttpRequest.newBuilder(service.uri("/api/v1" + path))
            .header("Authorization", "Bearer " + key)
            .method(method, BodyPublishers.ofString(body)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST   | /agent/schedules          | {'name':'x','cron_schedule':'* * * *"
            + " *','prompt':'x'}",
        "GET    | /agent/schedules          | {}",
        "GET    | /agent/schedules/x        | {}",
        "PUT    | /agent/schedules/x        | {}",
        "DELETE | /agent/schedules/x        | {}",
        "POST   | /agent/schedules/x/resume | {}",
        "POST   | /agent/identities         | {'name':'x'}",
        "PUT    | /agent/identities/x       | {'name':'x'}",
        "DELETE | /agent/identities/x       | {}",
        "POST   | /factory/shop/runs        | {'prompt':'x'}",
        "POST   | /agent/keys               | {'name':'x'}",
        "GET    | /agent/keys               | {}"
      })
  void childKeyDoesNotPermitRequestsBeyondItsChildRuns(String method, String path, String body) {
    var answer = asks(method, path, body.replace('\'', '"'));

    assertThat(problem(answer)).isEqualTo("not_authorized");
  }

  @Test
  void childKeySeesNoForeignRunTitleInTheEnvironmentList() {
    service.create(
        JSON.createObjectNode()
            .put("prompt", "Pay the ransom quietly")
            .set("config", JSON.createObjectNode().put("environment_id", "prod")));

    assertThat(service.get("/agent/environments").body()).contains("Pay the ransom quietly");
    assertThat(asks("GET", "/agent/environments", "").body())
        .contains("prod")
        .doesNotContain("Pay the ransom quietly");
  }

  private static HttpResponse<String> starts(String members) {
    return asks("POST", "/agent/runs", "{\"prompt\":\"x\"" + members + "}");
  }

  @Test
  void childKeyStartsRunsOnlyInTheEnvironmentOfItsRun() throws Exception {
    var child = JSON.readTree(starts("").body()).path("run_id").asText();

    assertThat(service.run(child).at("/agent_config/environment_id").asText())
        .isEqualTo(service.run(parent).at("/agent_config/environment_id").asText());
    assertThat(starts(",\"config\":{\"environment_id\":\"docs\"}").statusCode()).isEqualTo(200);
    assertThat(problem(starts(",\"config\":{\"environment_id\":\"prod\"}")))
        .isEqualTo("not_authorized");
  }

  @Test
  void childKeyCannotAllowToolsForARunBelow() throws Exception {
    var child = JSON.readTree(starts("").body()).path("run_id").asText();

    for (var words : List.of("Allow once", "allow for this run")) {
      var answer =
          asks(
              "POST",
              "/agent/runs/" + child + "/followups",
              JSON.createObjectNode().put("message", words).toString());
      assertThat(problem(answer)).isEqualTo("not_authorized");
    }
  }

  @Test
  void childKeyCannotNameAnotherRequesterInTheMetadata() throws Exception {
    var child =
        JSON.readTree(
                starts(
                        ",\"metadata\":{\"runnel.person\":\"U1\",\"runnel.delivery\":\"slack:1\","
                            + "\"ticket_id\":\"slack:1\",\"part\":\"two\"}")
                    .body())
            .path("run_id")
            .asText();

    assertThat(service.run(child).path("metadata").toString()).isEqualTo("{\"part\":\"two\"}");
  }

  @Test
  void childKeyCannotStartARunOnBehalfOfSomebodyElse() {
    assertThat(problem(starts(",\"on_behalf_of\":\"dana@acme.example\"")))
        .isEqualTo("not_authorized");
  }

  /// The run of somebody else is one for this key as little as none.
  @Test
  void childKeyCannotReachRunsOfOthers() {
    var other = service.create("Pay the ransom");

    for (var path :
        List.of("", "/timeline", "/transcript", "/conversation", "/handoff/attachments")) {
      assertThat(problem(asks("GET", "/agent/runs/" + other + path, "")))
          .as(path)
          .isEqualTo("resource_not_found");
    }
    var message = "{\"message\":\"Stop that\"}";
    assertThat(problem(asks("POST", "/agent/runs/" + other + "/followups", message)))
        .isEqualTo("resource_not_found");
    assertThat(problem(asks("POST", "/agent/runs/" + other + "/cancel", "")))
        .isEqualTo("resource_not_found");
    assertThat(problem(starts(",\"parent_run_id\":\"" + other + "\"")))
        .isEqualTo("resource_not_found");
    assertThat(service.state(other)).isIn("QUEUED", "INPROGRESS");
  }

  @Test
  void childKeyCannotContinueOrReadConversationsOfOthers() {
    var other = service.create("Pay the ransom");
    var conversation = service.run(other).path("conversation_id").asText();

    assertThat(conversation).isNotEmpty();
    assertThat(problem(starts(",\"conversation_id\":\"" + conversation + "\"")))
        .isEqualTo("invalid_request");
    assertThat(problem(asks("GET", "/agent/runs?ancestor_run_id=" + other, "")))
        .isEqualTo("invalid_request");
    assertThat(problem(asks("GET", "/agent/conversations/" + conversation, "")))
        .isEqualTo("resource_not_found");
    var message = "{\"message\":\"Stop that\"}";
    assertThat(
            problem(asks("POST", "/agent/conversations/" + conversation + "/followups", message)))
        .isEqualTo("resource_not_found");
  }

  @Test
  void childKeyCannotReadAFileOfAnotherRun() {
    var other = service.awaitState(service.create("report"), "SUCCEEDED");
    var file = other.at("/artifacts/0/data/artifact_uid").asText();

    assertThat(service.get("/agent/artifacts/" + file).body()).contains("report.md");
    for (var path : List.of("", "/download")) {
      assertThat(problem(asks("GET", "/agent/artifacts/" + file + path, "")))
          .isEqualTo("resource_not_found");
    }
  }

  @Test
  void childKeyCannotFindAnotherRunByItsResult() {
    var other = service.awaitState(service.create("report"), "SUCCEEDED");
    var path =
        "/agent/run-by-external-reference?url="
            + other.at("/artifacts/0/data/artifact_uid").asText();

    assertThat(service.get(path).body()).contains(other.get("run_id").asText());
    assertThat(problem(asks("GET", path, ""))).isEqualTo("resource_not_found");
  }

  @Test
  void findsARunBelowByAPullRequestThatANewerRunOfSomebodyElseMentions() throws Exception {
    var child =
        JSON.readTree(asks("POST", "/agent/runs", "{\"prompt\":\"link\"}").body())
            .path("run_id")
            .asText();
    service.awaitState(child, "SUCCEEDED");
    var other = service.create("link");
    service.awaitState(other, "SUCCEEDED");
    var path = "/agent/run-by-external-reference?url=https://github.com/acme/site/pull/7";

    assertThat(service.get(path).body()).contains(other);
    assertThat(asks("GET", path, "").body()).contains(child);
  }

  @Test
  void childKeyCannotReadOrSteerItsOwnRun() {
    assertThat(problem(asks("GET", "/agent/runs/" + parent + "/transcript", "")))
        .isEqualTo("resource_not_found");
    assertThat(
            problem(
                asks("POST", "/agent/runs/" + parent + "/followups", "{\"message\":\"Allow\"}")))
        .isEqualTo("resource_not_found");
  }

  @Test
  void childKeyCannotReadOrUseNamedAgents() throws Exception {
    var uid = deployer();

    assertThat(service.get("/agent/identities").body()).contains(uid).doesNotContain("sekret");
    assertThat(asks("GET", "/agent/identities", "").body()).isEqualTo("{\"agents\":[]}");
    for (var named : List.of(uid, "shop:coder")) {
      assertThat(problem(asks("GET", "/agent/identities/" + named, "")))
          .isEqualTo("resource_not_found");
      assertThat(problem(starts(",\"agent_identity_uid\":\"" + named + "\"")))
          .isEqualTo("not_authorized");
    }
  }

  @Test
  void childKeyOfAFactoryReadsAndStartsOnlyTheAgentsOfThisFactory() throws Exception {
    var dispatched = service.ok(service.post("/factory/shop/runs", "{\"prompt\":\"Lead\"}"));
    var foreman = keyOf(dispatched.path("run_id").asText());

    assertThat(
            RunningService.json(asks(foreman, "GET", "/agent/identities", ""))
                .path("agents")
                .findValuesAsText("uid"))
        .containsExactly("shop:foreman", "shop:coder");
    assertThat(asks(foreman, "GET", "/agent/identities/shop:coder", "").statusCode())
        .isEqualTo(200);
    var body = "{\"prompt\":\"x\",\"agent_identity_uid\":\"%s\"}";
    assertThat(asks(foreman, "POST", "/agent/runs", body.formatted("shop:coder")).statusCode())
        .isEqualTo(200);
    assertThat(problem(asks(foreman, "POST", "/agent/runs", body.formatted(deployer()))))
        .isEqualTo("not_authorized");
  }

  /// A named agent with a secret, as the operator makes it.
  ///
  /// @return its uid
  private static String deployer() throws Exception {
    var made =
        service.post(
            "/agent/identities",
            """
            {"name": "deployer", "environment_id": "prod",
             "mcp_servers": {"x": {"url": "https://tools.example",
               "headers": {"Authorization": "Bearer sekret-0123456789"}}}}
            """);
    return JSON.readTree(made.body()).path("uid").asText();
  }

  @Test
  void childKeyReadsOnlyTheSkillsOfTheEnvironmentOfItsRun() {
    assertThat(service.get("/agent").body()).contains("Write plainly.", "Deploy to the bunker.");
    assertThat(asks("GET", "/agent", "").body())
        .contains("Write plainly.")
        .doesNotContain("bunker");
  }

  @Test
  void childKeyCannotRefreshSkills() throws Exception {
    var archivist = keyOf(leads("old"));
    archive.commit("skills/fresh/SKILL.md", "Be fresh.\n");

    assertThat(asks(archivist, "GET", "/agent?refresh=true", "").body())
        .contains("Keep everything.")
        .doesNotContain("Be fresh.");
  }
}
