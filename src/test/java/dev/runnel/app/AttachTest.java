package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Going on in a terminal with a run of an agent that prints what Claude Code prints.
@Tag("slow")
class AttachTest {
  private static final String SESSION = "0190e6a1-9f50-7c3e-8a43-00000000000a";
  private static final String BEGIN =
      "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"" + SESSION + "\"}";
  private static final String END = "{\"type\":\"result\",\"is_error\":false,\"result\":\"Done.\"}";

  @TempDir Path data;
  @TempDir Path home;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int attach(String id) {
    out.reset();
    err.reset();
    return new Main(new PrintStream(out), new PrintStream(err), Map.of("HOME", home.toString()))
        .run(List.of("attach", id, "--data", data.toString()));
  }

  private String said(ByteArrayOutputStream stream) {
    return stream.toString(StandardCharsets.UTF_8);
  }

  private RunningService claude(String script) throws IOException {
    var programs = Files.createDirectory(data.resolve("programs"));
    var claude = programs.resolve("claude");
    Files.writeString(
        claude, "#!/bin/sh\nhead -n 1 > /dev/null\necho '%s'\n%s\n".formatted(BEGIN, script));
    Files.setPosixFilePermissions(claude, PosixFilePermissions.fromString("rwx------"));
    return RunningService.inEnvironment(
        data, Optional.empty(), Map.of("PATH", programs + ":/usr/bin:/bin"), Setup.USUAL);
  }

  private String workspace(String id) {
    return "cd '" + data.resolve("workspaces").resolve(id) + "'\n";
  }

  @Test
  void attachPrintsTheFolderAndTheSessionOfAnEndedRun() throws Exception {
    try (var service = claude("echo '" + END + "'")) {
      var id = service.create("fix the test");
      service.awaitState(id, "SUCCEEDED");

      assertThat(attach(id.substring(0, 8))).as(said(err)).isZero();
      assertThat(said(out)).isEqualTo(workspace(id) + "claude --resume '" + SESSION + "'\n");
      assertThat(said(err)).contains("without the isolation");
    }
  }

  @Test
  void attachCopiesOnlyTheSessionOfAnIsolatedRun() throws Exception {
    try (var service = claude("echo '" + END + "'")) {
      var id = service.create("fix the test");
      service.awaitState(id, "SUCCEEDED");
      var kept = data.resolve("homes").resolve(id).resolve("home");
      var project = Files.createDirectories(kept.resolve(".claude/projects/-data-x"));
      Files.writeString(project.resolve(SESSION + ".jsonl"), "what was said");
      Files.writeString(kept.resolve(".claude/settings.json"), "{\"hooks\":{}}");

      assertThat(attach(id)).as(said(err)).isZero();

      assertThat(home.resolve(".claude/projects/-data-x/" + SESSION + ".jsonl"))
          .hasContent("what was said");
      assertThat(home.resolve(".claude/settings.json")).doesNotExist();

      // An agent may put a link in the place of its session.
      var secret = Files.writeString(data.resolve("secret"), "a secret");
      Files.delete(project.resolve(SESSION + ".jsonl"));
      Files.createSymbolicLink(project.resolve(SESSION + ".jsonl"), secret);
      assertThat(attach(id)).isOne();
      assertThat(said(err)).isEqualTo("The session of the run was deleted.\n");
      assertThat(home.resolve(".claude/projects/-data-x/" + SESSION + ".jsonl"))
          .hasContent("what was said");
    }
  }

  @Test
  void attachRefusesARunningRun() throws Exception {
    try (var service = claude("touch ready; sleep 300")) {
      var id = service.create("fix the test");
      RunningService.awaitFile(data.resolve("workspaces/" + id + "/ready"));

      assertThat(attach(id)).isOne();
      assertThat(said(err)).contains("has not ended", "./runnel run cancel " + id);
      assertThat(said(out)).isEmpty();
    }
  }

  @Test
  void attachReportsAMissingSessionWorkspaceOrRun() throws Exception {
    try (var service = RunningService.withCommand(data, "echo hi")) {
      var id = service.create("fix the test");
      service.awaitState(id, "SUCCEEDED");

      assertThat(attach(id)).isZero();
      assertThat(said(out)).isEqualTo(workspace(id));
      assertThat(said(err)).contains("no session of Claude Code or Codex");

      Files.move(data.resolve("workspaces").resolve(id), data.resolve("elsewhere"));
      assertThat(attach(id)).isOne();
      assertThat(said(err)).contains(": it was deleted, or");
      assertThat(attach("ffff")).isOne();
      assertThat(said(err)).contains("There is no run ffff.");
    }
  }

  @Test
  void aSessionThatIsNoPlainIdIsNotPrinted() throws Exception {
    try (var service = claude("echo '" + END + "'")) {
      var id = service.create("fix the test");
      service.awaitState(id, "SUCCEEDED");
      try (var database = Database.sqlite(data.resolve("agent-runs.db"))) {
        int _ =
            database.write(
                rows ->
                    rows.change(
                        "UPDATE runs SET agent_session = ? WHERE id = ?",
                        "claude:x\nrm -rf ~; echo",
                        id));
      }

      assertThat(attach(id)).isZero();
      assertThat(said(out)).isEqualTo(workspace(id));
    }
  }
}
