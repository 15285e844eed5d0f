package dev.runnel.bench;

import static dev.runnel.testkit.LocalSlack.ANN;
import static dev.runnel.testkit.LocalSlack.BOT;

import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import dev.runnel.testkit.SignedSlack;
import dev.runnel.testkit.SignedSlack.Said;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/// A steady stream of deliveries, whether or not the ones before are answered. Of a hundred, 9 make
/// an agent work (commands, mentions, replies), 16 are answered by Runnel itself, 20 are repeated
/// deliveries, and the rest is talk that is none of its business.
final class SoakLoad implements AutoCloseable {
  private static final int CHANNELS = 200;
  private static final int REMEMBERED = 200;

  private final SignedSlack signed = new SignedSlack(LocalSlack.SIGNING_SECRET);
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final ExecutorService senders = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicLong unacknowledged = new AtomicLong();
  private final URI node;
  private final SimulatedSlack slack;
  private final int rate;

  // Only the clock's thread uses these.
  private final Random chance;
  private final List<Function<Integer, HttpRequest>> last = new ArrayList<>();
  private long number;

  // Guarded by this.
  private final Map<String, Integer> counts = new TreeMap<>();
  private List<Long> latencies = new ArrayList<>();

  SoakLoad(RunnelProcess runnel, SimulatedSlack slack, int rate, long seed) {
    this.node = URI.create(runnel.url());
    this.slack = slack;
    this.rate = rate;
    this.chance = new Random(seed);
  }

  void start() {
    var _ = clock.scheduleAtFixedRate(this::one, 0, 1_000_000_000L / rate, TimeUnit.NANOSECONDS);
  }

  /// Sends no more, and waits for what is under way.
  void stop() throws InterruptedException {
    clock.shutdown();
    var _ = clock.awaitTermination(10, TimeUnit.SECONDS);
    senders.shutdown();
    var _ = senders.awaitTermination(10, TimeUnit.SECONDS);
  }

  long unacknowledged() {
    return unacknowledged.get();
  }

  synchronized Map<String, Integer> counts() {
    return new TreeMap<>(counts);
  }

  /// What was measured since this was asked for the last time.
  synchronized Latencies latencies() {
    var taken = new Latencies(latencies);
    latencies = new ArrayList<>();
    return taken;
  }

  private void one() {
    number++;
    var thrown = chance.nextInt(100);
    if (thrown < 3) {
      send("command", command("fix the flaky test " + number));
    } else if (thrown < 5) {
      mention();
    } else if (thrown < 9) {
      inThread("reply", "go on with " + number);
    } else if (thrown < 17) {
      inThread("status", "status");
    } else if (thrown < 25) {
      send("list", command("list"));
    } else if (thrown < 45) {
      repeat();
    } else if (thrown < 55) {
      inThread("note", "// lunch?");
    } else {
      send("talk", said("message", channel(), slack.timestamp(), Optional.empty(), "hello"));
    }
  }

  /// Slack sends a mention twice, as what it is and as a message.
  private void mention() {
    var channel = channel();
    var ts = slack.timestamp();
    var text = "<@" + BOT + "> look at " + number;
    send("mention", said("app_mention", channel, ts, Optional.empty(), text));
    send("mention", said("message", channel, ts, Optional.empty(), text));
    slack.remember(new SimulatedSlack.OneThread(channel, ts));
  }

  private void inThread(String kind, String text) {
    var thread = slack.anyThread(chance);
    if (thread.isPresent()) {
      var ts = slack.timestamp();
      send(kind, said("message", thread.get().channel(), ts, Optional.of(thread.get().ts()), text));
    }
  }

  private void repeat() {
    if (!last.isEmpty()) {
      count("repeated");
      deliver(last.get(chance.nextInt(last.size())).apply(1 + chance.nextInt(3)));
    }
  }

  private String channel() {
    return "C0SOAK%03d".formatted(chance.nextInt(CHANNELS));
  }

  private Function<Integer, HttpRequest> command(String text) {
    var channel = channel();
    var trigger = "soak." + number;
    var answers = slack.uri("/commands/" + number);
    return _ -> signed.command(node, channel, ANN, trigger, text, Optional.of(answers));
  }

  private Function<Integer, HttpRequest> said(
      String type, String channel, String ts, Optional<String> thread, String text) {
    var said = new Said(type, "Ev" + type + number, channel, ANN, ts, thread, text);
    return retry -> signed.event(node, said, retry);
  }

  private void send(String kind, Function<Integer, HttpRequest> request) {
    count(kind);
    if (last.size() == REMEMBERED) {
      last.removeFirst();
    }
    last.add(request);
    deliver(request.apply(0));
  }

  private void deliver(HttpRequest request) {
    var _ =
        senders.submit(
            () -> {
              var begin = System.nanoTime();
              try {
                var status = http.send(request, BodyHandlers.discarding()).statusCode();
                measured(System.nanoTime() - begin);
                if (status != 200) {
                  unacknowledged.incrementAndGet();
                }
              } catch (IOException e) {
                unacknowledged.incrementAndGet();
              }
              return true;
            });
  }

  private synchronized void measured(long nanos) {
    latencies.add(nanos);
  }

  private synchronized void count(String kind) {
    counts.merge(kind, 1, Integer::sum);
  }

  @Override
  public void close() {
    clock.shutdownNow();
    senders.shutdownNow();
    http.close();
  }
}
