package dev.runnel.bench;

import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import dev.runnel.testkit.SignedSlack;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/// What it costs to watch many runs, and how late their ends are told: a process of its own, with a
/// simulated Slack and a simulated run service that takes 80 ms for an answer. Each run says
/// something new every 43 s; five a second end. Arguments: runs, seconds.
///
/// `mvn -q test-compile exec:exec@bench -Dbench=dev.runnel.bench.WatchedRuns`
public final class WatchedRuns {
  private static final Duration BETWEEN_WORDS_OF_A_RUN = Duration.ofSeconds(43);
  private static final Duration BETWEEN_ENDS = Duration.ofMillis(200);
  private static final int CHANNELS = 200;

  private final SimulatedRuns service;
  private final SimulatedSlack slack;
  private final RunnelProcess runnel;

  private WatchedRuns(SimulatedRuns service, SimulatedSlack slack, RunnelProcess runnel) {
    this.service = service;
    this.slack = slack;
    this.runnel = runnel;
  }

  public static void main(String[] args) throws Exception {
    var count = args.length > 0 ? Integer.parseInt(args[0]) : 10_000;
    var time = Duration.ofSeconds(args.length > 1 ? Integer.parseInt(args[1]) : 120);
    var folder = Files.createTempDirectory("watched-runs");
    try (var service = new SimulatedRuns();
        var slack = new SimulatedSlack();
        var runnel =
            RunnelProcess.start(
                folder, RunnelProcess.freePort(), settings(service, slack), Soak.OPTIONS)) {
      var bench = new WatchedRuns(service, slack, runnel);
      bench.start(count);
      bench.settle(count);
      bench.watch(count, time);
    }
  }

  static Map<String, String> settings(SimulatedRuns service, SimulatedSlack slack) {
    var settings = slack.settings();
    settings.put("RUNNEL_AGENT_API_URL", service.uri().toString());
    settings.put("RUNNEL_AGENT_API_KEY", "key-of-the-bench");
    return settings;
  }

  private void start(int count) throws IOException, InterruptedException {
    var signed = new SignedSlack(LocalSlack.SIGNING_SECRET);
    try (var http = HttpClient.newHttpClient()) {
      for (int i = 0; i < count; i++) {
        var channel = "C0WATCH%03d".formatted(i % CHANNELS);
        var request =
            signed.command(
                URI.create(runnel.url()),
                channel,
                LocalSlack.ANN,
                "watch." + i,
                "task " + i,
                Optional.empty());
        http.send(request, BodyHandlers.discarding());
      }
    }
    while (service.size() < count
        || runnel.metric("runnel_inbox_waiting") > 0
        || runnel.metric("runnel_outbox_waiting") > 0) {
      Thread.sleep(1_000);
      System.out.printf("%,d of %,d runs started%n", service.size(), count);
    }
  }

  /// Lets each run say something once. From then on the edits of most wait for the budget of their
  /// workspace, as they do in a workspace with that many runs.
  private void settle(int count) throws InterruptedException {
    System.out.println("settling");
    for (int i = 0; i < count; i++) {
      service.progress(i, "begins");
      TimeUnit.MILLISECONDS.sleep(5);
    }
    TimeUnit.SECONDS.sleep(10);
    System.out.println("watching");
  }

  private void watch(int count, Duration time) throws InterruptedException, IOException {
    var chance = new Random(1);
    var progress = BETWEEN_WORDS_OF_A_RUN.dividedBy(count).toNanos();
    var cpu = cpu();
    service.count();
    var begin = System.nanoTime();
    var word = begin;
    var end = begin;
    var ended = new ArrayList<Long>();
    while (System.nanoTime() - begin < time.toNanos()) {
      var now = System.nanoTime();
      for (; word <= now; word += progress) {
        var number = ended.size() + chance.nextInt(count - ended.size());
        service.progress(number, "step " + chance.nextInt(1_000_000));
      }
      for (; end <= now; end += BETWEEN_ENDS.toNanos()) {
        service.end(ended.size(), "answer of " + ended.size() + ".");
        ended.add(System.nanoTime());
      }
      TimeUnit.MILLISECONDS.sleep(2);
    }
    var counted = service.count();
    var used = cpu() - cpu;
    TimeUnit.SECONDS.sleep(10);
    report(time, counted, used, lateness(ended));
  }

  /// How long after its end each run was told in its thread.
  private Latencies lateness(List<Long> ended) {
    List<Long> late = new ArrayList<>();
    for (int i = 0; i < ended.size(); i++) {
      var told = slack.saidAt("answer of " + i + ".");
      late.add(told.isPresent() ? told.get() - ended.get(i) : TimeUnit.MINUTES.toNanos(1));
    }
    return new Latencies(late);
  }

  private void report(
      Duration time, SimulatedRuns.Counted counted, double cpuSeconds, Latencies late) {
    var minutes = time.toMillis() / 60_000.0;
    System.out.printf(
        Locale.ROOT,
        "requests a minute %.1f, MB a minute %.1f, CPU %.1f %% of one core%n",
        counted.requests() / minutes,
        counted.bytes() / minutes / 1e6,
        100 * cpuSeconds / time.toSeconds());
    System.out.printf(
        Locale.ROOT,
        "%d ends told after ms: p50 %.0f, p90 %.0f, p99 %.0f, longest %.0f%n",
        late.count(),
        late.millis(0.5),
        late.millis(0.9),
        late.millis(0.99),
        late.millis(1));
  }

  private double cpu() {
    return ProcessHandle.of(runnel.pid())
        .flatMap(it -> it.info().totalCpuDuration())
        .map(it -> it.toMillis() / 1e3)
        .orElse(0.0);
  }
}
