package dev.runnel.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.database.Database;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.Isolations;
import dev.runnel.service.isolation.Machine;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.service.workspace.Snapshots;
import dev.runnel.testkit.AgentUsers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A follow-up after the node with the workspace is gone: what the next node has of it, and what it
/// tells people. The nodes have the same path for their data, one after the other.
@Tag("slow")
@OnPostgres
class WorkspaceOfLostNodeTest {
  private static final String RESTORED =
      "The node that has the workspace is gone. The run continues on another node with a snapshot"
          + " of its workspace";

  @TempDir Path folder;
  private Path data;
  private Path shared;
  private String url;

  @BeforeEach
  void share() throws IOException {
    data = Files.createDirectory(folder.resolve("data"));
    shared = folder.resolve("shared");
    url = RunningService.share(data, data);
    keepUpTo(1024 * 1024);
  }

  private void keepUpTo(long limit) {
    RunningService.keepIn(new Snapshots(shared, limit, Duration.ofSeconds(30)), data);
  }

  @Test
  void aFollowUpOnAnotherNodeSeesTheUncommittedFileAndTheSession() throws Exception {
    var program = Files.createDirectories(folder.resolve("bin")).resolve("claude");
    Files.writeString(
        program,
        """
        #!/bin/sh
        session="$HOME/.claude/projects/p/its-own.jsonl"
        mkdir -p "${session%/*}"
        case "$*" in *--resume=its-own*) [ -f "$session" ] || exit 1 ;; esac
        head -n 1 | sed 's/.*"text":"\\([^"]*\\)".*/\\1/' | tr -d '\\n' >> "$session"
        echo "$*" >> arguments
        echo work >> uncommitted
        echo '{"type":"system","subtype":"init","session_id":"its-own"}'
        echo '{"type":"result","subtype":"success","is_error":false,"result":"done"}'
        """);
    assertThat(program.toFile().setExecutable(true, false)).isTrue();
    var variables =
        Map.of(
            "PATH",
            program.getParent() + ":" + System.getenv("PATH"),
            "HOME",
            Files.createDirectory(folder.resolve("home")).toString());
    var setup = Setup.USUAL.with(isolation(variables));
    String id;
    try (var first = RunningService.inEnvironment(data, Optional.empty(), variables, setup)) {
      id = first.create("one");
      first.awaitState(id, "SUCCEEDED");
      awaitSnapshot(id);
    }
    loseNode();
    try (var second = RunningService.inEnvironment(data, Optional.empty(), variables, setup)) {
      second.followUp(id, "two");
      second.awaitState(id, "SUCCEEDED");

      var workspace = data.resolve("workspaces").resolve(id);
      assertThat(workspace.resolve("uncommitted")).hasContent("work\nwork");
      assertThat(Files.readAllLines(workspace.resolve("arguments")).getLast())
          .contains("--resume=its-own");
      assertThat(data.resolve("homes/" + id + "/home/.claude/projects/p/its-own.jsonl"))
          .hasContent("onetwo");
      assertThat(notes(second, id)).contains(RESTORED + ", and with the session of the agent.");
    }
  }

  @Test
  void restoreOfAnOutdatedSnapshotIsReported() throws Exception {
    var command = "echo x >> work; [ \"$(cat)\" = hang ] && sleep 300; cat work";
    String id;
    try (var first = RunningService.withCommand(data, command)) {
      id = first.create("one");
      first.awaitState(id, "SUCCEEDED");
      awaitSnapshot(id);
      var kept = Files.readAllBytes(snapshot(id));
      first.followUp(id, "two");
      first.awaitState(id, "SUCCEEDED");
      await()
          .atMost(Duration.ofSeconds(10))
          .until(() -> !Arrays.equals(Files.readAllBytes(snapshot(id)), kept));
      Files.write(snapshot(id), kept);
    }
    loseNode();
    try (var second = RunningService.withCommand(data, command)) {
      second.followUp(id, "three");
      second.awaitState(id, "SUCCEEDED");

      assertThat(second.message(id)).isEqualTo("x\nx");
      assertThat(notes(second, id))
          .contains(
              RESTORED + ", as it was before the last execution: what was done in it is gone.");
    }
  }

  @Test
  void workspaceTooLargeForASnapshotIsReplacedWithAnExplanation() throws Exception {
    keepUpTo(500);
    var command = "head -c 5000 /dev/urandom > noise; ls -A | head -1";
    String id;
    try (var first = RunningService.withCommand(data, command)) {
      id = first.create("one");
      first.awaitState(id, "SUCCEEDED");
      awaitSnapshot(id);
    }
    loseNode();
    try (var second = RunningService.withCommand(data, command)) {
      second.followUp(id, "two");
      second.awaitState(id, "SUCCEEDED");

      assertThat(notes(second, id))
          .contains(
              "The node that has the workspace is gone. The run continues in a fresh workspace on"
                  + " another node, with the conversation so far. The workspace was too large for a"
                  + " snapshot (agents.snapshots_limit).");
    }
  }

  private Isolation isolation(Map<String, String> variables) {
    return Isolations.choose(
        "bubblewrap", new Machine(variables, List.of(data)).with(AgentUsers.any()));
  }

  private static List<String> notes(RunningService service, String id) {
    return service.service.transcript(id, 0).orElseThrow().lines().stream()
        .filter(line -> line.kind() == TranscriptLine.Kind.NOTE)
        .map(TranscriptLine::text)
        .toList();
  }

  private Path snapshot(String id) {
    return shared.resolve(id + ".tar.gz");
  }

  private void awaitSnapshot(String id) {
    RunningService.awaitFile(snapshot(id));
  }

  /// The next node has another name and none of the files, and the one before was seen long ago.
  private void loseNode() throws IOException {
    Files.move(data, folder.resolve("of-the-lost-node"));
    Files.createDirectory(data);
    RunningService.rename(data, "the next node");
    try (var database = Database.postgres(url, ServiceTables.SCHEMA)) {
      int _ = database.write(rows -> rows.change("UPDATE nodes SET seen_at = 0"));
    }
  }
}
