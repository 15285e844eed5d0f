package dev.runnel.bench;

import dev.runnel.testkit.RunnelProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Whether Runnel stays as it is under a steady load: a process of its own, with the options of the
/// launcher, its embedded service and an agent that answers at once. Slack is simulated: see
/// [SimulatedSlack]. Settings by variable: `SOAK_MINUTES` (30), `SOAK_RATE` (20 a second),
/// `SOAK_SEED`; with `RUNNEL_DATABASE_URL`, on PostgreSQL. Ends with 1 when something grows that
/// should not.
///
/// `scripts/soak [MINUTES [RATE]]`
public final class Soak {
  private static final Duration BETWEEN_SAMPLES = Duration.ofSeconds(10);

  /// A collection that is asked for is a pause, so it is not asked for with each sample.
  private static final int SAMPLES_A_COLLECTION = 6;

  private static final Duration DRAIN = Duration.ofSeconds(60);

  /// As in the launcher `runnel`.
  static final List<String> OPTIONS =
      List.of(
          "-XX:+UseCompactObjectHeaders",
          "-Xss512k",
          "-Xms48m",
          "-XX:NewSize=32m",
          "-XX:SurvivorRatio=4",
          "-Xmx256m",
          "-XX:TrimNativeHeapInterval=5000");

  private Soak() {}

  public static void main(String[] args) throws Exception {
    if (!soak()) {
      System.exit(1);
    }
  }

  /// @return whether nothing grew
  private static boolean soak() throws Exception {
    var minutes = setting("SOAK_MINUTES", 30);
    var rate = setting("SOAK_RATE", 20);
    var seed = setting("SOAK_SEED", 1);
    var folder = Files.createTempDirectory("soak");
    System.out.printf(
        "%d minutes at %d deliveries a second, seed %d, log in %s%n", minutes, rate, seed, folder);
    try (var slack = new SimulatedSlack();
        var runnel =
            RunnelProcess.start(folder, RunnelProcess.freePort(), settings(slack), OPTIONS);
        var load = new SoakLoad(runnel, slack, rate, seed)) {
      var samples = watch(runnel, load, Duration.ofMinutes(minutes));
      load.stop();
      var drained = drain(runnel);
      var verdict = new SoakVerdict(samples, load.unacknowledged(), drained);
      System.out.println(verdict.table());
      System.out.printf(
          "deliveries: %s; calls of Slack's API: %,d%n", load.counts(), slack.calls());
      verdict.judgements().forEach(System.out::println);
      System.out.println(verdict.isGood() ? "GOOD: nothing grows" : "BAD: see above");
      return verdict.isGood();
    }
  }

  private static int setting(String name, int usual) {
    var value = System.getenv(name);
    return value == null || value.isBlank() ? usual : Integer.parseInt(value);
  }

  private static Map<String, String> settings(SimulatedSlack slack) {
    var settings = slack.settings();
    settings.put("RUNNEL_AGENT_COMMAND", "cat");
    return settings;
  }

  private static List<SoakSample> watch(RunnelProcess runnel, SoakLoad load, Duration time)
      throws IOException, InterruptedException {
    var samples = new ArrayList<SoakSample>();
    load.start();
    var begin = System.nanoTime();
    long heap = 0;
    for (int i = 1; i <= time.dividedBy(BETWEEN_SAMPLES); i++) {
      var due = begin + BETWEEN_SAMPLES.toNanos() * i;
      Thread.sleep(Duration.ofNanos(Math.max(0, due - System.nanoTime())));
      if (i % SAMPLES_A_COLLECTION == 1) {
        heap = SoakSample.heapAfterCollection(runnel);
      }
      var second = BETWEEN_SAMPLES.toSeconds() * i;
      var sample = SoakSample.take(second, runnel, heap, load.latencies());
      samples.add(sample);
      System.out.println(sample.line());
    }
    return samples;
  }

  /// Whether all that was accepted is done soon after the last delivery.
  private static boolean drain(RunnelProcess runnel) throws IOException, InterruptedException {
    var until = System.nanoTime() + DRAIN.toNanos();
    while (System.nanoTime() < until) {
      if (runnel.metric("runnel_inbox_waiting") == 0
          && runnel.metric("runnel_outbox_waiting") == 0
          && runnel.metric("runnel_runs_active") == 0) {
        return true;
      }
      Thread.sleep(500);
    }
    return false;
  }
}
