package dev.runnel.service;

import static dev.runnel.service.RunningService.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.run.TranscriptLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Messages to an agent that takes them while it works: a script that reads and prints what Claude
/// Code does. That Claude Code does it is for `RealAgentsTest`.
@Tag("slow")
class SteeringTest {
  /// Keeps what it reads in the file `read`.
  private static final String FUNCTIONS =
      """
      #!/bin/sh
      read_message() { head -n 1 > line; cat line >> read; }
      take() { sed 's/"type":"user"/"type":"user","isReplay":true/' line; }
      say() { printf '%s\\n' "{\\"type\\":\\"result\\",\\"is_error\\":false,\\"result\\":\\"$1\\"}"; }
      wait_for() { until [ -e "$1" ]; do sleep 0.02; done; }
      # As many lines as there are: no line is read ahead.
      head() { IFS= read -r text && printf '%s\\n' "$text"; }
      read_message
      """;

  private static final String MAYBE_READ =
      "You may have read this message before you were interrupted. If so, do not do it twice:";

  @TempDir Path folder;
  private Path script;

  @BeforeEach
  void makeProgram() throws IOException {
    script = Files.createDirectories(folder.resolve("programs")).resolve("claude");
  }

  @Test
  void messageCountsAsReadOnlyWhenTheWorkingAgentConfirmsIt() throws IOException {
    try (var service =
        claude(folder, "touch ready; read_message; touch heard; wait_for go; take; say ok")) {
      var id = service.create("first");
      awaitFile(workspace(id, "ready"));
      awaitLaunch(service, id);

      var answer = service.followUp(id, "second");
      awaitFile(workspace(id, "heard"));

      assertThat(answer.get("outcome").asText()).isEqualTo("live_session");
      assertThat(pending(service, id)).containsExactly("second");
      var before = service.run(id).get("updated_at").asText();
      Files.createFile(workspace(id, "go"));
      await().until(() -> pending(service, id).isEmpty());
      assertThat(service.run(id).get("updated_at").asText()).isGreaterThan(before);
      service.awaitState(id, "SUCCEEDED");
      assertThat(asked(service, id)).containsExactly("first", "second");
      assertThat(starts(service, id)).isEqualTo(1);
      assertThat(Files.readAllLines(workspace(id, "read"))).hasSize(2);
    }
  }

  @Test
  void aMessageThatTheAgentHasNotReadAtItsEndStartsTheNextExecution() throws IOException {
    try (var service = claude(folder, "touch ready$RUNNEL_EXECUTION; wait_for go; say ok")) {
      var id = service.create("first");
      awaitFile(workspace(id, "ready1"));
      awaitLaunch(service, id);
      service.followUp(id, "second");
      Files.createFile(workspace(id, "go"));

      awaitFile(workspace(id, "ready2"));
      service.awaitState(id, "SUCCEEDED");

      assertThat(asked(service, id)).containsExactly("first", "second");
      assertThat(pending(service, id)).isEmpty();
    }
  }

  @Test
  void finishedAgentContinuesWithAMessageItReceivedBefore() throws IOException {
    var agent = "touch ready; read_message; say one; wait_for go; take; say two; head > ended; :";
    try (var service = claude(folder, agent)) {
      var id = service.create("first");
      awaitFile(workspace(id, "ready"));
      service.followUp(id, "second");
      await().until(() -> Files.readAllLines(workspace(id, "read")).size() == 2);
      Files.createFile(workspace(id, "go"));

      var run = service.awaitState(id, "SUCCEEDED");

      assertThat(run.at("/status_message/message").asText()).isEqualTo("two");
      assertThat(starts(service, id)).isEqualTo(1);
      assertThat(workspace(id, "ended")).isEmptyFile();
    }
  }

  @Test
  void unreadMessageIsReturnedByAStop() throws IOException {
    try (var service = claude(folder, "touch ready; read_message; touch heard; sleep 300")) {
      var id = service.create("first");
      awaitFile(workspace(id, "ready"));
      service.followUp(id, "second");
      awaitFile(workspace(id, "heard"));

      service.cancel(id);

      var run = service.awaitState(id, "CANCELLED");
      assertThat(run.at("/unread_followups/0/message").asText()).isEqualTo("second");
    }
  }

  @Test
  void aMessageThatInterruptsIsNotGivenToTheAgentThatItEnds() throws IOException {
    var agent = "touch ready$RUNNEL_EXECUTION; [ $RUNNEL_EXECUTION = 1 ] && read_message; say ok";
    try (var service = claude(folder, agent)) {
      var id = service.create("first");
      awaitFile(workspace(id, "ready1"));
      awaitLaunch(service, id);

      var answer =
          RunningService.json(
              service.post(
                  "/agent/runs/" + id + "/followups",
                  "{\"message\": \"second\", \"interrupt\": true}"));

      assertThat(answer.get("outcome").asText()).isEqualTo("queue_pending");
      awaitFile(workspace(id, "ready2"));
      service.awaitState(id, "SUCCEEDED");
      assertThat(asked(service, id)).containsExactly("first", "second");
    }
  }

  @Test
  void unconfirmedMessagesAreRepeatedWithAWarningAfterAKill() throws Exception {
    var killed = kill();
    write("say done");
    try (var service = open(folder)) {
      service.awaitState(killed, "SUCCEEDED");

      assertThat(asked(service, killed))
          .containsExactly("first", "taken", MAYBE_READ + "\n\noffered");
    }
  }

  private String kill() throws Exception {
    write("touch ready; read_message; take; read_message; touch heard; sleep 300");
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var process =
        new ProcessBuilder(
                java,
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("killed.log").toFile())
            .start();
    try {
      var file = folder.resolve("run");
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> Files.exists(file) && !Files.readString(file).isEmpty());
      return Files.readString(file);
    } finally {
      process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
  }

  /// A service whose agent has read one message and was given another, until it is killed.
  static final class Main {
    private Main() {}

    public static void main(String[] arguments) throws Exception {
      var folder = Path.of(arguments[0]);
      try (var service = open(folder)) {
        var id = service.create("first");
        var workspace = folder.resolve("workspaces").resolve(id);
        awaitFile(workspace.resolve("ready"));
        service.followUp(id, "taken");
        await().until(() -> pending(service, id).isEmpty());
        service.followUp(id, "offered");
        awaitFile(workspace.resolve("heard"));
        Files.writeString(folder.resolve("run"), id);
        Thread.sleep(Duration.ofMinutes(1));
      }
    }
  }

  @Nested
  @OnPostgres
  class OnTwoNodes {
    @Test
    void aMessageToOneNodeReachesTheWorkingAgentOfTheOther() throws Exception {
      var here = Files.createDirectory(folder.resolve("here"));
      var there = Files.createDirectory(folder.resolve("there"));
      RunningService.share(here, there);
      write("touch ready; read_message; take; say ok");
      try (var first = open(here, folder)) {
        var id = first.create("first");
        awaitFile(here.resolve("workspaces/" + id + "/ready"));
        awaitLaunch(first, id);
        try (var second = open(there, folder)) {
          assertThat(second.followUp(id, "second").get("outcome").asText())
              .isEqualTo("live_session");

          second.awaitState(id, "SUCCEEDED");
          assertThat(asked(second, id)).containsExactly("first", "second");
          assertThat(starts(second, id)).isEqualTo(1);
        }
      }
    }
  }

  private RunningService claude(Path data, String rest) throws IOException {
    write(rest);
    return open(data);
  }

  private void write(String rest) throws IOException {
    Files.writeString(script, FUNCTIONS + rest + "\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
  }

  private static RunningService open(Path data) {
    return open(data, data);
  }

  private static RunningService open(Path data, Path programs) {
    return RunningService.inEnvironment(
        data, Optional.empty(), Map.of("PATH", programs.resolve("programs") + ":/usr/bin:/bin"));
  }

  private static void awaitLaunch(RunningService service, String id) {
    await().until(() -> starts(service, id) == 1);
  }

  private Path workspace(String id, String file) {
    return folder.resolve("workspaces").resolve(id).resolve(file);
  }

  private static List<String> pending(RunningService service, String id) {
    return service.run(id).get("pending_followups").findValuesAsText("message");
  }

  private static List<String> asked(RunningService service, String id) {
    return service.service.transcript(id, 0).orElseThrow().lines().stream()
        .filter(line -> line.kind() == TranscriptLine.Kind.ASKED)
        .map(TranscriptLine::text)
        .toList();
  }

  private static long starts(RunningService service, String id) {
    return RunningService.json(service.get("/agent/runs/" + id + "/timeline"))
        .get("events")
        .findValues("event_type")
        .stream()
        .map(JsonNode::asText)
        .filter(type -> type.toLowerCase(Locale.ROOT).contains("agent_started"))
        .count();
  }
}
