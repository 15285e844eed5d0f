package dev.runnel.service;

import static dev.runnel.service.RunningService.JSON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs of an agent whose output is understood: a script that prints what Claude Code prints.
@Tag("slow")
class KnownAgentRunTest {
  private static final String END =
      "{\"type\":\"result\",\"is_error\":false,\"result\":\"All done.\",\"total_cost_usd\":0.25,"
          + "\"usage\":{\"input_tokens\":1200,\"output_tokens\":34}}";

  @TempDir Path folder;

  @Test
  void agentThatEndsWithoutAResultFailsDespiteExitStatusZero() throws IOException {
    try (var service = claude("printf '\\033[91mkilled,\\033[0m maybe\\n' >&2; exit 0")) {
      var run = service.awaitState(service.create("x"), "FAILED");

      assertThat(run.at("/status_message/message").asText())
          .isEqualTo("The agent ended before it was finished.\nkilled, maybe");
    }
  }

  @Test
  void agentThatReportsSuccessButExitsWithAnErrorFails() throws IOException {
    try (var service = claude(print(END) + "exit 3")) {
      service.awaitState(service.create("x"), "FAILED");
    }
  }

  @Test
  void runStatusShowsTheToolInUse() throws IOException {
    try (var service =
        claude(print(tool("Bash", "command", "sed -i s/a/b/ x")) + "touch ready; sleep 300")) {
      var id = service.create("x");
      RunningService.awaitFile(folder.resolve("workspaces/" + id + "/ready"));
      await()
          .untilAsserted(
              () -> assertThat(service.message(id)).isEqualTo("Running: sed -i s/a/b/ x"));
    }
  }

  @Test
  void artifactsAndToolUseOfARunAreRecorded() throws IOException {
    var script =
        print(tool("Write", "file_path", "$PWD/docs/notes.md"))
            + print(tool("Write", "file_path", "/etc/elsewhere"))
            + print(tool("ExitPlanMode", "plan", "1. read"))
            + print(tool("ExitPlanMode", "plan", "1. read 2. write"))
            + print(tool("Bash", "command", "gh pr list"))
            + print(result("https://github.com/o/r/pull/1"))
            + print(tool("Bash", "command", "gh pr create --fill"))
            + print(result("https://github.com/o/r/pull/2"))
            + print(END);
    try (var service = claude(script)) {
      var id = service.create("x");
      var run = service.awaitState(id, "SUCCEEDED");

      assertThat(run.get("artifacts"))
          .extracting(each -> each.get("artifact_type").asText() + " " + named(each.get("data")))
          .containsExactlyInAnyOrder(
              "FILE docs/notes.md",
              "PLAN 1. read 2. write",
              "PULL_REQUEST https://github.com/o/r/pull/2");
      assertThat(service.service.transcript(id, 0).orElseThrow().lines())
          .extracting(line -> line.kind() + " " + line.text())
          .contains(
              "RESULT https://github.com/o/r/pull/1",
              "DID Bash gh pr create --fill",
              "NOTE The model read 1,200 tokens and wrote 34, for $0.25, as the agent program"
                  + " reports.");
    }
  }

  @Test
  void aRunThatAsksForAnAgentThatIsNotHereIsRefusedWithASentence() throws IOException {
    try (var service = claude(print(END))) {
      var body = JSON.createObjectNode().put("prompt", "x");
      body.putObject("config").putObject("harness").put("type", "codex");
      var answer = service.post("/agent/runs", body.toString());

      assertThat(RunningService.problem(answer)).isEqualTo("invalid_request");
      assertThat(RunningService.json(answer).get("detail").asText())
          .isEqualTo(
              "The run asks for the agent codex, which is not installed here. There is: claude.");
    }
  }

  @Test
  void lostAgentSessionIsAbandonedAfterOneAttempt() throws IOException {
    var script =
        "echo \"$*\" >> arguments; case \"$*\" in *--resume*) echo 'No conversation' >&2; exit 1;;"
            + " esac\n"
            + print("{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\"}")
            + print(END);
    try (var service = claude(script)) {
      var id = service.create("x");
      service.awaitState(id, "SUCCEEDED");
      service.followUp(id, "more");
      assertThat(service.awaitState(id, "FAILED").at("/status_message/message").asText())
          .isEqualTo(
              "No conversation\n"
                  + "The agent could not resume its session. Reply to continue in the same folder"
                  + " with a new one.");

      service.followUp(id, "and more");
      service.awaitState(id, "SUCCEEDED");

      assertThat(Files.readAllLines(folder.resolve("workspaces/" + id + "/arguments")))
          .satisfiesExactly(
              first -> assertThat(first).contains("--session-id="),
              second -> assertThat(second).contains("--resume=s-1"),
              third -> assertThat(third).doesNotContain("--resume", "--session-id"));
    }
  }

  @Test
  void aLineOfManyKilobytesIsStillUnderstood() throws IOException {
    var script =
        "printf '{\"type\":\"result\",\"is_error\":false,\"pad\":\"';"
            + " head -c 200000 /dev/zero | tr '\\0' x;"
            + " printf '\",\"result\":\"Long.\"}\\n'";
    try (var service = claude(script)) {
      var run = service.awaitState(service.create("x"), "SUCCEEDED");

      assertThat(run.at("/status_message/message").asText()).isEqualTo("Long.");
    }
  }

  @Test
  void agentGetsOnlyItsOwnLoginVariables() throws IOException {
    var login =
        Map.of(
            "ANTHROPIC_API_KEY", "claudes",
            "CLAUDE_CODE_OAUTH_TOKEN", "claudes",
            "OPENAI_API_KEY", "of another",
            "GEMINI_API_KEY", "of another");
    try (var service = claude("env > env.txt\n" + print(END), login)) {
      var id = service.create("x");
      service.awaitState(id, "SUCCEEDED");

      assertThat(Files.readAllLines(folder.resolve("workspaces/" + id + "/env.txt")))
          .contains("ANTHROPIC_API_KEY=claudes", "CLAUDE_CODE_OAUTH_TOKEN=claudes")
          .noneMatch(line -> line.contains("of another"));
    }
  }

  private RunningService claude(String script) throws IOException {
    return claude(script, Map.of());
  }

  private RunningService claude(String script, Map<String, String> variables) throws IOException {
    var programs = Files.createDirectory(folder.resolve("programs"));
    var claude = programs.resolve("claude");
    Files.writeString(claude, "#!/bin/sh\nhead -n 1 > /dev/null\n" + script + "\n");
    Files.setPosixFilePermissions(claude, PosixFilePermissions.fromString("rwx------"));
    var all = new HashMap<>(variables);
    all.put("PATH", programs + ":/usr/bin:/bin");
    return RunningService.inEnvironment(folder, Optional.empty(), all);
  }

  private static String print(String line) {
    return "cat <<END\n" + line + "\nEND\n";
  }

  private static String tool(String name, String member, String value) {
    var part = JSON.createObjectNode().put("type", "tool_use").put("name", name);
    part.putObject("input").put(member, value);
    return message("assistant", part);
  }

  private static String result(String text) {
    return message("user", JSON.createObjectNode().put("type", "tool_result").put("content", text));
  }

  private static String message(String type, JsonNode part) {
    var event = JSON.createObjectNode().put("type", type);
    event.putObject("message").putArray("content").add(part);
    return event.toString();
  }

  private static String named(JsonNode data) {
    return List.of("filepath", "content", "url").stream()
        .filter(data::has)
        .map(member -> data.get(member).asText())
        .findFirst()
        .orElse("");
  }
}
