package dev.runnel.service;

import static dev.runnel.service.RunningService.JSON;
import static dev.runnel.service.RunningService.problem;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What runs make, and what comes with them.
@Tag("slow")
class FilesTest {
  @TempDir Path folder;

  @Nested
  class AnArtifact {
    private static final String WRITES =
        """
        mkdir -p docs
        printf 'My notes' > docs/notes.md
        say() {
          printf '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"%s",' "$1"
          printf '"input":{"%s":"%s"}}]}}\\n' "$2" "$3"
        }
        say Write file_path "$PWD/docs/notes.md"
        say Write file_path "$PWD/links/secret"
        say ExitPlanMode plan '1. read'
        printf '{"type":"result","subtype":"success","is_error":false,"result":"Done."}\\n'
        """;

    @Test
    void planArtifactIsReturnedWithItsContent() throws IOException {
      try (var service = claude(WRITES)) {
        var uid = uid(service.awaitState(service.create("x"), "SUCCEEDED"), "title", "Plan");

        var plan = service.ok(service.get("/agent/artifacts/" + uid));

        assertThat(plan.get("artifact_type").asText()).isEqualTo("PLAN");
        assertThat(plan.at("/data/content").asText()).isEqualTo("1. read");
        assertThat(plan.at("/data/content_type").asText()).startsWith("text/markdown");
      }
    }

    @Test
    void fileArtifactIsReadFromASignedUrl() throws IOException {
      try (var service = claude(WRITES)) {
        var id = service.create("x");
        var uid = uid(service.awaitState(id, "SUCCEEDED"), "filename", "notes.md");

        var file = service.ok(service.get("/agent/artifacts/" + uid)).get("data");
        assertThat(file.get("filepath").asText()).isEqualTo("docs/notes.md");
        assertThat(file.get("size_bytes").asInt()).isEqualTo(8);
        assertThat(file.hasNonNull("expires_at")).isTrue();
        var content = open(service, file.get("download_url").asText());
        assertThat(content.body()).isEqualTo("My notes");
        assertThat(content.headers().firstValue("X-Content-Type-Options")).contains("nosniff");

        var download = service.get("/agent/artifacts/" + uid + "/download");
        assertThat(download.statusCode()).isEqualTo(302);
        var location = download.headers().firstValue("Location").orElseThrow();
        assertThat(open(service, location).body()).isEqualTo("My notes");
        assertThat(problem(open(service, location.replace("signature=", "signature=0"))))
            .isEqualTo("resource_not_found");
        assertThat(problem(open(service, location.replaceAll("[?].*", ""))))
            .isEqualTo("resource_not_found");

        Files.delete(folder.resolve("workspaces/" + id + "/docs/notes.md"));
        assertThat(problem(service.get("/agent/artifacts/" + uid))).isEqualTo("resource_not_found");
        assertThat(problem(open(service, location))).isEqualTo("resource_not_found");
      }
    }

    @Test
    void artifactBehindASymbolicLinkIsNotRead() throws IOException {
      Files.createDirectories(folder.resolve("elsewhere"));
      Files.writeString(folder.resolve("elsewhere/secret"), "a secret");
      try (var service = claude(WRITES)) {
        var id = service.create("x");
        var run = service.awaitState(id, "SUCCEEDED");
        var workspace = folder.resolve("workspaces/" + id);

        Files.createSymbolicLink(workspace.resolve("links"), folder.resolve("elsewhere"));
        assertThat(problem(service.get("/agent/artifacts/" + uid(run, "filename", "secret"))))
            .isEqualTo("resource_not_found");

        var notes = workspace.resolve("docs/notes.md");
        Files.delete(notes);
        Files.createSymbolicLink(notes, folder.resolve("elsewhere/secret"));
        assertThat(problem(service.get("/agent/artifacts/" + uid(run, "filename", "notes.md"))))
            .isEqualTo("resource_not_found");
      }
    }

    @Test
    void unknownArtifactIsNotFound() throws IOException {
      try (var service = claude(WRITES)) {
        assertThat(problem(service.get("/agent/artifacts/none"))).isEqualTo("resource_not_found");
        assertThat(problem(service.get("/agent/artifacts/none/download")))
            .isEqualTo("resource_not_found");
      }
    }

    private static String uid(JsonNode run, String member, String value) {
      for (var artifact : run.get("artifacts")) {
        if (artifact.get("data").path(member).asText().equals(value)) {
          return artifact.at("/data/artifact_uid").asText();
        }
      }
      throw new AssertionError("No " + value + " in " + run.get("artifacts"));
    }
  }

  @Nested
  class AHandedOverFile {
    private static final String HANDS_OVER =
        """
        mkdir -p "$RUNNEL_ARTIFACTS/shots"
        printf 'It works' > "$RUNNEL_ARTIFACTS/report.md"
        printf '\\211PNG' > "$RUNNEL_ARTIFACTS/shots/checkout.png"
        printf 'token ghp_%s' 0123456789abcdefghijABCDEFGHIJ012345 > "$RUNNEL_ARTIFACTS/env.txt"
        ln -s report.md "$RUNNEL_ARTIFACTS/link.txt"
        : > "$RUNNEL_ARTIFACTS/empty.txt"
        echo made
        """;

    @Test
    void handedOverFileIsAnArtifactWithSizeAndDigest() throws IOException {
      try (var service = RunningService.withCommand(folder, HANDS_OVER)) {
        var run = service.awaitState(service.create("x"), "SUCCEEDED");

        var report = handedOver(run, "report.md");
        assertThat(report.get("size_bytes").asInt()).isEqualTo(8);
        assertThat(report.get("sha256").asText()).hasSize(64);
        assertThat(handedOver(run, "checkout.png").get("mime_type").asText())
            .isEqualTo("image/png");
        var uid = report.get("artifact_uid").asText();
        var content = service.ok(service.get("/agent/artifacts/" + uid)).get("data");
        assertThat(open(service, content.get("download_url").asText()).body())
            .isEqualTo("It works");
      }
    }

    @Test
    void handedOverFileWithASecretIsWithheld() {
      try (var service = RunningService.withCommand(folder, HANDS_OVER)) {
        var id = service.create("x");
        var secret = handedOver(service.awaitState(id, "SUCCEEDED"), "env.txt");

        assertThat(secret.get("withheld").asBoolean()).isTrue();
        assertThat(problem(service.get("/agent/artifacts/" + secret.get("artifact_uid").asText())))
            .isEqualTo("resource_not_found");
        assertThat(service.transcript(id)).contains("env.txt is withheld: it contains a secret.");
      }
    }

    @Test
    void handedOverLinksAndEmptyFilesAreOmitted() {
      try (var service = RunningService.withCommand(folder, HANDS_OVER)) {
        var run = service.awaitState(service.create("x"), "SUCCEEDED");

        assertThat(run.get("artifacts"))
            .extracting(each -> each.at("/data/filename").asText())
            .containsExactly("env.txt", "report.md", "checkout.png");
      }
    }

    private static JsonNode handedOver(JsonNode run, String name) {
      for (var artifact : run.get("artifacts")) {
        var data = artifact.get("data");
        if (data.path("filename").asText().equals(name) && data.path("handed_over").asBoolean()) {
          return data;
        }
      }
      throw new AssertionError("No " + name + " in " + run.get("artifacts"));
    }
  }

  @Nested
  class AnAttachment {
    @Test
    void attachmentIsAFileThatThePromptNames() {
      try (var service =
          RunningService.withCommand(
              folder, "sed -n 's/^Attached: \\([^ ]*\\) .*/\\1/p' | xargs cat")) {
        var id = service.create(withImages("one", "two"));
        service.awaitState(id, "SUCCEEDED");

        assertThat(service.message(id)).isEqualTo("onetwo");
        assertThat(folder.resolve("agents/" + id + "/attachments")).isEmptyDirectory();
      }
    }

    @Test
    void attachmentHasASafeNameAndItsTypeInThePrompt() {
      try (var service = RunningService.withCommand(folder, "cat")) {
        var body = withImages("one");
        ((ObjectNode) body.at("/attachments/0")).put("file_name", "../../a b\nc.png");
        var id = service.create(body);
        service.awaitState(id, "SUCCEEDED");

        assertThat(service.transcript(id))
            .contains(
                "Attached: "
                    + folder.resolve("agents/" + id + "/attachments/1-.._.._a_b_c.png")
                    + " (image/png)");
      }
    }

    @Test
    void attachmentIsAvailableToLaterExecutions() {
      try (var service = RunningService.withCommand(folder, "cat")) {
        var id = service.create(withImages("one"));
        service.awaitState(id, "SUCCEEDED");
        service.ok(service.post("/agent/runs/" + id + "/followups", "{\"message\":\"again\"}"));
        service.awaitState(id, "SUCCEEDED");

        assertThat(service.transcript(id)).containsSubsequence("Attached: ", "again", "Attached: ");
      }
    }

    @Test
    void attachmentIsListedWithASignedUrl() {
      try (var service = RunningService.withCommand(folder, "cat")) {
        var id = service.create(withImages("one", "two"));

        var list =
            service
                .ok(service.get("/agent/runs/" + id + "/handoff/attachments"))
                .get("attachments");

        assertThat(list)
            .extracting(
                each -> each.get("filename").asText() + " " + each.get("mime_type").asText())
            .containsExactly("0.png image/png", "1.png image/png");
        var address = list.get(1).get("download_url").asText();
        assertThat(open(service, address).body()).isEqualTo("two");
        assertThat(problem(open(service, address.replace("signature=", "signature=0"))))
            .isEqualTo("resource_not_found");
        assertThat(problem(service.get("/agent/runs/none/handoff/attachments")))
            .isEqualTo("resource_not_found");
      }
    }

    @Test
    void fiveAttachmentsOfFourMegabytesAreAccepted() {
      try (var service = RunningService.withCommand(folder, "cat > /dev/null")) {
        var image = "x".repeat(4 * 1024 * 1024);
        var id = service.create(withImages(image, image, image, image, image));

        assertThat(
                service
                    .ok(service.get("/agent/runs/" + id + "/handoff/attachments"))
                    .get("attachments"))
            .hasSize(5);
        var tooLarge = "{\"prompt\":\"" + "x".repeat(AgentRunService.MAX_BYTES) + "\"}";
        assertThat(service.post("/agent/runs", tooLarge).statusCode()).isEqualTo(413);
      }
    }

    private static ObjectNode withImages(String... contents) {
      var body = JSON.createObjectNode().put("prompt", "look");
      var list = body.putArray("attachments");
      for (int number = 0; number < contents.length; number++) {
        var bytes = contents[number].getBytes(StandardCharsets.UTF_8);
        list.addObject()
            .put("file_name", number + ".png")
            .put("mime_type", "image/png")
            .put("data", Base64.getEncoder().encodeToString(bytes));
      }
      return body;
    }
  }

  /// @param address as the outside sees it, or without its host
  private static HttpResponse<String> open(RunningService service, String address) {
    var uri = URI.create(address);
    var query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    return service.send(HttpRequest.newBuilder(service.uri(uri.getRawPath() + query)));
  }

  @Nested
  class WhatWasSeen {
    private static final String WORKS =
        """
        echo changed > cart.js
        mkdir -p node_modules .cache && echo x > node_modules/x.js && echo x > .cache/y
        call() {
          printf '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"%s",' "$1"
          printf '"name":"Bash","input":{"command":"%s"}}]}}\\n' "$2"
        }
        result() {
          printf '{"type":"user","message":{"content":[{"type":"tool_result",'
          printf '"tool_use_id":"%s","is_error":%s,"content":"%s"}]}}\\n' "$1" "$2" "$3"
        }
        end() {
          printf '{"type":"result","subtype":"success","is_error":false,"result":"%s"}\\n' "$1"
        }
        """;

    @Test
    void evidenceListsFilesAndTestsWithExitStatusInOrderOfEnd() throws IOException {
      var agent =
          WORKS
              + """
              call 1 'npm test'; call 2 'pytest'; call 3 'ls'
              result 2 false ok; result 3 false ok; result 1 true 'Exit code 2 oh no'
              end 'I fixed the cart.'
              """;
      try (var service = claude(agent)) {
        var run = service.awaitState(service.create("x"), "SUCCEEDED");

        assertThat(run.get("evidence"))
            .isEqualTo(
                JSON.readTree(
                    """
                    {"files_changed": 1, "commits": 0, "tests": [
                      {"command": "pytest", "exit_code": 0}, {"command": "npm test", "exit_code": 2}]}
                    """));
      }
    }

    @Test
    void claimOfPassingTestsWithoutATestRunIsMarked() throws IOException {
      try (var service = claude(WORKS + "end 'Done. All tests pass.'")) {
        var id = service.create("x");
        var run = service.awaitState(id, "SUCCEEDED");
        assertThat(run.at("/evidence/mismatch").asText()).isEqualTo("none_ran");

        var list = service.ok(service.get("/agent/runs")).get("runs");
        assertThat(list.get(0).at("/evidence/mismatch").asText()).isEqualTo("none_ran");
      }
    }

    @Test
    void evidenceIsNeverReadFromARequest() {
      try (var service = RunningService.withCommand(folder, "sleep 60")) {
        var request = JSON.createObjectNode().put("prompt", "x").put("evidence", "9 commits");
        var id = service.create(request);

        assertThat(service.run(id).has("evidence")).isFalse();
        service.post("/agent/runs/" + id + "/cancel", "");
      }
    }
  }

  private RunningService claude(String script) throws IOException {
    var program = Files.createDirectories(folder.resolve("bin")).resolve("claude");
    Files.writeString(program, "#!/bin/sh\nhead -n 1 > /dev/null\n" + script);
    assertThat(program.toFile().setExecutable(true)).isTrue();
    return RunningService.inEnvironment(
        folder,
        Optional.empty(),
        Map.of("PATH", program.getParent() + ":" + System.getenv("PATH")));
  }
}
