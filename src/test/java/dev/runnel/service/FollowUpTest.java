package dev.runnel.service;

import static dev.runnel.service.RunningService.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class FollowUpTest {
  @TempDir Path folder;

  @Test
  void interruptingMessageStartsTheNextExecutionWithAllMessages() {
    var command =
        "cat; echo; touch ready; [ $RUNNEL_EXECUTION = 2 ] || { trap '' HUP; sleep 300; }";
    try (var service = RunningService.withCommand(folder, command)) {
      var id = service.create("first");
      awaitFile(folder.resolve("workspaces/" + id + "/ready"));
      await()
          .until(
              () -> service.get("/agent/runs/" + id + "/timeline").body().contains("agent_start"));
      service.followUp(id, "second");
      var body = "{\"message\": \"not that one\", \"interrupt\": true}";
      var path = "/agent/runs/" + id + "/followups";

      var answer = RunningService.json(service.post(path, body, "key-1"));
      var run = service.awaitState(id, "SUCCEEDED");
      var again = RunningService.json(service.post(path, body, "key-1"));

      assertThat(answer.get("outcome").asText()).isEqualTo("queue_pending");
      assertThat(again).isEqualTo(answer);
      assertThat(service.transcript(id)).isEqualTo("first\nsecond\n\nnot that one\n");
      assertThat(run.get("pending_followups")).isEmpty();
      assertThat(run.get("unread_followups")).isEmpty();
      assertThat(service.state(id)).isEqualTo("SUCCEEDED");
      assertThat(RunningService.problem(service.post(path, "{\"message\":\"x\",\"interrupt\":1}")))
          .isEqualTo("invalid_request");
    }
  }

  @Test
  void knownAgentResumesItsOwnSession() throws IOException {
    var programs = Files.createDirectory(folder.resolve("programs"));
    var claude = programs.resolve("claude");
    Files.writeString(
        claude,
        """
        #!/bin/sh
        echo "$@" >> arguments
        prompt=$(head -n 1 | sed 's/.*"text":"\\([^"]*\\)".*/\\1/')
        echo '{"type":"system","subtype":"init","session_id":"its-own"}'
        echo '{"type":"assistant","message":{"content":[{"type":"text","text":"Looking"}]}}'
        echo "{\\"type\\":\\"result\\",\\"is_error\\":false,\\"result\\":\\"Read: $prompt\\"}"
        """);
    Files.setPosixFilePermissions(claude, PosixFilePermissions.fromString("rwx------"));
    try (var service =
        RunningService.inEnvironment(
            folder, Optional.empty(), Map.of("PATH", programs + ":/usr/bin:/bin"))) {
      assertThat(service.service.agentName()).isEqualTo("claude");
      var id = service.create("first");
      assertThat(service.awaitState(id, "SUCCEEDED").at("/status_message/message").asText())
          .isEqualTo("Read: first");
      service.followUp(id, "second");
      await().untilAsserted(() -> assertThat(service.message(id)).isEqualTo("Read: second"));

      assertThat(Files.readAllLines(folder.resolve("workspaces/" + id + "/arguments")))
          .satisfiesExactly(
              first -> assertThat(first).contains("--session-id").doesNotContain("first"),
              second -> assertThat(second).contains("--resume=its-own"));
      assertThat(service.transcript(id)).isEqualTo("Looking\nLooking\n");
    }
  }
}
