package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpServer;
import dev.runnel.testkit.RunnelProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `/metrics` of a real process after a run from a hook, and whatever reads it.
@Tag("slow")
@Timeout(180)
class MetricsPageTest {
  private static final Path MONITORING = Path.of("examples/monitoring");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /// Of what is written in an expression: no metric.
  private static final Pattern NAME = Pattern.compile("\\b(?:runnel|jvm|process|disk|system)_\\w+");

  private static final String CLAUDE =
      """
      #!/bin/sh
      head -n 1 > /dev/null
      echo '{"type": "system", "subtype": "init", "session_id": "11111111-2222-4333-8444-555555555555"}'
      echo '{"type": "result", "subtype": "success", "is_error": false, "result": "Shall I go on?",
        "total_cost_usd": 0.42, "usage": {"input_tokens": 1000, "output_tokens": 20}}' | tr -d '\\n'
      echo
      """;

  @TempDir static Path folder;
  private static HttpServer callback;
  private static RunnelProcess runnel;
  private static String page = "";

  @BeforeAll
  static void runOnce() throws Exception {
    callback = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    callback.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    callback.start();
    var claude =
        Files.writeString(Files.createDirectories(folder.resolve("bin")).resolve("claude"), CLAUDE);
    assertThat(claude.toFile().setExecutable(true)).isTrue();
    var settings =
        Files.writeString(
            folder.resolve("runnel.yaml"),
            """
            hooks:
              alerts:
                proof: {kind: bearer, secret: [sesame-of-sixteen-letters]}
                prompt: /prompt
                callback: http://127.0.0.1:%d/
            """
                .formatted(callback.getAddress().getPort()));
    runnel =
        RunnelProcess.start(
            folder,
            RunnelProcess.freePort(),
            Map.of(
                "RUNNEL_CONFIG",
                settings.toString(),
                "PATH",
                claude.getParent() + ":" + System.getenv("PATH"),
                "ANTHROPIC_API_KEY",
                "sk-ant-for-tests"));
    assertThat(
            runnel
                .send(
                    HttpRequest.newBuilder(URI.create(runnel.url() + "/webhooks/hooks/alerts"))
                        .header("Authorization", "Bearer sesame-of-sixteen-letters")
                        .POST(BodyPublishers.ofString("{\"prompt\": \"Fix it\"}")))
                .statusCode())
        .isEqualTo(202);
    await("the metrics of a run")
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              page = runnel.get("/metrics").body();
              assertThat(samples())
                  .contains("runnel_runs_ended_total", "runnel_platform_requests_seconds_count");
            });
  }

  @AfterAll
  static void stop() throws Exception {
    if (runnel != null) {
      runnel.stop();
    }
    callback.stop(0);
  }

  /// The names of all samples of the page.
  private static Set<String> samples() {
    return page.lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("[{ ]", 2)[0])
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void everyMetricHasHelp() {
    var helped = named("# HELP ");

    assertThat(named("# TYPE ")).isEqualTo(helped);
    assertThat(page.lines().filter(line -> line.startsWith("# HELP ")))
        .allMatch(line -> line.split(" ", 4).length == 4 && !line.split(" ", 4)[3].isBlank());
  }

  private static Set<String> named(String start) {
    return page.lines()
        .filter(line -> line.startsWith(start))
        .map(line -> line.split(" ", -1)[2])
        .collect(Collectors.toSet());
  }

  @Test
  void metricsContainDeliveriesRunsCostAndTokens() {
    assertThat(page)
        .contains("runnel_deliveries_total{result=\"accepted\",surface=\"hooks\"} 1.0")
        .contains("runnel_runs_started_total{surface=\"hooks\"} 1.0")
        .contains("runnel_budget_warnings_total 0.0")
        .contains("runnel_runs_cost_dollars_total{surface=\"hooks\"} 0.42")
        .contains("runnel_executions_tokens_total{kind=\"input\"} 1000.0")
        .contains("runnel_executions_tokens_total{kind=\"output\"} 20.0")
        .contains("runnel_platform_requests_seconds_count{status=\"204\",surface=\"hooks\"}")
        .containsPattern(
            "runnel_runs_duration_seconds_bucket\\{state=\"succeeded\",surface=\"hooks\",le=\"5.0\"}"
                + " 1")
        .containsPattern(
            "runnel_executions_queue_seconds_bucket\\{source=\"\\w+\",le=\"[15].0\"} 1");
  }

  @Test
  void noLabelNamesAPersonARunOrAnAddress() {
    var labels =
        Pattern.compile("(\\w+)=\"")
            .matcher(
                page.lines()
                    .filter(line -> line.startsWith("runnel_"))
                    .collect(Collectors.joining("\n")))
            .results()
            .map(found -> found.group(1))
            .collect(Collectors.toSet());

    assertThat(labels)
        .isSubsetOf(
            "database",
            "kind",
            "le",
            "operation",
            "outcome",
            "pool",
            "result",
            "share",
            "source",
            "state",
            "status",
            "surface",
            "version");
  }

  @Test
  void alertsAndDashboardUseOnlyExistingMetrics() throws IOException {
    var known = samples();
    // A platform that connects by itself, of which there is none here.
    known.add("runnel_connection_up");

    for (var expression : expressions()) {
      var names = NAME.matcher(expression).results().map(it -> it.group()).toList();
      assertThat(known).as(expression).containsAll(names);
    }
  }

  private static List<String> expressions() throws IOException {
    var all = new ArrayList<String>();
    var dashboard =
        new JsonMapper().readTree(MONITORING.resolve("grafana-dashboard.json").toFile());
    dashboard.findValues("expr").forEach(expression -> all.add(expression.asText()));
    var alerts = Files.readString(MONITORING.resolve("alerts.yml"));
    Pattern.compile("(?m)^        expr: (?:\\|\\n((?:          .*\\n)+)|(.*)$)")
        .matcher(alerts)
        .results()
        .forEach(it -> all.add(it.group(1) == null ? it.group(2) : it.group(1)));
    assertThat(all).hasSizeGreaterThan(30);
    return all;
  }

  @Test
  void prometheusAcceptsThePageAndTheRules() throws Exception {
    assumeThat(Files.isExecutable(Path.of("/usr/bin/promtool"))).as("Prometheus").isTrue();

    assertThat(promtool(page, "check", "metrics"))
        .as("metrics")
        .doesNotContain("no help text")
        .doesNotContain("error");
    assertThat(promtool("", "check", "config", MONITORING.resolve("prometheus.yml").toString()))
        .contains("SUCCESS: 15 rules found");
  }

  private static String promtool(String input, String... words) throws Exception {
    var command = new ArrayList<>(List.of("/usr/bin/promtool"));
    command.addAll(List.of(words));
    var in = Files.writeString(folder.resolve("promtool.in"), input);
    var out = folder.resolve("promtool.out");
    var process =
        new ProcessBuilder(command)
            .redirectInput(in.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return Files.readString(out);
  }

  @Test
  void prometheusScrapesRunnelAndAnswersTheDashboard() throws Exception {
    assumeThat(Files.isExecutable(Path.of("/usr/bin/prometheus"))).as("Prometheus").isTrue();
    var port = RunnelProcess.freePort();
    var config =
        Files.writeString(
            folder.resolve("prometheus.yml"),
            Files.readString(MONITORING.resolve("prometheus.yml"))
                .replace("localhost:8080", URI.create(runnel.url()).getAuthority())
                .replace("15s", "1s")
                .replace("- alerts.yml", "- " + MONITORING.resolve("alerts.yml").toAbsolutePath()));
    var prometheus =
        new ProcessBuilder(
                "/usr/bin/prometheus",
                "--config.file=" + config,
                "--storage.tsdb.path=" + folder.resolve("tsdb"),
                "--web.listen-address=127.0.0.1:" + port)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("prometheus.log").toFile())
            .start();
    try {
      await("an answer to every expression")
          .atMost(PATIENCE)
          .pollInterval(Duration.ofSeconds(2))
          .ignoreExceptions()
          .untilAsserted(
              () -> {
                for (var expression : expressions()) {
                  assertThat(query(port, expression)).as(expression).contains("\"success\"");
                }
                assertThat(query(port, "runnel_executions_tokens_total{kind=\"input\"}"))
                    .contains("\"1000\"");
                assertThat(query(port, "sum(runnel_runs_ended_total)")).contains("\"1\"");
                assertThat(query(port, "ALERTS{alertstate=\"firing\"}")).contains("\"result\":[]");
              });
    } finally {
      prometheus.destroy();
      assertThat(prometheus.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static String query(int port, String expression) throws Exception {
    var text =
        URLEncoder.encode(expression.replace("$__rate_interval", "1m"), StandardCharsets.UTF_8);
    return runnel
        .send(
            HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:%d/api/v1/query?query=%s".formatted(port, text))))
        .body();
  }
}
