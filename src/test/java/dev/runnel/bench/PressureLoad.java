package dev.runnel.bench;

import dev.runnel.surface.kit.Hmac;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import dev.runnel.testkit.SignedSlack;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/// The load of a [Pressure], until it is stopped.
final class PressureLoad implements AutoCloseable {
  private static final int COMMANDS_A_SECOND = 50;

  /// More than there are slots for, so that each waits for turns.
  static final int PEOPLE = 40;

  private static final int IDLE_CONNECTIONS = 2_000;
  private static final int OPEN_PAGES = 200;
  private static final Duration BETWEEN_BODIES = Duration.ofMillis(200);
  private static final Duration BETWEEN_NOISE = Duration.ofSeconds(20);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final List<String> NOISE =
      List.of("print-one-line", "print-minified", "print-empty-lines", "print-addresses");
  private static final int FORKS = 8;

  /// Runs that print or fork.
  static final int NOISY = NOISE.size() + FORKS;

  /// What was sent, and what became of it.
  ///
  /// @param accepted the numbers of the commands that were acknowledged
  /// @param acknowledged how late they were
  /// @param refused how late the others got 503
  /// @param statuses of the other senders, by door
  record Sent(
      int commands,
      Set<Integer> accepted,
      Latencies acknowledged,
      Latencies refused,
      long unanswered,
      Map<String, Map<Integer, Integer>> statuses) {}

  /// Where bodies are sent to.
  ///
  /// @param bytes the size of its bodies
  /// @param proof headers that prove the sender
  private record Door(String path, int bytes, Function<byte[], Map<String, String>> proof) {}

  private static final int MB = 1_000_000;

  private static final List<Door> DOORS =
      List.of(
          new Door("/slack/events", MB, PressureLoad::slackProof),
          new Door("/webhooks/github", 5 * MB, PressureLoad::githubProof),
          new Door("/webhooks/hooks/pressure", 5 * MB, _ -> bearer(Pressure.HOOK_TOKEN)),
          new Door("/mcp", 27 * MB, _ -> bearer(Pressure.API_KEY)),
          new Door("/api/v1/agent/runs", 27 * MB, _ -> bearer(Pressure.API_KEY)),
          new Door("/enter", 5 * MB, _ -> bearer(Pressure.CONSOLE_TOKEN)));

  /// Pieces that fill a body, in an array.
  private static final List<String> SHAPES =
      List.of("{},", "[[[[[[[[]]]]]]]],", "{\"a\":1,\"b\":[]},", "1e9,", "\"\\u0061\",");

  private final RunnelProcess runnel;
  private final HttpClient http;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private volatile boolean isStopped;

  private record Shape(String piece, int size) {}

  private final Map<Shape, byte[]> bodies = new ConcurrentHashMap<>();

  private final AtomicInteger commands = new AtomicInteger();
  private final AtomicLong unanswered = new AtomicLong();
  private final Set<Integer> accepted = ConcurrentHashMap.newKeySet();
  private final Map<String, Map<Integer, Integer>> statuses = new ConcurrentHashMap<>();
  // Guarded by this.
  private final List<Long> acknowledged = new ArrayList<>();
  private final List<Long> refused = new ArrayList<>();

  PressureLoad(RunnelProcess runnel, HttpClient http) {
    this.runnel = runnel;
    this.http = http;
  }

  void start() {
    var _ = threads.submit(this::sendCommands);
    var _ = threads.submit(this::keepNoise);
    var _ = threads.submit(this::holdConnections);
    for (int i = 0; i < OPEN_PAGES; i++) {
      var _ = threads.submit(this::keepPageOpen);
    }
    for (var door : DOORS) {
      var _ = threads.submit(() -> sendBodies(door, false));
      var _ = threads.submit(() -> sendBodies(door, true));
    }
  }

  /// Sends no more, and waits for what is under way.
  Sent stop() throws InterruptedException {
    isStopped = true;
    Thread.sleep(SignedSlack.PATIENCE.plusSeconds(1));
    synchronized (this) {
      return new Sent(
          commands.get(),
          new TreeSet<>(accepted),
          new Latencies(acknowledged),
          new Latencies(refused),
          unanswered.get(),
          new TreeMap<>(statuses));
    }
  }

  @Override
  public void close() {
    isStopped = true;
    threads.shutdownNow();
  }

  private Void sendCommands() throws InterruptedException {
    var begin = Instant.now();
    var interval = Duration.ofSeconds(1).dividedBy(COMMANDS_A_SECOND);
    while (!isStopped) {
      var number = commands.getAndIncrement();
      var due = begin.plus(interval.multipliedBy(number));
      Thread.sleep(Duration.between(Instant.now(), due));
      var _ = threads.submit(() -> sendCommand(number, due));
    }
    return null;
  }

  private Void sendCommand(int number, Instant due) throws InterruptedException {
    var person = number % PEOPLE;
    var request =
        command("C0PRESS%03d".formatted(person), "U0PRESS" + person, number, "task " + number);
    try {
      var status = http.send(request, BodyHandlers.discarding()).statusCode();
      var late = Duration.between(due, Instant.now()).toNanos();
      if (status == 200) {
        accepted.add(number);
      }
      synchronized (this) {
        (status == 200 ? acknowledged : refused).add(late);
      }
    } catch (IOException _) {
      unanswered.incrementAndGet();
    }
    return null;
  }

  private HttpRequest command(String channel, String user, int number, String text) {
    return new SignedSlack(LocalSlack.SIGNING_SECRET)
        .command(
            URI.create(runnel.url()),
            channel,
            user,
            "press." + text.hashCode() + "." + number,
            text,
            Optional.empty());
  }

  /// Each kind belongs to somebody who has one slot, so one of each works at any time.
  private Void keepNoise() throws InterruptedException {
    for (int turn = 0; !isStopped; turn++) {
      for (var kind : NOISE) {
        sendNoise(kind, "U0" + kind.hashCode(), turn);
      }
      for (int i = 0; i < FORKS; i++) {
        sendNoise("fork-without-end", "U0FORK" + i, turn);
      }
      Thread.sleep(BETWEEN_NOISE);
    }
    return null;
  }

  private void sendNoise(String kind, String user, int turn) throws InterruptedException {
    try {
      var request = command("C0NOISE", user, turn * 100 + user.hashCode() % 100, kind);
      var _ = http.send(request, BodyHandlers.discarding());
    } catch (IOException _) {
      // Sent again at the next turn.
    }
  }

  /// @param sends a byte of a header each second; others send nothing
  private record Held(SocketChannel channel, boolean sends) {}

  /// Keeps connections without proof open.
  private Void holdConnections() throws InterruptedException {
    var address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), URI.create(runnel.url()).getPort());
    var held = new ArrayList<Held>();
    try {
      while (!isStopped) {
        held.removeIf(each -> !isOpen(each));
        for (int i = held.size(); i < IDLE_CONNECTIONS && !isStopped; i++) {
          connect(address, i % 2 == 0).ifPresent(held::add);
        }
        Thread.sleep(1_000);
      }
    } finally {
      held.forEach(each -> close(each.channel()));
    }
    return null;
  }

  private Optional<Held> connect(InetSocketAddress address, boolean sends) {
    try {
      var channel = SocketChannel.open(address);
      channel.configureBlocking(false);
      if (sends) {
        channel.write(bytes("POST /slack/events HTTP/1.1\r\nX-Long: "));
      }
      count("connections", 200);
      return Optional.of(new Held(channel, sends));
    } catch (IOException _) {
      count("connections", 0);
      return Optional.empty();
    }
  }

  private boolean isOpen(Held held) {
    try {
      if (held.channel().read(ByteBuffer.allocate(512)) >= 0) {
        if (held.sends()) {
          held.channel().write(bytes("x"));
        }
        return true;
      }
    } catch (IOException _) {
      // Runnel has closed it.
    }
    close(held.channel());
    return false;
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException _) {
      // It is of no more use.
    }
  }

  /// An open page reads its updates, and is opened again ten seconds after they end.
  private Void keepPageOpen() throws InterruptedException {
    while (!isStopped) {
      var request =
          HttpRequest.newBuilder(URI.create(runnel.url() + "/live"))
              .header("Accept", "text/event-stream")
              .header("Authorization", "Bearer " + Pressure.CONSOLE_TOKEN)
              .build();
      try {
        var answer = http.send(request, BodyHandlers.ofInputStream());
        count("pages", answer.statusCode());
        try (var updates = answer.body()) {
          var buffer = new byte[4_096];
          int read = 0;
          while (!isStopped && read >= 0) {
            read = updates.read(buffer);
          }
        }
      } catch (IOException _) {
        count("pages", 0);
      }
      Thread.sleep(10_000);
    }
    return null;
  }

  private Void sendBodies(Door door, boolean proves) throws InterruptedException {
    for (int turn = 0; !isStopped; turn++) {
      var body = body(new Shape(SHAPES.get(turn % SHAPES.size()), door.bytes()));
      var request =
          HttpRequest.newBuilder(URI.create(runnel.url() + door.path()))
              .timeout(PATIENCE)
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofByteArray(body));
      if (proves) {
        door.proof().apply(body).forEach(request::header);
      }
      var name = door.path() + (proves ? " proven" : "");
      try {
        count(name, http.send(request.build(), BodyHandlers.discarding()).statusCode());
      } catch (IOException _) {
        count(name, 0);
      }
      Thread.sleep(BETWEEN_BODIES);
    }
    return null;
  }

  private byte[] body(Shape shape) {
    return bodies.computeIfAbsent(
        shape,
        it ->
            ("[" + it.piece().repeat(it.size() / it.piece().length()) + "0]")
                .getBytes(StandardCharsets.US_ASCII));
  }

  private static Map<String, String> bearer(String token) {
    return Map.of("Authorization", "Bearer " + token);
  }

  private static Map<String, String> githubProof(byte[] body) {
    return Map.of(
        "X-GitHub-Event",
        "issues",
        "X-GitHub-Delivery",
        "pressure-" + System.nanoTime(),
        "X-Hub-Signature-256",
        "sha256=" + Hmac.hex(Pressure.GITHUB_SECRET, body));
  }

  private static Map<String, String> slackProof(byte[] body) {
    var timestamp = Long.toString(Instant.now().getEpochSecond());
    var start = ("v0:" + timestamp + ":").getBytes(StandardCharsets.US_ASCII);
    var signed = new byte[start.length + body.length];
    System.arraycopy(start, 0, signed, 0, start.length);
    System.arraycopy(body, 0, signed, start.length, body.length);
    return Map.of(
        "X-Slack-Request-Timestamp",
        timestamp,
        "X-Slack-Signature",
        "v0=" + Hmac.hex(LocalSlack.SIGNING_SECRET, signed));
  }

  private void count(String sender, int status) {
    statuses.computeIfAbsent(sender, _ -> new ConcurrentHashMap<>()).merge(status, 1, Integer::sum);
  }
}
