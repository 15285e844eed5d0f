package dev.runnel.service;

import static dev.runnel.service.Probes.assertInvalid;
import static dev.runnel.service.Probes.assertRefused;
import static dev.runnel.service.Probes.assertUuid;
import static dev.runnel.service.Probes.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.store.RunService;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/// Sections 2.3 and 2.5 of the interface: what a run is created with, and what is answered.
@Tag("slow")
@DisplayNameGeneration(Row.Names.class)
class CreateRowsTest {
  private static final String IMAGE =
      "{\"file_name\":\"a.png\",\"mime_type\":\"image/png\",\"data\":\"aGVsbG8=\"}";

  @TempDir static Path folder;
  @TempDir static Path other;

  /// Its slot is taken for good: runs stay queued.
  private static RunningService service;

  private static RunningService working;

  @BeforeAll
  static void start() {
    service = RunningService.withCommand(folder, "exec sleep 300", 1);
    service.awaitState(service.create("takes the slot"), "INPROGRESS");
    working =
        RunningService.withCommand(
            other, "cat; test -z \"$RUNNEL_AGENT_API_KEY\" || printf '\\n\\nleads\\n'");
  }

  @AfterAll
  static void stop() {
    working.close();
    service.close();
  }

  @Row("2.3 prompt")
  void thePromptIsTextAndKeptAsItIs() {
    assertThat(created("{\"prompt\":\" line one\\n\\ttwo é 😀 \"}").get("prompt").asText())
        .isEqualTo(" line one\n\ttwo é 😀 ");
    assertInvalid(post("{\"prompt\":7}"));
    assertInvalid(post("{\"prompt\":[\"x\"]}"));
    assertInvalid(post("{\"prompt\":null}"));
  }

  @Row("2.3 config")
  void theConfigurationIsAnObjectAndCanBeLeftOut() {
    assertThat(
            created("{\"prompt\":\"x\",\"config\":{\"name\":\"n\"}}")
                .at("/agent_config/name")
                .asText())
        .isEqualTo("n");
    var defaults = object("{\"model_id\":\"default\",\"harness\":{\"type\":\"oz\"}}");
    assertThat(created("{\"prompt\":\"x\"}").get("agent_config")).isEqualTo(defaults);
    assertThat(created("{\"prompt\":\"x\",\"config\":null}").get("agent_config"))
        .isEqualTo(defaults);
    assertInvalid(post("{\"prompt\":\"x\",\"config\":\"text\"}"));
    assertInvalid(post("{\"prompt\":\"x\",\"config\":[]}"));
  }

  @Row("2.3 title")
  void theTitleIsMadeUpWhereThereIsNone() {
    assertThat(created("{\"prompt\":\"x\",\"title\":\"Mine\"}").get("title").asText())
        .isEqualTo("Mine");
    assertThat(created("{\"prompt\":\"fix it\\nplease\"}").get("title").asText())
        .isEqualTo("fix it");
    assertThat(created("{\"skill\":\"r:tidy\"}").get("title").asText()).isNotBlank();
    assertInvalid(post("{\"prompt\":\"x\",\"title\":7}"));
  }

  @Row("2.3 skill")
  void aSkillOfEachSpellingWinsOverTheConfigurations() {
    for (var spec : List.of("r:tidy", "r:skills/tidy/SKILL.md", "o/r:tidy", "o/r:a/tidy")) {
      var run =
          created("{\"skill\":\"%s\",\"config\":{\"skill_spec\":\"o/r:other\"}}".formatted(spec));
      assertThat(run.at("/agent_config/skill_spec").asText()).isEqualTo(spec);
      assertThat(run.at("/agent_skill/name").asText()).isEqualTo("tidy");
    }
    assertInvalid(post("{\"skill\":7}"));
  }

  @Row("2.3 team")
  void aRunIsTheTeamsUnlessItSaysOtherwise() {
    assertThat(created("{\"prompt\":\"x\"}").at("/scope/type").asText()).isEqualTo("Team");
    assertThat(created("{\"prompt\":\"x\",\"team\":true}").at("/scope/type").asText())
        .isEqualTo("Team");
    assertThat(created("{\"prompt\":\"x\",\"team\":false}").at("/scope/type").asText())
        .isEqualTo("User");
    assertInvalid(post("{\"prompt\":\"x\",\"team\":\"false\"}"));
    assertInvalid(post("{\"prompt\":\"x\",\"team\":0}"));
  }

  @Row("2.3 agent_identity_uid")
  void theAgentThatIsNamedExecutesRunsOfTheTeam() {
    var uid =
        RunningService.json(service.post("/agent/identities", "{\"name\":\"tidier\"}"))
            .get("uid")
            .asText();
    var run = created("{\"prompt\":\"x\",\"agent_identity_uid\":\"%s\"}".formatted(uid));

    assertThat(run.at("/executor/uid").asText()).isEqualTo(uid);
    assertThat(run.at("/executor/type").asText()).isEqualTo("service_account");
    assertThat(run.at("/creator/uid").asText()).isEqualTo("runnel");
    assertInvalid(
        post("{\"prompt\":\"x\",\"team\":false,\"agent_identity_uid\":\"%s\"}".formatted(uid)));
    assertInvalid(post("{\"prompt\":\"x\",\"agent_identity_uid\":\"nobody\"}"));
  }

  @Row("2.3 conversation_id")
  void aConversationIsContinuedInANewRun() {
    var first = created("{\"prompt\":\"x\"}");
    var conversation = first.get("conversation_id").asText();
    var next = created("{\"conversation_id\":\"%s\"}".formatted(conversation));

    assertThat(next.get("conversation_id").asText()).isEqualTo(conversation);
    assertThat(next.get("run_id")).isNotEqualTo(first.get("run_id"));
    assertInvalid(post("{\"prompt\":\"x\",\"conversation_id\":\"none\"}"));
  }

  @Row("2.3 attachments")
  void fiveImagesAtMostComeWithAPrompt() {
    for (var type : List.of("image/jpeg", "image/png", "image/gif", "image/webp")) {
      assertThat(attach(IMAGE.replace("image/png", type)).statusCode()).isEqualTo(200);
    }
    assertThat(attach(String.join(",", List.of(IMAGE, IMAGE, IMAGE, IMAGE, IMAGE))).statusCode())
        .isEqualTo(200);
    assertInvalid(attach(String.join(",", List.of(IMAGE, IMAGE, IMAGE, IMAGE, IMAGE, IMAGE))));
    for (var member : List.of("file_name", "mime_type", "data")) {
      assertInvalid(attach(object(IMAGE).without(member).toString()));
    }
    assertInvalid(attach(IMAGE.replace("image/png", "application/pdf")));
    assertInvalid(attach(IMAGE.replace("aGVsbG8=", "no base64!")));
    assertInvalid(post("{\"prompt\":\"x\",\"attachments\":\"a\"}"));
  }

  @Row("2.3 parent_run_id")
  void aParentMustExistAndNotLieTooDeep() {
    var id = service.create("parent");
    for (int depth = 1; depth <= RunService.MAX_DEPTH; depth++) {
      var child = created("{\"prompt\":\"x\",\"parent_run_id\":\"%s\"}".formatted(id));
      assertThat(child.get("parent_run_id").asText()).isEqualTo(id);
      id = child.get("run_id").asText();
    }
    assertInvalid(post("{\"prompt\":\"x\",\"parent_run_id\":\"%s\"}".formatted(id)));
    assertInvalid(post("{\"prompt\":\"x\",\"parent_run_id\":\"nobody\"}"));
  }

  @Row("2.3 interactive")
  void interactiveIsABooleanAndKept() {
    assertThat(created("{\"prompt\":\"x\",\"interactive\":true}").get("interactive").booleanValue())
        .isTrue();
    assertThat(created("{\"prompt\":\"x\"}").path("interactive").asBoolean()).isFalse();
    assertInvalid(post("{\"prompt\":\"x\",\"interactive\":\"true\"}"));
  }

  @Row("2.3 mode")
  void theModeIsNormalUnlessItIsSaidAndNeverInferred() {
    assertThat(ended("{\"prompt\":\"/plan this\"}", "SUCCEEDED").get("artifacts")).isEmpty();
    assertThat(ended("{\"prompt\":\"x\",\"mode\":\"normal\"}", "SUCCEEDED").get("artifacts"))
        .isEmpty();
    var planned = ended("{\"prompt\":\"x\",\"mode\":\"plan\"}", "BLOCKED");
    assertThat(planned.at("/artifacts/0/artifact_type").asText()).isEqualTo("PLAN");
    var leading = ended("{\"prompt\":\"x\",\"mode\":\"orchestrate\"}", "SUCCEEDED");
    assertThat(leading.at("/status_message/message").asText()).isEqualTo("leads");
    assertInvalid(post("{\"prompt\":\"x\",\"mode\":\"fast\"}"));
    assertInvalid(post("{\"prompt\":\"x\",\"mode\":\"PLAN\"}"));
  }

  @Row("2.3 metadata")
  void metadataIsBoundedInNumberNamesAndValues() {
    assertThat(withMetadata(20, "k", "é".repeat(128)).statusCode()).isEqualTo(200);
    assertInvalid(withMetadata(21, "k", "v"));
    assertThat(withMetadata(1, "aZ0._-", "").statusCode()).isEqualTo(200);
    assertThat(withMetadata(1, "k".repeat(63), "v").statusCode()).isEqualTo(200);
    assertInvalid(withMetadata(1, "k".repeat(64), "v"));
    assertInvalid(withMetadata(1, "k k", "v"));
    assertInvalid(withMetadata(1, "é", "v"));
    assertInvalid(withMetadata(1, "k", "v".repeat(257)));
    assertInvalid(withMetadata(1, "k", "a\0b"));
    assertInvalid(post("{\"prompt\":\"x\",\"metadata\":{\"\":\"v\"}}"));
    assertInvalid(post("{\"prompt\":\"x\",\"metadata\":{\"k\":7}}"));
    assertThat(created("{\"prompt\":\"x\",\"metadata\":{\"k\":\"1\",\"K\":\"2\"}}").get("metadata"))
        .isEqualTo(object("{\"k\":\"1\",\"K\":\"2\"}"));
  }

  @Row("2.3 on_behalf_of")
  void aRunIsAttributedToWhomItIsFor() {
    var byMail = created("{\"prompt\":\"x\",\"on_behalf_of\":\"ada@team.example\"}");
    assertThat(byMail.at("/creator/type").asText()).isEqualTo("user");
    assertThat(byMail.at("/creator/email").asText()).isEqualTo("ada@team.example");
    var byId = created("{\"prompt\":\"x\",\"on_behalf_of\":\"u-1\"}");
    assertThat(byId.at("/creator/uid").asText()).isEqualTo("u-1");
    assertThat(byId.at("/executor/uid").asText()).isEqualTo("runnel");
    var reading = key("read");
    assertRefused(
        service.send(
            HttpRequest.newBuilder(service.uri("/api/v1/agent/runs"))
                .header("Authorization", "Bearer " + reading)
                .POST(BodyPublishers.ofString("{\"prompt\":\"x\",\"on_behalf_of\":\"u-1\"}"))),
        403,
        "not_authorized");
  }

  @Row("2.3 needs a task")
  void aRunNeedsAPromptASkillOrAConversation() {
    var conversation = created("{\"prompt\":\"x\"}").get("conversation_id").asText();
    for (var enough :
        List.of(
            "{\"prompt\":\"x\"}",
            "{\"skill\":\"o/r:s\"}",
            "{\"config\":{\"skill_spec\":\"o/r:s\"}}",
            "{\"config\":{\"skills\":[\"o/r:s\"]}}",
            "{\"conversation_id\":\"" + conversation + "\"}")) {
      assertThat(post(enough).statusCode()).as(enough).isEqualTo(200);
    }
    for (var tooLittle :
        List.of(
            "{}",
            "{\"prompt\":\"\"}",
            "{\"prompt\":\" \\n\"}",
            "{\"skill\":\"\"}",
            "{\"config\":{\"skills\":[]}}",
            "{\"title\":\"only\"}",
            "{\"message\":\"not a prompt\"}")) {
      assertInvalid(post(tooLittle));
    }
  }

  @Row("2.3 images")
  void theImagesOfTheOldestLibraryAreAttachmentsToo() {
    var image = "{\"mime_type\":\"image/gif\",\"data\":\"aGVsbG8=\"}";
    var id = service.create(object("{\"prompt\":\"x\",\"images\":[%s]}".formatted(image)));

    assertThat(
            service
                .ok(service.get("/agent/runs/" + id + "/handoff/attachments"))
                .at("/attachments/0/mime_type")
                .asText())
        .isEqualTo("image/gif");
    assertThat(service.run(id).has("images")).isFalse();
    assertInvalid(post("{\"prompt\":\"x\",\"images\":[{\"mime_type\":\"image/gif\"}]}"));
    assertInvalid(post("{\"prompt\":\"x\",\"images\":\"aGVsbG8=\"}"));
    assertInvalid(post("{\"prompt\":\"x\",\"images\":{\"a\":%s}}".formatted(image)));
  }

  @Row("2.5 run_id")
  void theAnswerHasTheRunsId() {
    var answer = service.ok(post("{\"prompt\":\"x\"}"));

    assertUuid(answer.get("run_id"));
    assertThat(service.run(answer.get("run_id").asText()).get("run_id"))
        .isEqualTo(answer.get("run_id"));
    assertThat(answer.has("session_link")).isFalse();
  }

  @Row("2.5 state")
  void theAnswerHasTheRunsFirstState() {
    assertThat(service.ok(post("{\"prompt\":\"x\"}")).get("state").asText()).isEqualTo("QUEUED");
  }

  @Row("2.5 task_id")
  void theAnswerHasTheIdByItsOldNameToo() {
    var answer = service.ok(post("{\"prompt\":\"x\"}"));

    assertThat(answer.get("task_id")).isEqualTo(answer.get("run_id"));
  }

  @Row("2.5 at_capacity")
  void theAnswerSaysWhetherTheRunHasToWait() {
    assertThat(service.ok(post("{\"prompt\":\"x\"}")).get("at_capacity").booleanValue()).isTrue();
    var free = working.ok(working.post("/agent/runs", "{\"prompt\":\"x\"}"));
    assertThat(free.get("at_capacity").isBoolean()).isTrue();
    assertThat(free.get("at_capacity").booleanValue()).isFalse();
  }

  private static HttpResponse<String> post(String body) {
    return service.post("/agent/runs", body);
  }

  private static JsonNode created(String body) {
    return Probes.created(service, body);
  }

  private static JsonNode ended(String body, String state) {
    return working.awaitState(working.create(object(body)), state);
  }

  private static HttpResponse<String> attach(String images) {
    return post("{\"prompt\":\"x\",\"attachments\":[" + images + "]}");
  }

  private static HttpResponse<String> withMetadata(int count, String name, String value) {
    var body = object("{\"prompt\":\"x\"}");
    var metadata = body.putObject("metadata");
    IntStream.range(0, count).forEach(i -> metadata.put(name + (char) ('a' + i), value));
    return post(body.toString());
  }

  private static String key(String scope) {
    return RunningService.json(
            service.post("/agent/keys", "{\"name\":\"k\",\"scope\":\"" + scope + "\"}"))
        .get("key")
        .asText();
  }
}
