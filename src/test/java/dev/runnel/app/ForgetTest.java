package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.testkit.RunnelProcess;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@Timeout(120)
class ForgetTest {
  private static final String SECRET = "a-secret-of-the-hook";
  private static final String HOOKS =
      """
      hooks:
        forms:
          proof: {kind: bearer, secret: a-secret-of-the-hook}
          prompt: /prompt
          conversation: /form
          delivery: /id
      """;

  @TempDir Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int runnel(RunnelProcess server, String... words) {
    out.reset();
    err.reset();
    var all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--data", server.data().toString()));
    return new Main(new PrintStream(out), new PrintStream(err), Map.of()).run(all);
  }

  private String said() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private static void post(RunnelProcess server, String id, String form, String prompt)
      throws Exception {
    var answer =
        server.send(
            HttpRequest.newBuilder(URI.create(server.url() + "/webhooks/hooks/forms"))
                .header("Authorization", "Bearer " + SECRET)
                .header("Content-Type", "application/json")
                .POST(
                    BodyPublishers.ofString(
                        "{\"id\":\"%s\",\"form\":\"%s\",\"prompt\":\"%s\"}"
                            .formatted(id, form, prompt))));
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
  }

  private static List<String> texts(RunnelProcess server, String sql) {
    try (var database = Database.sqlite(server.data().resolve("agent-runs.db"))) {
      return database.read(rows -> rows.list(sql, row -> row.getString(1)));
    }
  }

  private static String run(RunnelProcess server, String prompt) {
    return Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> texts(server, "SELECT id FROM runs WHERE prompt LIKE '%" + prompt + "%'"),
            ids -> ids.size() == 1)
        .getFirst();
  }

  private static void awaitEnd(RunnelProcess server, String id, int executions) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                texts(
                            server,
                            "SELECT id FROM runs WHERE state = 'SUCCEEDED' AND execution = %d AND id = '%s'"
                                .formatted(executions, id))
                        .size()
                    == 1);
  }

  private static void assertNoTableContains(RunnelProcess server, List<String> words) {
    for (var name : List.of("runnel.db", "agent-runs.db")) {
      try (var database = Database.sqlite(server.data().resolve(name))) {
        var tables =
            database.<List<String>>read(
                rows ->
                    rows.list(
                        "SELECT name FROM sqlite_master WHERE type = 'table'",
                        row -> row.getString(1)));
        for (var table : tables) {
          var cells =
              database.<List<String>>read(
                  rows ->
                      rows.list(
                          "SELECT * FROM " + table,
                          row -> {
                            var text = new StringBuilder();
                            for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                              text.append('|').append(row.getString(i));
                            }
                            return text.toString();
                          }));
          for (var word : words) {
            assertThat(cells.stream().filter(cell -> cell.contains(word)))
                .as("%s in %s of %s", word, table, name)
                .isEmpty();
          }
        }
      }
    }
  }

  private static void assertNoFileContains(Path data, List<String> words) throws Exception {
    try (var all = Files.walk(data)) {
      assertThat(all)
          .allSatisfy(
              path -> {
                for (var word : words) {
                  assertThat(path.toString()).doesNotContain(word);
                  if (Files.isRegularFile(path)) {
                    assertThat(Files.readString(path, StandardCharsets.ISO_8859_1).contains(word))
                        .as("%s in %s", word, path)
                        .isFalse();
                  }
                }
              });
    }
  }

  @Test
  void aForgottenRunIsInNoTableAndNoFile() throws Exception {
    Files.writeString(folder.resolve("runnel.yaml"), HOOKS);
    var mayEnd = folder.resolve("may-end");
    try (var server =
        RunnelProcess.start(
            folder,
            RunnelProcess.freePort(),
            Map.of(
                "RUNNEL_AGENT_COMMAND",
                "tee note.txt; until [ -e '" + mayEnd + "' ]; do sleep 0.1; done; echo painted"))) {
      post(server, "d-1", "garden", "paint the quokka");
      post(server, "d-2", "kitchen", "feed the wombat");
      var id = run(server, "quokka");
      var other = run(server, "wombat");
      assertThat(runnel(server, "forget", "run", id)).isOne();
      assertThat(said()).contains("has not ended. Stop it first: ./runnel run cancel " + id);
      Files.createFile(mayEnd);
      awaitEnd(server, id, 1);
      post(server, "d-3", "garden", "with a turquoise hat");
      awaitEnd(server, id, 2);
      awaitEnd(server, other, 1);
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> server.metric("runnel_runs_active") == 0);
      assertThat(server.data().resolve("workspaces").resolve(id)).exists();

      assertThat(runnel(server, "forget", "run", id.substring(0, 12))).as("%s", err).isZero();

      assertNoTableContains(server, List.of(id, "quokka", "turquoise", "garden"));
      assertNoFileContains(server.data(), List.of(id, "quokka", "turquoise", "garden"));
      assertThat(texts(server, "SELECT id FROM runs")).containsExactly(other);
      assertThat(runnel(server, "audit", "verify")).as("%s", err).isZero();
      assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
      post(server, "d-4", "kitchen", "and the platypus");
      awaitEnd(server, other, 2);
      assertThat(runnel(server, "forget", "run", id)).isOne();
      assertThat(said()).contains("There is no run");
      assertNobodyElseMayRead(server.data());
    }
  }

  private static void assertNobodyElseMayRead(Path data) throws Exception {
    try (var all = Files.walk(data)) {
      assertThat(all.filter(each -> !Files.isSymbolicLink(each)))
          .allSatisfy(
              each -> {
                // What an agent makes has its umask, in a folder that is closed.
                var path = data.relativize(each);
                var isMadeByAgent = path.getNameCount() > 2 && path.startsWith("workspaces");
                if (!isMadeByAgent) {
                  assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
                      .as("%s", each)
                      .endsWith("------");
                }
              });
    }
  }

  @Test
  void malformedPersonIsAUsageErrorButAnUnknownOneIsNot() throws Exception {
    Files.writeString(folder.resolve("runnel.yaml"), HOOKS);
    try (var server = RunnelProcess.start(folder, RunnelProcess.freePort(), Map.of())) {
      assertThat(runnel(server, "forget", "person", "ann")).isEqualTo(2);
      assertThat(runnel(server, "forget", "person", "slack:U404")).isZero();
      assertThat(out.toString(StandardCharsets.UTF_8)).contains("Nothing is known of slack:U404");
      assertThat(runnel(server, "forget", "everything")).isEqualTo(2);
    }
  }
}
