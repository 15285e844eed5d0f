package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.app.data.DataFolder;
import dev.runnel.core.port.AuditReader;
import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import dev.runnel.store.audit.AuditLog;
import dev.runnel.testkit.RunnelProcess;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@Timeout(120)
class ReloadTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int reload(Path data) {
    out.reset();
    err.reset();
    return new Main(new PrintStream(out), new PrintStream(err), Map.of())
        .run(
            List.of(
                "reload",
                "--data",
                data.toString(),
                "--config",
                folder.resolve("runnel.yaml").toString()));
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private void settings(String prompt, String more) throws Exception {
    Files.writeString(
        folder.resolve("runnel.yaml"),
        """
        admins: [slack:U1]
        %s
        hooks:
          forms:
            proof: {kind: bearer, secret: a-secret-of-the-hook}
            template: "%s {/n}"
        """
            .formatted(more, prompt));
  }

  @Test
  void reloadAppliesOrReportsChangesAndIgnoresABrokenFile() throws Exception {
    settings("Do", "mention: bot");
    try (var runnel =
        RunnelProcess.start(
            folder, RunnelProcess.freePort(), Map.of("RUNNEL_AGENT_COMMAND", "echo done"))) {
      assertThat(reload(runnel.data())).as("%s", err).isZero();
      assertThat(printed()).isEqualTo("Nothing has changed.\n");

      settings("Please do", "mention: agent\nprofiles: {small: {model: tiny}}");
      assertThat(reload(runnel.data())).as("%s", err).isZero();
      assertThat(printed())
          .isEqualTo(
              "applied: hooks.forms.template, profiles.small.model\nneeds a restart: mention\n");
      assertThat(
              runnel
                  .send(
                      HttpRequest.newBuilder(URI.create(runnel.url() + "/webhooks/hooks/forms"))
                          .header("Authorization", "Bearer a-secret-of-the-hook")
                          .POST(BodyPublishers.ofString("{\"n\":\"it\"}")))
                  .statusCode())
          .isBetween(200, 299);
      Awaitility.await().until(() -> runnel.log().contains("run started"));

      Files.writeString(folder.resolve("runnel.yaml"), "admin: nobody\n");
      assertThat(reload(runnel.data())).isOne();
      assertThat(err.toString(StandardCharsets.UTF_8)).contains("there is no setting admin");
      assertThat(runnel.get("/readyz").statusCode()).isEqualTo(200);

      assertThat(
              runnel
                  .send(
                      HttpRequest.newBuilder(URI.create(runnel.url() + "/reload"))
                          .POST(BodyPublishers.ofString("guessed")))
                  .statusCode())
          .isEqualTo(401);
    }
  }

  @Test
  void newDefaultEnvironmentAppliesOnlyAfterARestart() throws Exception {
    settings("Do", "agents: {default_environment: docs, environments: {docs: {}}}");
    try (var runnel =
        RunnelProcess.start(
            folder, RunnelProcess.freePort(), Map.of("RUNNEL_AGENT_COMMAND", "echo done"))) {
      settings(
          "Please do", "agents: {default_environment: api, environments: {docs: {}, api: {}}}");
      assertThat(reload(runnel.data())).as("%s", err).isZero();
      assertThat(printed()).contains("needs a restart: agents.default_environment");

      runnel.send(
          HttpRequest.newBuilder(URI.create(runnel.url() + "/webhooks/hooks/forms"))
              .header("Authorization", "Bearer a-secret-of-the-hook")
              .POST(BodyPublishers.ofString("{\"n\":\"it\"}")));

      Awaitility.await().until(() -> runnel.log().contains("run started"));
    }
  }

  @Test
  void newPricePerMinuteAppliesToAnActiveRun() throws Exception {
    settings("Do", "agents: {limits: {money: 1}}");
    try (var runnel =
        RunnelProcess.start(
            folder,
            RunnelProcess.freePort(),
            Map.of("RUNNEL_AGENT_COMMAND", "echo hello; sleep 300"))) {
      assertThat(
              runnel
                  .send(
                      HttpRequest.newBuilder(URI.create(runnel.url() + "/webhooks/hooks/forms"))
                          .header("Authorization", "Bearer a-secret-of-the-hook")
                          .POST(BodyPublishers.ofString("{\"n\":\"it\"}")))
                  .statusCode())
          .isBetween(200, 299);
      Awaitility.await().atMost(PATIENCE).until(() -> !runnel.agents().isEmpty());

      settings("Do", "agents: {limits: {money: 1}}\npolicy: {price_per_minute: 6000}");
      assertThat(reload(runnel.data())).as("%s", err).isZero();

      assertThat(printed()).isEqualTo("applied: policy.price_per_minute\n");
      Awaitility.await()
          .atMost(PATIENCE)
          .until(
              () ->
                  runnel.metric("runnel_runs_ended_total{state=\"failed\",surface=\"hooks\"}")
                      == 1);
    }
  }

  private static String audit(RunnelProcess runnel) {
    try (var database = Database.sqlite(runnel.data().resolve("runnel.db"))) {
      return new AuditLog(database)
          .newest(
              new AuditReader.Filter(
                  Optional.empty(), Optional.of("settings"), Optional.empty(), Optional.empty()),
              Long.MAX_VALUE,
              1)
          .getFirst()
          .json();
    }
  }

  @Test
  void theAuditLogNamesWhoReloadedAndWhatChanged() throws Exception {
    settings("Do", "");
    try (var runnel =
        RunnelProcess.start(
            folder, RunnelProcess.freePort(), Map.of("RUNNEL_AGENT_COMMAND", "echo done"))) {
      settings("Do", "profiles: {small: {model: tiny}}");
      assertThat(reload(runnel.data())).as("%s", err).isZero();
      assertThat(audit(runnel))
          .contains(
              "command-line:" + System.getProperty("user.name"), "changed: profiles.small.model")
          .doesNotContain("tiny");

      settings("Do", "profiles: {large: {model: huge}}");
      new ProcessBuilder("kill", "-HUP", Long.toString(runnel.pid())).start().waitFor();
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () ->
                  assertThat(audit(runnel))
                      .contains(
                          "\"name\":\"SIGHUP\"",
                          "changed: profiles.large.model, profiles.small.model"));
    }
  }

  @Test
  void reloadLinkIsNotSentToAnotherProcessAtTheOldAddress() throws Exception {
    settings("Do", "");
    var data = folder.resolve("data");
    DataFolder.open(data).close();
    Database.sqlite(data.resolve("runnel.db")).migrate(SqlStore.SCHEMA).close();
    try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Files.writeString(
          data.resolve(DataFolder.SERVER_ADDRESS), "http://127.0.0.1:" + other.getLocalPort());

      assertThat(reload(data)).isOne();

      assertThat(err.toString(StandardCharsets.UTF_8)).contains("No Runnel runs on");
    }
    try (var database = Database.sqlite(data.resolve("runnel.db"))) {
      List<String> links =
          database.read(
              rows -> rows.list("SELECT hash FROM console_links", row -> row.getString(1)));
      assertThat(links).isEmpty();
    }
  }

  @Test
  void everyRefusedReloadIsExplained() {
    assertThat(ReloadCommand.refusal(422, "no such setting")).contains("no such setting");
    assertThat(ReloadCommand.refusal(401, "")).contains("did not accept");
    assertThat(ReloadCommand.refusal(404, "")).contains("does not know this command");
    assertThat(ReloadCommand.refusal(503, "")).contains("status 503");
  }

  @Test
  void reloadReportsThatNoServerRuns() throws Exception {
    settings("Do", "mention: bot");

    assertThat(reload(folder.resolve("data"))).isOne();
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("No Runnel runs on");
  }
}
