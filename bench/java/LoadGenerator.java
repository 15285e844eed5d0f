import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Sends signed webhooks over HTTP/1.1 to loopback, from one thread.
///
/// Without `--rate`, each connection keeps one request in flight, and the latency is that of the server. With `--rate`,
/// requests are due at random times whatever the server does (a Poisson process), and the latency counts from the time
/// at which a request was due, so that a server that stalls cannot hide what it delayed. Requests that have no answer
/// at the end count as `unanswered`, those for which no connection was free as `unsent`, and acknowledgements that came
/// more than 2.5 s after their request as `late`. With `--acknowledged FILE`, the number of each acknowledged request is
/// written to the file. When the server is gone, the run ends.
final class LoadGenerator {
  /// A response must fit.
  private static final int RESPONSE_BYTES = 16_384;

  /// In a rate run the generator's loop always runs, so a longer gap is a hold-up of the machine.
  private static final long HOLD_UP_NANOS = 300_000;

  /// Slack sends again after 3 s.
  private static final long LATE_NANOS = 2_500_000_000L;

  private final Map<String, String> options = new HashMap<>();
  private final ArrayDeque<Connection> idle = new ArrayDeque<>();
  private final Histogram all = new Histogram();
  private final Histogram quiet = new Histogram();
  private final TreeMap<Integer, Long> statuses = new TreeMap<>();
  private InetSocketAddress target;
  private Selector selector;
  private Requests requests;
  private long acknowledged;
  private long refused;
  private long broken;
  private long late;
  private long sent;
  private long lastHoldUp;
  private boolean isMeasuring;
  private boolean isRate;
  private boolean isGone;
  private PrintWriter numbers = new PrintWriter(Writer.nullWriter());

  private LoadGenerator() {}

  public static void main(String[] args) throws Exception {
    new LoadGenerator().run(args);
  }

  private static final class Connection {
    SocketChannel channel;
    SelectionKey key;
    ByteBuffer out;
    final ByteBuffer in = ByteBuffer.allocate(RESPONSE_BYTES);
    long dueAt;
    long sentAt;
    long number;
  }

  /// Counts of nanoseconds, in 64 steps for each doubling.
  private static final class Histogram {
    private static final int STEPS = 64;
    private final long[] counts = new long[64 * STEPS];
    private long total;

    void add(long nanos) {
      var value = Math.max(STEPS, nanos);
      var shift = 63 - Long.numberOfLeadingZeros(value) - 6;
      counts[(shift << 6) + (int) (value >>> shift) - STEPS]++;
      total++;
    }

    /// In microseconds.
    double at(double percent) {
      var left = (long) Math.ceil(total * percent / 100);
      for (int i = 0; i < counts.length; i++) {
        left -= counts[i];
        if (left <= 0 && total > 0) {
          return ((long) (i % STEPS + STEPS + 1) << (i >> 6)) / 1e3;
        }
      }
      return 0;
    }

    void clear() {
      java.util.Arrays.fill(counts, 0);
      total = 0;
    }
  }

  private String option(String name, String otherwise) {
    return options.getOrDefault(name, otherwise);
  }

  private double number(String name, double otherwise, double most) {
    return Math.min(
        most, options.containsKey(name) ? Double.parseDouble(options.get(name)) : otherwise);
  }

  private void run(String[] args) throws Exception {
    for (int i = 0; i + 1 < args.length; i += 2) {
      options.put(args[i].substring(2), args[i + 1]);
    }
    var address = InetAddress.getLoopbackAddress();
    target = new InetSocketAddress(address, (int) number("port", 0, 65_535));
    var payload = option("payload", "");
    requests =
        new Requests(
            option("kind", "command"),
            target.getPort(),
            option("path", "/slack/events"),
            option("secret", ""),
            payload.isEmpty() ? "" : Files.readString(Path.of(payload)));
    if (options.containsKey("acknowledged")) {
      numbers = new PrintWriter(Files.newBufferedWriter(Path.of(options.get("acknowledged"))));
    }
    var rate = number("rate", 0, 100_000);
    isRate = rate > 0;
    var warm = (long) (number("warm", 2, 60) * 1e9);
    var length = (long) (number("seconds", 5, 120) * 1e9);
    List<String> processes = new ArrayList<>(List.of(option("pids", "").split(",")));
    selector = Selector.open();
    List<Connection> connections = new ArrayList<>();
    for (int i = 0; i < (int) number("connections", 64, 4_000); i++) {
      var each = new Connection();
      each.out = ByteBuffer.allocateDirect(requests.size());
      connect(each);
      connections.add(each);
      idle.push(each);
    }
    var begin = System.nanoTime();
    var end = begin + warm + length;
    var random = new SplittableRandom(42);
    var waiting = new ArrayDeque<Long>();
    long nextDue = begin;
    long before = begin;
    long measuredFrom = begin;
    double[] cpuBefore = {0, 0, 0};
    if (!isRate) {
      for (Connection each; (each = idle.poll()) != null; ) {
        send(each, System.nanoTime());
      }
    }
    while (true) {
      long now = System.nanoTime();
      if (now - before > HOLD_UP_NANOS) {
        lastHoldUp = now;
      }
      before = now;
      if (!isMeasuring && now >= begin + warm) {
        isMeasuring = true;
        measuredFrom = now;
        all.clear();
        quiet.clear();
        statuses.clear();
        acknowledged = refused = broken = late = 0;
        cpuBefore = cpu(processes);
      }
      var isOver = now >= end;
      var isAnswered = !isRate || idle.size() == connections.size() || now >= end + LATE_NANOS;
      if (isOver && isAnswered || isGone) {
        break;
      }
      if (isRate && isOver) {
        selector.select(10);
      } else if (isRate) {
        while (nextDue <= now) {
          waiting.add(nextDue);
          nextDue += (long) (-Math.log(1 - random.nextDouble()) / rate * 1e9);
        }
        while (!waiting.isEmpty() && !idle.isEmpty()) {
          send(idle.poll(), waiting.poll());
        }
        selector.selectNow();
      } else {
        selector.select(100);
      }
      var keys = selector.selectedKeys().iterator();
      while (keys.hasNext()) {
        var key = keys.next();
        keys.remove();
        var it = (Connection) key.attachment();
        if (key.isValid() && key.isWritable()) {
          write(it);
        }
        if (key.isValid() && key.isReadable() && read(it)) {
          if (isRate) {
            idle.push(it);
          } else {
            send(it, System.nanoTime());
          }
        }
      }
    }
    var stop = System.nanoTime();
    var cpuAfter = cpu(processes);
    var seconds = (stop - measuredFrom) / 1e9;
    long unanswered = 0;
    for (var each : connections) {
      unanswered += isRate && each.dueAt != 0 ? 1 : 0;
      each.channel.close();
    }
    numbers.close();
    var server = cpuAfter[0] - cpuBefore[0];
    var self = cpuAfter[1] - cpuBefore[1];
    var byStatus = new StringBuilder();
    statuses.forEach(
        (status, count) ->
            byStatus.append(byStatus.isEmpty() ? "" : ",").append("\"%d\":%d".formatted(status, count)));
    System.out.println(
        String.format(
            Locale.ROOT,
            "{\"perSecond\":%.1f,\"cpuMicros\":%.2f,\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f,"
                + "\"quietP99\":%.1f,\"acknowledged\":%d,\"refused\":%d,\"broken\":%d,\"late\":%d,"
                + "\"unanswered\":%d,\"unsent\":%d,"
                + "\"serverCpu\":%.3f,\"generatorCpu\":%.3f,\"otherCpu\":%.3f,\"statuses\":{%s}}",
            acknowledged / seconds,
            acknowledged + refused == 0 ? 0 : server * 1e6 / (acknowledged + refused),
            all.at(50),
            all.at(90),
            all.at(99),
            all.at(99.9),
            all.at(100),
            quiet.at(99),
            acknowledged,
            refused,
            broken,
            late,
            unanswered,
            waiting.size(),
            server / seconds,
            self / seconds,
            (cpuAfter[2] - cpuBefore[2] - server - self) / seconds,
            byStatus));
  }

  private void connect(Connection it) throws IOException {
    it.channel = SocketChannel.open();
    it.channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    it.channel.connect(target);
    it.channel.configureBlocking(false);
    it.key = it.channel.register(selector, SelectionKey.OP_READ, it);
    it.in.clear();
    it.dueAt = 0;
  }

  private void send(Connection it, long dueAt) throws IOException {
    it.dueAt = dueAt;
    it.sentAt = System.nanoTime();
    sent++;
    it.number = requests.next(it.out);
    write(it);
  }

  private void write(Connection it) throws IOException {
    try {
      it.channel.write(it.out);
      it.key.interestOps(
          SelectionKey.OP_READ | (it.out.hasRemaining() ? SelectionKey.OP_WRITE : 0));
    } catch (IOException e) {
      reconnect(it);
    }
  }

  private void reconnect(Connection it) throws IOException {
    broken += isMeasuring && it.dueAt != 0 ? 1 : 0;
    it.key.cancel();
    it.channel.close();
    try {
      connect(it);
    } catch (ConnectException e) {
      isGone = true;
    }
  }

  /// Returns whether the connection is free for the next request.
  private boolean read(Connection it) throws IOException {
    int count;
    try {
      count = it.channel.read(it.in);
    } catch (IOException e) {
      count = -1;
    }
    if (count < 0) {
      reconnect(it);
      return !isGone;
    }
    var status = status(it.in);
    if (status == 0) {
      return false;
    }
    var now = System.nanoTime();
    if (isMeasuring && it.dueAt != 0) {
      statuses.merge(status, 1L, Long::sum);
      if (status / 100 == 2) {
        acknowledged++;
        late += now - it.sentAt > LATE_NANOS ? 1 : 0;
        numbers.println(it.number);
        all.add(now - it.dueAt);
        if (lastHoldUp < it.dueAt) {
          quiet.add(now - it.dueAt);
        }
      } else {
        refused++;
      }
    }
    it.dueAt = 0;
    it.in.clear();
    return true;
  }

  /// The status of a response that is whole; 0 if more is to come.
  private static int status(ByteBuffer in) throws IOException {
    var text = new String(in.array(), 0, in.position(), StandardCharsets.ISO_8859_1);
    var head = text.indexOf("\r\n\r\n");
    if (head < 0) {
      return 0;
    }
    var status = Integer.parseInt(text.substring(9, 12));
    var length = header(text, head, "content-length: ");
    if (length >= 0) {
      return text.length() >= head + 4 + length ? status : 0;
    }
    if (text.regionMatches(true, 0, "HTTP/1.1 204", 0, 12)) {
      return status;
    }
    return text.endsWith("0\r\n\r\n") ? status : 0;
  }

  private static int header(String text, int end, String name) {
    for (int i = text.indexOf("\r\n"); i >= 0 && i < end; i = text.indexOf("\r\n", i + 2)) {
      if (text.regionMatches(true, i + 2, name, 0, name.length())) {
        return Integer.parseInt(text.substring(i + 2 + name.length(), text.indexOf("\r\n", i + 2)));
      }
    }
    return -1;
  }

  /// Seconds of CPU that the server, this process and the whole machine have used.
  private static double[] cpu(List<String> processes) throws IOException {
    double server = 0;
    for (var each : processes) {
      server += each.isEmpty() ? 0 : process("/proc/" + each + "/stat");
    }
    var fields = Files.readAllLines(Path.of("/proc/stat")).getFirst().trim().split("\\s+");
    double busy = 0;
    for (int i : new int[] {1, 2, 3, 6, 7}) {
      busy += Long.parseLong(fields[i]) / 100.0;
    }
    return new double[] {server, process("/proc/self/stat"), busy};
  }

  private static double process(String stat) {
    try {
      var text = Files.readString(Path.of(stat));
      var fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
      return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
    } catch (IOException ended) {
      return 0;
    }
  }

  /// Requests whose body is new each time, so that a server that drops duplicates still does the whole work.
  private static final class Requests {
    private static final String COUNTER = "000000000000";
    private static final String TIME = "TTTTTTTTTT";
    private static final String SIGNATURE = "0".repeat(64);
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private static final String COMMAND =
        "token=gIkuvaNzQIHg97ATvDxqgjtO&team_id=T0001EXAMPLE&team_domain=example&channel_id=C2147483705&channel_name=engineering"
            + "&user_id=U2147483697&user_name=steve&command=%2Fagent&text=fix%20the%20flaky%20login%20test%20in%20"
            + "repo%3Aacme%2Fweb%20and%20open%20a%20pull%20request&api_app_id=A123456EXAMPLE&is_enterprise_install=false"
            + "&response_url=https%3A%2F%2Fhooks.slack.invalid%2Fcommands%2FT0001EXAMPLE%2F1234567890%2FabcdefGHIJKLmnopqrstUVWX"
            + "&trigger_id=13345224609."
            + COUNTER
            + ".8fab8f7a7f7f3a2f5f3f4f2f1f0f9f8f";
    private static final String MESSAGE =
        "{\"token\":\"gIkuvaNzQIHg97ATvDxqgjtO\",\"team_id\":\"T0001EXAMPLE\",\"api_app_id\":\"A123456EXAMPLE\",\"event\":{"
            + "\"type\":\"message\",\"channel_type\":\"channel\",\"client_msg_id\":\"5ce2e2a8-6ab8-4a0e-9c1e-"
            + COUNTER
            + "\",\"user\":\"U2147483697\",\"text\":\"the login test is flaky again and somebody should look at it\","
            + "\"ts\":\"1758300000.000100\",%s\"team\":\"T0001EXAMPLE\",\"channel\":\"C2147483705\",\"event_ts\":\"1758300000.000100\"},"
            + "\"type\":\"event_callback\",\"event_id\":\"Ev0PV52K25\",\"event_time\":1758300000,"
            + "\"authorizations\":[{\"enterprise_id\":null,\"team_id\":\"T0001EXAMPLE\",\"user_id\":\"U0BOTEXAMPLE\","
            + "\"is_bot\":true,\"is_enterprise_install\":false}],\"is_ext_shared_channel\":false}";

    private final boolean isSlack;
    private final Mac mac;
    private final byte[] request;
    private final int bodyAt;
    private final int bodyCounterAt;
    private final int headCounterAt;
    private final int timeAt;
    private final int signatureAt;
    private final byte[] signedPrefix = "v0:0000000000:".getBytes(StandardCharsets.US_ASCII);
    private long counter = System.currentTimeMillis() % 1_000_000_000L * 500;

    Requests(String kind, int port, String path, String secret, String payload) throws Exception {
      isSlack = !kind.equals("github");
      mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      var body =
          switch (kind) {
            case "command" -> COMMAND;
            case "message" -> MESSAGE.formatted("");
            case "reply" -> MESSAGE.formatted("\"thread_ts\":\"1758200000.000100\",");
            case "github" -> payload;
            default -> throw new IllegalArgumentException(kind);
          };
      var headers =
          isSlack
              ? "Content-Type: "
                  + (kind.equals("command") ? "application/x-www-form-urlencoded" : "application/json")
                  + "\r\nX-Slack-Request-Timestamp: "
                  + TIME
                  + "\r\nX-Slack-Signature: v0="
                  + SIGNATURE
                  + "\r\n"
              : "Content-Type: application/json\r\nX-GitHub-Event: issues\r\nX-GitHub-Delivery: 72d3162e-cc78-11e3-81ab-"
                  + COUNTER
                  + "\r\nX-GitHub-Hook-ID: 292430182\r\nX-Hub-Signature-256: sha256="
                  + SIGNATURE
                  + "\r\n";
      var bytes = body.getBytes(StandardCharsets.UTF_8);
      var head =
          "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUser-Agent: %s\r\nAccept: */*\r\n%sContent-Length: %d\r\n\r\n"
              .formatted(
                  path, port, isSlack ? "Slackbot 1.0" : "GitHub-Hookshot/044aadd", headers, bytes.length);
      bodyAt = head.length();
      request = new byte[bodyAt + bytes.length];
      System.arraycopy(head.getBytes(StandardCharsets.US_ASCII), 0, request, 0, bodyAt);
      System.arraycopy(bytes, 0, request, bodyAt, bytes.length);
      bodyCounterAt =
          bodyAt
              + body.substring(0, body.indexOf(COUNTER)).getBytes(StandardCharsets.UTF_8).length;
      timeAt = head.indexOf(TIME);
      signatureAt = head.indexOf(SIGNATURE);
      headCounterAt = isSlack ? -1 : head.indexOf(COUNTER);
    }

    int size() {
      return request.length;
    }

    /// Writes the next request, and returns its number.
    long next(ByteBuffer out) {
      counter++;
      digits(request, bodyCounterAt, 12, counter);
      if (isSlack) {
        var now = System.currentTimeMillis() / 1000;
        digits(request, timeAt, 10, now);
        digits(signedPrefix, 3, 10, now);
        mac.update(signedPrefix);
      } else {
        digits(request, headCounterAt, 12, counter);
      }
      mac.update(request, bodyAt, request.length - bodyAt);
      var at = signatureAt;
      for (var each : mac.doFinal()) {
        request[at++] = HEX[(each >> 4) & 15];
        request[at++] = HEX[each & 15];
      }
      out.clear();
      out.put(request);
      out.flip();
      return counter;
    }

    private static void digits(byte[] to, int at, int count, long value) {
      for (int i = count - 1; i >= 0; i--, value /= 10) {
        to[at + i] = (byte) ('0' + value % 10);
      }
    }
  }
}
