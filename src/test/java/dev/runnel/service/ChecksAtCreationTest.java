package dev.runnel.service;

import static dev.runnel.service.Probes.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What cannot work is refused to who asks for it, not shown to whoever looks at the run later.
@Tag("slow")
class ChecksAtCreationTest {
  @TempDir static Path folder;
  private static RunningService service;

  @BeforeAll
  static void start() {
    service = RunningService.withCommand(folder, "cat");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"harness\":{\"type\":\"abacus\"}}",
        "{\"harness\":{\"type\":\"OZ\"}}",
        "{\"skill_spec\":\"o/r:\"}",
        "{\"skill_spec\":\":tidy\"}",
        "{\"skill_spec\":\"o/r:../tidy\"}",
        "{\"skill_spec\":\"https://github.com/o/r\"}",
        "{\"skill_spec\":\"o/r:a:b\"}",
        "{\"skill_spec\":\"owner/repo\"}",
        "{\"skill_spec\":\"owner/repo/skills/tidy/SKILL.md\"}",
        "{\"skill_spec\":\"tidy up the code\"}",
        "{\"skill_spec\":\"o/r:a//SKILL.md\"}",
        "{\"skill_spec\":\"o/r:a/\"}",
        "{\"skill_spec\":\"o/r: \"}",
        "{\"worker_host\":\"elsewhere\"}",
        "{\"runner_id\":\"large\"}",
        "{\"secrets\":[{\"name\":\"K\"}]}",
        "{\"skills\":[\"o/r:a\",\"o//r:b\"]}",
        "{\"credential_strategy\":\"ANYBODY\"}",
        "{\"mcp_servers\":{\"s\":{\"command\":\"c\",\"url\":\"https://u\"}}}",
      })
  void aConfigurationThatCannotWorkIsRefused(String config) {
    assertInvalid(service.post("/agent/runs", "{\"prompt\":\"x\",\"config\":" + config + "}"));
    assertInvalid(
        service.post(
            "/agent/schedules",
            "{\"name\":\"n\",\"cron_schedule\":\"0 9 * * *\",\"prompt\":\"x\",\"agent_config\":"
                + config
                + "}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"harness\":{\"type\":\"abacus\"}",
        "\"skills\":[\"o/r:\"]",
        "\"worker_host\":\"elsewhere\"",
        "\"default_runner_uid\":\"large\"",
        "\"secrets\":[{\"name\":\"K\"}]",
        "\"credential_strategy\":\"ANYBODY\"",
        "\"mcp_servers\":{\"s\":{\"args\":[\"a\"]}}",
        "\"mcp_servers\":{\"s\":{\"command\":\"c\",\"url\":\"https://u\"}}",
      })
  void anIdentityThatCannotWorkIsRefused(String member) {
    assertInvalid(service.post("/agent/identities", "{\"name\":\"a\"," + member + "}"));
    var uid =
        RunningService.json(service.post("/agent/identities", "{\"name\":\"a\"}"))
            .get("uid")
            .asText();
    assertInvalid(put("/agent/identities/" + uid, "{" + member + "}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"harness\":{\"type\":\"oz\"}}",
        "{\"harness\":{}}",
        "{\"skill_spec\":\"tidy\"}",
        "{\"skill_spec\":\"r:tidy\"}",
        "{\"skill_spec\":\"group/sub/r:a/b c/SKILL.md\"}",
        "{\"credential_strategy\":\"EXECUTOR\"}",
        "{\"credential_strategy\":null}",
      })
  void validConfigurationIsAccepted(String config) {
    assertThat(
            service
                .post("/agent/runs", "{\"prompt\":\"x\",\"config\":" + config + "}")
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void refusalOfAMissingAgentExplainsThatItIsNotInstalled() {
    var answer =
        service.post(
            "/agent/runs", "{\"prompt\":\"x\",\"config\":{\"harness\":{\"type\":\"abacus\"}}}");

    assertThat(RunningService.json(answer).get("detail").asText())
        .contains("abacus", "not installed here");
  }

  @Test
  void sharedToolServerIsAcceptedOnlyForACommandAgent() throws IOException {
    var shared = "\"mcp_servers\":{\"linear\":{\"warp_id\":\"linear\"}}";
    var run = "{\"prompt\":\"x\",\"config\":{" + shared + "}}";
    var identity = "{\"name\":\"a\"," + shared + "}";
    assertThat(service.post("/agent/runs", run).statusCode()).isEqualTo(200);
    assertThat(service.post("/agent/identities", identity).statusCode()).isEqualTo(201);
    var program = Files.createDirectories(folder.resolve("bin")).resolve("claude");
    Files.writeString(program, "#!/bin/sh\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();

    try (var other =
        RunningService.inEnvironment(
            folder.resolve("other"),
            Optional.empty(),
            Map.of("PATH", program.getParent() + ":" + System.getenv("PATH")))) {
      assertInvalid(other.post("/agent/identities", identity));
      var answer = other.post("/agent/runs", run);
      assertInvalid(answer);
      assertThat(RunningService.json(answer).get("detail").asText())
          .isEqualTo(
              "The tool server linear is a shared server of another service, which is not available"
                  + " here. Give its command or its url instead of warp_id.");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0 0 30 2 *", "0 0 31 4 *", "0 0 31 2,4,6,9,11 *"})
  void scheduleForANonexistentDateIsRefused(String cron) {
    var answer = service.post("/agent/schedules", schedule(cron));

    assertInvalid(answer);
    assertThat(RunningService.json(answer).get("detail").asText()).contains("never");
  }

  @Test
  void scheduleForADateEveryFewYearsIsAccepted() {
    assertThat(service.post("/agent/schedules", schedule("0 0 29 2 *")).statusCode())
        .isEqualTo(201);
  }

  private static String schedule(String cron) {
    return "{\"name\":\"n\",\"cron_schedule\":\"" + cron + "\",\"prompt\":\"x\"}";
  }

  private static HttpResponse<String> put(String path, String body) {
    return service.send(service.request(path).PUT(BodyPublishers.ofString(body)));
  }
}
