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
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/// Whether commands become runs, and their ends posts, as fast after ten minutes as after one: a
/// process of its own, with a simulated Slack and a simulated run service that takes 80 ms for an
/// answer. Each run ends two seconds after its start. Arguments: commands a second (50), minutes
/// (10). With `RUNNEL_DATABASE_URL`, on PostgreSQL.
///
/// `mvn -q test-compile exec:exec@bench -Dbench=dev.runnel.bench.SteadyCommands`
public final class SteadyCommands {
  private static final Duration WORK = Duration.ofSeconds(2);
  private static final Duration DRAIN = Duration.ofMinutes(1);
  private static final int CHANNELS = 200;

  /// When a command was due, and the time until its acknowledgement; not set without a 200.
  private record Sent(Instant at, Optional<Duration> acknowledged) {}

  private final SimulatedRuns service;
  private final SimulatedSlack slack;
  private final RunnelProcess runnel;
  private final int rate;
  private final int count;
  private final Sent[] sent;
  private final long[] ended;

  private SteadyCommands(
      SimulatedRuns service, SimulatedSlack slack, RunnelProcess runnel, int rate, int minutes) {
    this.service = service;
    this.slack = slack;
    this.runnel = runnel;
    this.rate = rate;
    this.count = rate * 60 * minutes;
    this.sent = new Sent[count];
    this.ended = new long[count];
  }

  public static void main(String[] args) throws Exception {
    var rate = args.length > 0 ? Integer.parseInt(args[0]) : 50;
    var minutes = args.length > 1 ? Integer.parseInt(args[1]) : 10;
    var folder = Files.createTempDirectory("steady-commands");
    try (var service = new SimulatedRuns();
        var slack = new SimulatedSlack();
        var runnel =
            RunnelProcess.start(
                folder,
                RunnelProcess.freePort(),
                WatchedRuns.settings(service, slack),
                Soak.OPTIONS)) {
      var bench = new SteadyCommands(service, slack, runnel, rate, minutes);
      bench.load();
      bench.report();
    }
  }

  private void load() throws Exception {
    var signed = new SignedSlack(LocalSlack.SIGNING_SECRET);
    var begin = Instant.now();
    var interval = Duration.ofSeconds(1).dividedBy(rate);
    int finished = 0;
    int minute = 0;
    try (var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        var senders = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int next = 0; next < count; ) {
        for (var now = Instant.now(); next < count; next++) {
          var due = begin.plus(interval.multipliedBy(next));
          if (due.isAfter(now)) {
            break;
          }
          var number = next;
          var _ = senders.submit(() -> sent[number] = send(signed, http, number, due));
        }
        finished = end(finished);
        if (next / (60 * rate) > minute) {
          minute = next / (60 * rate);
          System.out.printf("minute %d, RSS %d MiB%n", minute, SoakSample.rss(runnel) / 1024);
        }
        TimeUnit.MILLISECONDS.sleep(2);
      }
    }
    var until = Instant.now().plus(DRAIN);
    while (finished < count && Instant.now().isBefore(until)) {
      finished = end(finished);
      TimeUnit.MILLISECONDS.sleep(2);
    }
    TimeUnit.SECONDS.sleep(10);
  }

  private Sent send(SignedSlack signed, HttpClient http, int number, Instant due)
      throws InterruptedException {
    var request =
        signed.command(
            URI.create(runnel.url()),
            "C0STEADY%03d".formatted(number % CHANNELS),
            LocalSlack.ANN,
            "steady." + number,
            "task " + number,
            Optional.empty());
    try {
      var status = http.send(request, BodyHandlers.discarding()).statusCode();
      return new Sent(
          due,
          status == 200 ? Optional.of(Duration.between(due, Instant.now())) : Optional.empty());
    } catch (IOException e) {
      return new Sent(due, Optional.empty());
    }
  }

  /// Ends the runs that have worked long enough.
  ///
  /// @return the number of runs that have ended
  private int end(int first) {
    var before = Instant.now().minus(WORK);
    int number = first;
    while (number < service.size()
        && number < count
        && service.createdAt(number).isBefore(before)) {
      service.end(number, "answer of " + number + ".");
      ended[number++] = System.nanoTime();
    }
    return number;
  }

  private void report() throws IOException, InterruptedException {
    var started = new Instant[count];
    int told = 0;
    var tasks = new HashSet<Integer>();
    var runs = service.size();
    for (int run = 0; run < runs; run++) {
      var task = Integer.parseInt(service.title(run).replaceAll("\\D", ""));
      if (tasks.add(task)) {
        started[task] = service.createdAt(run);
      }
      if (run < count && slack.saidAt("answer of " + run + ".").isPresent()) {
        told++;
      }
    }
    System.out.println(
        "minute  acknowledged after ms: p50, p99   run created after ms: p50, p99"
            + "   end posted after ms: p50, p99");
    for (int minute = 0; minute * 60 * rate < count; minute++) {
      System.out.printf(
          Locale.ROOT,
          "%6d  %s  %s  %s%n",
          minute + 1,
          in(minute, i -> sent[i].acknowledged()),
          in(
              minute,
              i -> Optional.ofNullable(started[i]).map(at -> Duration.between(sent[i].at(), at))),
          in(
              minute,
              i ->
                  slack.saidAt("answer of " + i + ".").map(at -> Duration.ofNanos(at - ended[i]))));
    }
    System.out.printf(
        "commands %,d, runs %,d, of different commands %,d, ends posted %,d; inbox %d, outbox %d%n",
        count,
        runs,
        tasks.size(),
        told,
        runnel.metric("runnel_inbox_waiting"),
        runnel.metric("runnel_outbox_waiting"));
  }

  private String in(int minute, IntFunction<Optional<Duration>> time) {
    List<Long> nanos =
        IntStream.range(minute * 60 * rate, (minute + 1) * 60 * rate)
            .mapToObj(time)
            .flatMap(Optional::stream)
            .map(Duration::toNanos)
            .toList();
    var latencies = new Latencies(nanos);
    return String.format(
        Locale.ROOT, "%,9.1f %,9.1f", latencies.millis(0.5), latencies.millis(0.99));
  }
}
