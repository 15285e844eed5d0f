package dev.runnel.bench;

import dev.runnel.app.settings.KnownPlatforms;
import dev.runnel.core.port.TraceRecorder;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.slack.SlackSurfaces;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.web.RequestMetrics;
import dev.runnel.web.WebhookEndpoint;
import io.javalin.Javalin;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/// Durable slash commands a second: the whole acknowledgement (HTTP, signature, age, parsing, both
/// unique keys, the row on disk) without the work behind it.
///
/// The server is a process of its own; the load comes from this one, over kept-alive connections,
/// each request signed anew with its own trigger id. Arguments: seconds (10), connections (64).
///
/// `mvn -q test-compile exec:exec@bench`
public final class SlashCommands {
  private static final String SECRET = "secret-of-the-bench";
  private static final Duration WARM_UP = Duration.ofSeconds(5);

  private SlashCommands() {}

  public static void main(String[] args) throws Exception {
    if (args.length > 0 && args[0].equals("serve")) {
      serve();
      return;
    }
    var seconds = args.length > 0 ? Integer.parseInt(args[0]) : 10;
    var connections = args.length > 1 ? Integer.parseInt(args[1]) : 64;
    var server =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                SlashCommands.class.getName(),
                "serve")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      var port = Integer.parseInt(server.inputReader().readLine());
      load(port, connections, WARM_UP);
      var cpuBefore = cpu(server);
      var latencies = load(port, connections, Duration.ofSeconds(seconds));
      var cpu = cpu(server).minus(cpuBefore);
      System.out.printf(
          "%,d acknowledgements/s, p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms, server CPU %.1f us"
              + " each%n",
          latencies.length / seconds,
          at(latencies, 0.5),
          at(latencies, 0.99),
          at(latencies, 0.999),
          cpu.toNanos() / 1000.0 / latencies.length);
    } finally {
      server.destroy();
    }
  }

  private static void serve() throws Exception {
    var folder = Files.createTempDirectory("bench");
    var store = new SqlStore(Database.sqlite(folder.resolve("runnel.db")), InstantSource.system());
    var settings = Map.of("SLACK_SIGNING_SECRET", SECRET, "SLACK_BOT_TOKEN", "xoxb-bench");
    var slack = SlackSurfaces.of(SlackConfig.from(settings).orElseThrow(), InstantSource.system());
    var door =
        new WebhookEndpoint(
            store,
            Surfaces.of(List.of(slack)),
            InstantSource.system(),
            new RequestMetrics(),
            TraceRecorder.NONE);
    var server =
        Javalin.create(
            config -> {
              config.startup.showJavalinBanner = false;
              config.concurrency.useVirtualThreads = true;
              door.routes(config.routes, KnownPlatforms.paths(), _ -> true);
            });
    server.start("127.0.0.1", 0);
    System.out.println(server.port());
    Thread.currentThread().join();
  }

  private static Duration cpu(Process server) {
    return server.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private static double at(long[] sorted, double quantile) {
    return sorted[(int) (quantile * (sorted.length - 1))] / 1e6;
  }

  /// @return how long each acknowledgement took, in nanoseconds, sorted
  private static long[] load(int port, int connections, Duration time) throws Exception {
    var count = new AtomicLong();
    var until = System.nanoTime() + time.toNanos();
    var done = new CountDownLatch(connections);
    var all = new long[connections][];
    for (int i = 0; i < connections; i++) {
      var slot = i;
      Thread.ofPlatform()
          .start(
              () -> {
                try {
                  all[slot] = connection(port, until, count);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                } finally {
                  done.countDown();
                }
              });
    }
    done.await();
    var latencies = Arrays.stream(all).flatMapToLong(Arrays::stream).toArray();
    Arrays.sort(latencies);
    return latencies;
  }

  private static long[] connection(int port, long until, AtomicLong count) throws IOException {
    var latencies = new long[1024];
    var n = 0;
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setTcpNoDelay(true);
      var in = new BufferedInputStream(socket.getInputStream());
      while (System.nanoTime() < until) {
        var request = request(count.incrementAndGet() + "." + System.nanoTime());
        var start = System.nanoTime();
        socket.getOutputStream().write(request);
        readAnswer(in);
        if (n == latencies.length) {
          latencies = Arrays.copyOf(latencies, 2 * n);
        }
        latencies[n++] = System.nanoTime() - start;
      }
    }
    return Arrays.copyOf(latencies, n);
  }

  private static byte[] request(String trigger) {
    var body =
        "token=x&team_id=T0ACME&team_domain=acme&channel_id=C0DEV&channel_name=dev&user_id=U0ANN"
            + "&user_name=ann&command=%2Fagent&text=fix+the+flaky+checkout+test&response_url="
            + "https%3A%2F%2Fhooks.slack.com%2Fcommands%2F1&trigger_id="
            + trigger;
    var timestamp = Long.toString(System.currentTimeMillis() / 1000);
    var signature =
        Hmac.hex(SECRET, ("v0:" + timestamp + ":" + body).getBytes(StandardCharsets.UTF_8));
    return ("POST /slack/events HTTP/1.1\r\nHost: localhost\r\n"
            + "Content-Type: application/x-www-form-urlencoded\r\nX-Slack-Request-Timestamp: "
            + timestamp
            + "\r\nX-Slack-Signature: v0="
            + signature
            + "\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body)
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static void readAnswer(InputStream in) throws IOException {
    var status = line(in);
    if (!status.contains(" 200 ")) {
      throw new IOException("Not acknowledged: " + status);
    }
    var length = 0;
    for (var header = line(in); !header.isEmpty(); header = line(in)) {
      if (header.regionMatches(true, 0, "Content-Length:", 0, 15)) {
        length = Integer.parseInt(header.substring(15).strip());
      }
    }
    in.skipNBytes(length);
  }

  private static String line(InputStream in) throws IOException {
    var line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("The server hung up");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }
}
