package dev.runnel.app;

import dev.runnel.surface.kit.Hmac;
import dev.runnel.threads.SupervisedThread;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/// Sends deliveries to a server in a training run, so that the AOT cache that the JVM writes
/// contains profiles of the code that acknowledges them, and the JIT compiler has them at each
/// start.
///
/// It sends what Slack and GitHub send, over a few connections at once, signed with the secrets of
/// the settings of that start. The database and the secrets are thrown away with it.
final class AotTraining {
  private static final int CONNECTIONS = 16;

  /// Maximum duration, for a busy machine. Usually it takes a few seconds.
  private static final Duration LENGTH = Duration.ofSeconds(20);

  private static final int EACH = 500;

  private final int port;
  private final String slackSecret;
  private final String gitHubSecret;
  private final InstantSource clock;

  /// @param port of the server, on loopback
  AotTraining(int port, String slackSecret, String gitHubSecret, InstantSource clock) {
    this.port = port;
    this.slackSecret = slackSecret;
    this.gitHubSecret = gitHubSecret;
    this.clock = clock;
  }

  /// Returns after a few seconds, or sooner after enough deliveries.
  ///
  /// @return number of deliveries that the server acknowledged
  int run() {
    var until = clock.instant().plus(LENGTH);
    var acknowledged = new ArrayList<Integer>();
    var senders = new ArrayList<Thread>();
    for (int i = 0; i < CONNECTIONS; i++) {
      var first = i * EACH;
      senders.add(
          SupervisedThread.virtual(
              "training",
              () -> {
                int count = 0;
                try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                  socket.setTcpNoDelay(true);
                  var in = new BufferedInputStream(socket.getInputStream());
                  for (int n = first; n < first + EACH && clock.instant().isBefore(until); n++) {
                    socket.getOutputStream().write(request(n));
                    count += isAcknowledged(in) ? 1 : 0;
                  }
                } catch (IOException closed) {
                  // The deliveries acknowledged before count.
                }
                synchronized (acknowledged) {
                  acknowledged.add(count);
                }
              },
              _ -> {}));
    }
    for (var sender : senders) {
      try {
        sender.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return 0;
      }
    }
    synchronized (acknowledged) {
      return acknowledged.stream().mapToInt(Integer::intValue).sum();
    }
  }

  private byte[] request(int number) {
    return switch (number % 4) {
      case 0 -> gitHub(number);
      case 1 -> slack("application/json", message(number));
      default -> slack("application/x-www-form-urlencoded", command(number));
    };
  }

  private static String command(int number) {
    return "token=x&team_id=T0001&team_domain=example&channel_id=C0001&channel_name=general"
               + "&user_id=U0001&user_name=jane&command=%2Fagent&text=fix%20the%20flaky%20login%20test%20in%20"
               + "the%20web%20app%20and%20open%20a%20pull%20request&api_app_id=A0001&is_enterprise_install=false"
               + "&response_url=https%3A%2F%2Fhooks.slack.invalid%2Fcommands%2F1&trigger_id="
        + number
        + ".1.1";
  }

  /// In a thread without a run; every other one outside threads.
  private static String message(int number) {
    var thread = number % 8 == 1 ? "\"thread_ts\":\"1700000000.%06d\",".formatted(number) : "";
    return """
    {"token":"x","team_id":"T0001","api_app_id":"A0001","event":{"type":"message",\
    "channel_type":"channel","client_msg_id":"m%1$d","user":"U0001","text":"the login test is \
    flaky again","ts":"1700000001.%1$06d",%2$s"team":"T0001","channel":"C0001",\
    "event_ts":"1700000001.%1$06d"},"type":"event_callback","event_id":"Ev%1$d",\
    "event_time":1700000001,"authorizations":[{"enterprise_id":null,"team_id":"T0001",\
    "user_id":"U0002","is_bot":true,"is_enterprise_install":false}]}\
    """
        .formatted(number, thread);
  }

  private byte[] slack(String type, String body) {
    var time = Long.toString(clock.instant().getEpochSecond());
    var signature = Hmac.hex(slackSecret, bytes("v0:" + time + ":"), bytes(body));
    return request(
        "/slack/events",
        List.of(
            "Content-Type: " + type,
            "X-Slack-Request-Timestamp: " + time,
            "X-Slack-Signature: v0=" + signature),
        body);
  }

  /// As large as GitHub's.
  private byte[] gitHub(int number) {
    var person =
        """
        {"login":"jane","id":1,"node_id":"MDQ6VXNlcjE=","type":"User","site_admin":false,\
        "url":"https://api.github.invalid/users/jane","html_url":"https://github.invalid/jane"}\
        """;
    var links = new StringBuilder();
    for (int i = 0; i < 90; i++) {
      links.append(
          ",\"link_%d_url\":\"https://api.github.invalid/repos/acme/web/links/%d\""
              .formatted(i, i));
    }
    var body =
        """
        {"action":"labeled","issue":{"url":"https://api.github.invalid/repos/acme/web/issues/%1$d",\
        "html_url":"https://github.invalid/acme/web/issues/%1$d","id":%1$d,"number":%1$d,\
        "title":"Spelling error in the README","user":%2$s,"labels":[{"id":1,"name":"agent",\
        "color":"d73a4a","default":true}],"state":"open","locked":false,"assignee":null,\
        "assignees":[],"milestone":null,"comments":0,"created_at":"2026-01-01T00:00:00Z",\
        "updated_at":"2026-01-01T00:00:00Z","closed_at":null,"author_association":"OWNER",\
        "body":"It says **teh** instead of `the`."},"label":{"id":1,"name":"agent"},\
        "repository":{"id":1,"name":"web","full_name":"acme/web","private":false,"owner":%2$s%3$s},\
        "sender":%2$s}\
        """
            .formatted(number + 1, person, links);
    return request(
        "/webhooks/github",
        List.of(
            "Content-Type: application/json",
            "X-GitHub-Event: issues",
            "X-GitHub-Delivery: 00000000-0000-0000-0000-" + number,
            "X-Hub-Signature-256: sha256=" + Hmac.hex(gitHubSecret, bytes(body))),
        body);
  }

  private static byte[] request(String path, List<String> headers, String body) {
    return bytes(
        "POST %s HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n%s\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(path, String.join("\r\n", headers), bytes(body).length, body));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /// Reads one response, whose length is announced or zero.
  private static boolean isAcknowledged(InputStream in) throws IOException {
    var status = line(in);
    int length = 0;
    for (var header = line(in); !header.isEmpty(); header = line(in)) {
      if (header.regionMatches(true, 0, "content-length: ", 0, 16)) {
        length = Integer.parseInt(header.substring(16).strip());
      }
    }
    in.skipNBytes(length);
    return status.startsWith("HTTP/1.1 2");
  }

  private static String line(InputStream in) throws IOException {
    var line = new StringBuilder();
    int next;
    while ((next = in.read()) != '\n') {
      if (next < 0) {
        throw new IOException("The connection is closed");
      }
      line.append((char) next);
    }
    return line.toString().strip();
  }
}
