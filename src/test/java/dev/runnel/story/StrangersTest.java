package dev.runnel.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.testkit.RunnelProcess;
import dev.runnel.testkit.SignedSlack;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Senders without credentials make Runnel neither deaf nor end it.
@Tag("slow")
@Timeout(120)
class StrangersTest {
  private static final String SECRET = "8f742231b10e8888abcd99eeeaaa85a5";
  private static final byte[] FIVE_MEGABYTES = new byte[5 * 1024 * 1024 - 1];
  private static final int MANY = 70;
  private static final int BROKEN_OFF = 0;

  @TempDir private static Path folder;
  private static RunnelProcess runnel;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @BeforeAll
  static void open() throws Exception {
    runnel =
        RunnelProcess.start(
            folder,
            RunnelProcess.freePort(),
            Map.of(
                "SLACK_SIGNING_SECRET", SECRET,
                "SLACK_BOT_TOKEN", "xoxb-1-2-three",
                "SLACK_API_URL", "http://127.0.0.1:9/api/",
                "GITLAB_WEBHOOK_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                "GITLAB_TOKEN", "glpat-none-of-anybody",
                "GITLAB_URL", "http://127.0.0.1:9"),
            List.of("-Xmx256m", "-XX:+ExitOnOutOfMemoryError"));
  }

  @AfterAll
  static void close() {
    runnel.close();
  }

  /// In whatever way it was started: a work that keeps its carrier keeps one of many.
  @Test
  void thereAreMoreCarriersThanCores() throws Exception {
    var scheduler =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(runnel.pid()),
                "Thread.vthread_scheduler")
            .redirectErrorStream(true)
            .start();
    try (var output = scheduler.inputReader()) {
      assertThat(output.lines()).anyMatch(line -> line.contains("parallelism = 16"));
    }
  }

  @Test
  void manySignaturesOnLargeBodiesDelayNoOtherRequest() throws Exception {
    var attacks =
        IntStream.range(0, 2)
            .mapToObj(
                _ ->
                    http.sendAsync(
                        post("/webhooks/gitlab", FIVE_MEGABYTES)
                            .header("webhook-id", "1")
                            .header(
                                "webhook-timestamp", Long.toString(Instant.now().getEpochSecond()))
                            .header("webhook-signature", "v1, ".repeat(1_900))
                            .timeout(Duration.ofSeconds(60))
                            .build(),
                        BodyHandlers.ofString()))
            .toList();

    for (int i = 0; i < 3; i++) {
      assertThat(isHealthy()).isTrue();
      assertThat(commandIsTaken(i)).isTrue();
    }
    // An address sends one large body at a time.
    assertThat(attacks)
        .allMatch(attack -> isRefused(attack.join()))
        .anyMatch(attack -> attack.join().statusCode() == 401);
  }

  private static boolean isRefused(HttpResponse<?> answer) {
    return answer.statusCode() == 401
        || (answer.statusCode() == 503 && answer.headers().firstValue("Retry-After").isPresent());
  }

  @Test
  void twoThousandIdleConnectionsKeepNoCommandWaiting() throws Exception {
    var address = URI.create(runnel.url());
    var idle = new ArrayList<Socket>();
    try {
      for (int i = 0; i < 2_000; i++) {
        idle.add(new Socket(address.getHost(), address.getPort()));
      }

      assertThat(commandIsTaken(5)).isTrue();
      assertThat(isHealthy()).isTrue();
    } finally {
      for (var socket : idle) {
        socket.close();
      }
    }
  }

  @Test
  void largeFormsOfTheConsoleAreRefused() throws Exception {
    var attacks =
        IntStream.range(0, 2).mapToObj(_ -> sends("/webhooks/console", "&".repeat(5_000_000)));

    assertThat(attacks.map(CompletableFuture::join)).containsOnly(413);
    assertThat(commandIsTaken(3)).isTrue();
  }

  /// The last byte of each body arrives after the others have arrived, so that Runnel would have to
  /// keep all of them at once.
  @Test
  void manySimultaneousLargeBodiesDoNotExhaustTheMemory() throws Exception {
    var areSent = new CountDownLatch(MANY);
    var mayEnd = new CountDownLatch(1);
    try (var senders = Executors.newVirtualThreadPerTaskExecutor()) {
      var attacks =
          IntStream.range(0, MANY)
              .mapToObj(_ -> senders.submit(() -> sendsHeld(areSent, mayEnd)))
              .toList();
      try {
        assertThat(areSent.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(isHealthy()).isTrue();
        assertThat(commandIsTaken(4)).isTrue();
      } finally {
        mayEnd.countDown();
      }

      var statuses = new ArrayList<Integer>();
      for (var attack : attacks) {
        statuses.add(attack.get());
      }
      assertThat(statuses).isSubsetOf(401, 503, BROKEN_OFF).contains(401);
    }
    assertThat(isHealthy()).isTrue();
    assertThat(runnel.log()).doesNotContain("OutOfMemoryError");
  }

  /// Sends a large body, but its last byte only when it may end.
  ///
  /// @return the status of the answer
  private static int sendsHeld(CountDownLatch areSent, CountDownLatch mayEnd)
      throws InterruptedException {
    var address = URI.create(runnel.url());
    try (var socket = new Socket(address.getHost(), address.getPort())) {
      socket.setSoTimeout(60_000);
      var output = socket.getOutputStream();
      try {
        output.write(
            "POST /webhooks/gitlab HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                .formatted(FIVE_MEGABYTES.length)
                .getBytes(StandardCharsets.US_ASCII));
        output.write(FIVE_MEGABYTES, 0, FIVE_MEGABYTES.length - 1);
      } finally {
        areSent.countDown();
      }
      mayEnd.await();
      output.write(0);
      var status = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
      return status.isEmpty()
          ? BROKEN_OFF
          : Integer.parseInt(status.substring("HTTP/1.1 ".length()));
    } catch (IOException _) {
      return BROKEN_OFF;
    }
  }

  private CompletableFuture<Integer> sends(String path, String form) {
    return http.sendAsync(
            post(path, form.getBytes(StandardCharsets.UTF_8))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .build(),
            BodyHandlers.discarding())
        .thenApply(HttpResponse::statusCode);
  }

  private HttpRequest.Builder post(String path, byte[] body) {
    return HttpRequest.newBuilder(URI.create(runnel.url() + path))
        .POST(BodyPublishers.ofByteArray(body));
  }

  private boolean isHealthy() throws Exception {
    return runnel.get("/healthz").statusCode() == 200;
  }

  private boolean commandIsTaken(int number) throws Exception {
    var command =
        new SignedSlack(SECRET)
            .command(
                URI.create(runnel.url()),
                "C1",
                "U1",
                "trigger-" + number,
                "fix it",
                Optional.empty());
    // With a client of its own: that of the attacks is busy with their bodies.
    try (var slack = HttpClient.newHttpClient()) {
      return slack.send(command, BodyHandlers.discarding()).statusCode() == 200;
    }
  }
}
