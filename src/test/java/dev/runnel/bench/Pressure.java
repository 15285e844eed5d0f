package dev.runnel.bench;

import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import dev.runnel.testkit.SignedSlack;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Whether Runnel lives while everything is loaded at once, under the heap of the launcher and with
/// eight busy processes beside it: four agents that print without end in the worst shapes, eight
/// that fork, 2,000 connections without proof, bodies of the worst shapes at every door with and
/// without proof, 200 open pages, and 50 commands a second from people. Slack is simulated: see
/// [SimulatedSlack]. `PRESSURE_SECONDS` (600) sets its length. Ends with 1 if something did not
/// hold.
///
/// `bench/pressure [SECONDS]`
public final class Pressure {
  /// The resident memory that must never be exceeded: the heap, what the JVM itself takes, and its
  /// mapped cache of classes.
  public static final long MAX_RESIDENT_MIB = 480;

  static final String HOOK_TOKEN = "token-of-the-pressed-hook";
  static final String API_KEY = "key-of-the-pressed-service-0123456789";
  static final String CONSOLE_TOKEN = "token-of-the-pressed-console";
  static final String GITHUB_SECRET = "secret-of-the-pressed-tracker";

  private static final int BUSY_PROCESSES = 8;
  private static final Duration REST = Duration.ofSeconds(5);
  private static final Duration ENDS = Duration.ofSeconds(90);
  private static final int FRESH = 999_999_999;

  private static final List<String> OPTIONS =
      Stream.concat(
              Soak.OPTIONS.stream(),
              Stream.of(
                  "-XX:MaxDirectMemorySize=64m",
                  "-XX:+ExitOnOutOfMemoryError",
                  "-XX:TieredStopAtLevel=4",
                  "-XX:CompileThresholdScaling=1",
                  "-Djdk.virtualThreadScheduler.parallelism=8"))
          .toList();

  /// What prints and forks by the words of its task, and otherwise answers.
  private static final String AGENT =
      """
      prompt=$(cat)
      case "$prompt" in
        *print-one-line*) tr '\\0' x < /dev/zero ;;
        *print-minified*) while :; do head -c 1048000 /dev/zero | tr '\\0' '{'; echo; done ;;
        *print-empty-lines*) yes '' ;;
        *print-addresses*)
          path=$(printf 'a/%.0s' $(seq 1000))
          while :; do echo "https://h/$path"; done ;;
        *fork-without-end*)
          while :; do
            for each in $(seq 64); do sleep 3 & done
            wait
          done ;;
        *) echo "answer of $(echo "$prompt" | grep -o 'task [0-9]*' | tail -n 1 | cut -c 6-)." ;;
      esac
      """;

  private final RunnelProcess runnel;
  private final SimulatedSlack slack;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Pressure(RunnelProcess runnel, SimulatedSlack slack) {
    this.runnel = runnel;
    this.slack = slack;
  }

  public static void main(String[] args) throws Exception {
    var seconds = System.getenv("PRESSURE_SECONDS");
    var time = Duration.ofSeconds(seconds == null ? 600 : Integer.parseInt(seconds));
    var folder = Files.createTempDirectory("pressure");
    System.out.printf("%d s, log in %s%n", time.toSeconds(), folder);
    var report = run(folder, time);
    System.out.println(report.table());
    report.problems().forEach(System.out::println);
    report.latenesses().forEach(System.out::println);
    if (!report.problems().isEmpty() || !report.latenesses().isEmpty()) {
      System.exit(1);
    }
  }

  /// @param folder for data, log and the agent
  public static PressureReport run(Path folder, Duration time) throws Exception {
    var busy = new ArrayList<Process>();
    try (var slack = new SimulatedSlack();
        var runnel =
            RunnelProcess.start(
                folder, RunnelProcess.freePort(), settings(slack, folder), OPTIONS)) {
      for (int i = 0; i < BUSY_PROCESSES; i++) {
        busy.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
      }
      var pressure = new Pressure(runnel, slack);
      try {
        return pressure.press(time);
      } finally {
        // A server that ended leaves its agents alone.
        runnel.agents().forEach(ProcessHandle::destroyForcibly);
      }
    } finally {
      busy.forEach(Process::destroyForcibly);
    }
  }

  private static Map<String, String> settings(SimulatedSlack slack, Path folder)
      throws IOException {
    var agent = Files.writeString(folder.resolve("agent.sh"), AGENT);
    var config =
        Files.writeString(
            folder.resolve("runnel.yaml"),
            """
            hooks:
              pressure:
                proof: {kind: bearer, secret: %s}
                only: {/status: [firing]}
                template: "Look at {/name}"
            """
                .formatted(HOOK_TOKEN));
    var settings = new HashMap<>(slack.settings());
    settings.put("RUNNEL_CONFIG", config.toString());
    settings.put("RUNNEL_AGENT_COMMAND", "sh " + agent);
    settings.put("RUNNEL_AGENT_API_KEY", API_KEY);
    settings.put("RUNNEL_CONSOLE_TOKEN", CONSOLE_TOKEN);
    settings.put("GITHUB_WEBHOOK_SECRET", GITHUB_SECRET);
    settings.put("GITHUB_TOKEN", "token-of-the-pressed-tracker");
    settings.put("GITHUB_API_URL", slack.uri("/github").toString());
    // Twelve for agents that print or fork, and two for people.
    settings.put("RUNNEL_AGENT_SLOTS", "14");
    settings.put("RUNNEL_AGENT_SLOTS_PER_PERSON", "1");
    return settings;
  }

  private PressureReport press(Duration time) throws Exception {
    long resident = 0;
    PressureLoad.Sent sent;
    try (var load = new PressureLoad(runnel, http)) {
      load.start();
      var end = System.nanoTime() + time.toNanos();
      while (System.nanoTime() < end && ProcessHandle.of(runnel.pid()).isPresent()) {
        resident = Math.max(resident, SoakSample.rss(runnel) / 1024);
        Thread.sleep(250);
      }
      sent = load.stop();
    }
    var lives = ProcessHandle.of(runnel.pid()).isPresent();
    if (!lives) {
      return PressureReport.ended(resident, sent, runnel.log());
    }
    Thread.sleep(REST);
    var health = timed(HttpRequest.newBuilder(URI.create(runnel.url() + "/healthz")).build());
    var fresh = timed(command("C0FRESH", "U0FRESH", "fresh", "task " + FRESH));
    var started = awaitRun(FRESH);
    endNoise();
    // Runs that work now stay as they are.
    runnel.kill();
    return PressureReport.of(
        resident,
        sent,
        PressedRuns.read(runnel.data(), FRESH),
        slack.repeatedAnswers(),
        new PressureReport.After(health, fresh, started));
  }

  private HttpRequest command(String channel, String user, String trigger, String text) {
    return new SignedSlack(LocalSlack.SIGNING_SECRET)
        .command(URI.create(runnel.url()), channel, user, trigger, text, Optional.empty());
  }

  /// The time until a good answer; empty if there was none.
  private Optional<Duration> timed(HttpRequest request) throws InterruptedException {
    var begin = System.nanoTime();
    try {
      var status = http.send(request, BodyHandlers.discarding()).statusCode();
      return status == 200
          ? Optional.of(Duration.ofNanos(System.nanoTime() - begin))
          : Optional.empty();
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /// The time until the answer of a run is in its thread.
  private Optional<Duration> awaitRun(int number) throws InterruptedException {
    var begin = System.nanoTime();
    while (System.nanoTime() - begin < ENDS.toNanos()) {
      if (slack.saidAt("answer of " + number + ".").isPresent()) {
        return Optional.of(Duration.ofNanos(System.nanoTime() - begin));
      }
      Thread.sleep(20);
    }
    return Optional.empty();
  }

  /// Cancels the runs that print or fork.
  private void endNoise() throws IOException, InterruptedException {
    for (var id : PressedRuns.noisy(runnel.data().resolve("agent-runs.db"))) {
      var _ =
          http.send(
              HttpRequest.newBuilder(
                      URI.create(runnel.url() + "/api/v1/agent/runs/" + id + "/cancel"))
                  .header("Authorization", "Bearer " + API_KEY)
                  .POST(HttpRequest.BodyPublishers.noBody())
                  .build(),
              BodyHandlers.discarding());
    }
  }
}
