package dev.runnel.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.client.ListRuns;
import dev.runnel.client.RunsClient;
import dev.runnel.testkit.RunnelProcess;
import dev.runnel.wire.CreateRun;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@Timeout(120)
class StartAndEndTest {
  @Test
  void unresponsiveSlackDelaysNeitherStartNorShutdown(@TempDir Path folder) throws Exception {
    try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      var settings =
          Map.of(
              "SLACK_SIGNING_SECRET", "8f742231b10e8888abcd99eeeaaa85a5",
              "SLACK_BOT_TOKEN", "xoxb-1-2-three",
              "SLACK_API_URL", "http://127.0.0.1:" + silent.getLocalPort() + "/api/");
      long before = System.nanoTime();
      try (var runnel = RunnelProcess.start(folder, RunnelProcess.freePort(), settings)) {
        assertThat(runnel.log()).contains("platform does not respond");
        assertThat(runnel.get("/readyz").body()).isEqualTo("ready\n");
        assertThat(runnel.metric("runnel_store_up")).isOne();

        long asked = System.nanoTime();
        runnel.stop();
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(20));
        assertThat(runnel.log()).doesNotContain("shutdown timed out");
      }
      assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(60));
    }
  }

  @Test
  void aStopDuringTheStartClosesWhatWasStarted(@TempDir Path folder) throws Exception {
    try (var runnel = RunnelProcess.launch(folder, RunnelProcess.freePort(), Map.of())) {
      await()
          .pollInterval(Duration.ofMillis(1))
          .until(() -> runnel.log().contains("agent run service opened"));

      runnel.stop();

      assertThat(runnel.log()).contains("agent run service closed").doesNotContain("Exception");
    }
  }

  @Test
  void agentCanFinishWithinTheConfiguredDrainTime(@TempDir Path folder) throws Exception {
    var settings =
        Map.of(
            "RUNNEL_AGENT_COMMAND",
            "sh -c 'sleep 27; echo all done'",
            "RUNNEL_AGENTS_DRAIN",
            "50s",
            "RUNNEL_AGENT_API_KEY",
            "a-key-of-this-test");
    try (var runnel = RunnelProcess.start(folder, RunnelProcess.freePort(), settings)) {
      var request =
          HttpRequest.newBuilder(URI.create(runnel.url() + "/api/v1/agent/runs"))
              .header("Authorization", "Bearer a-key-of-this-test")
              .header("Content-Type", "application/json");
      runnel.send(request.POST(BodyPublishers.ofString("{\"prompt\": \"take your time\"}")));
      await().until(runnel::hasAgent);

      runnel.stop();
      runnel.restart();

      assertThat(runnel.send(request.copy().GET()).body())
          .contains("SUCCEEDED", "all done")
          .doesNotContain("restarted");
    }
  }

  @Test
  void anAgentThatIsWaitedForCanBeStoppedAndWhatIsStartedMeanwhileWaitsForTheNextStart(
      @TempDir Path folder) throws Exception {
    var settings =
        Map.of(
            "RUNNEL_AGENT_COMMAND",
            "sh -c 'read -r first; echo \"$first\"; [ \"$first\" = quick ] || sleep 300'",
            "RUNNEL_AGENTS_DRAIN",
            "100s",
            "RUNNEL_AGENT_API_KEY",
            "a-key-of-this-test");
    try (var runnel = RunnelProcess.start(folder, RunnelProcess.freePort(), settings);
        var client =
            RunsClient.builder()
                .baseUrl(URI.create(runnel.url() + "/api/v1"))
                .apiKey("a-key-of-this-test")
                .build()) {
      var working = client.runs().create(prompt("slow")).send().runId();
      await().until(runnel::hasAgent);
      var stopping =
          new FutureTask<>(
              () -> {
                runnel.stop();
                return runnel.log();
              });
      Thread.ofVirtual().start(stopping);
      await().until(() -> runnel.log().contains("waiting for agents to finish"));

      var meanwhile = client.runs().create(prompt("quick")).send().runId();
      client.runs().cancel(working).send();

      assertThat(stopping.get(40, TimeUnit.SECONDS)).contains("agent run service closed");
      runnel.restart();
      assertThat(state(client, working)).isEqualTo("CANCELLED");
      await().until(() -> state(client, meanwhile).equals("SUCCEEDED"));
    }
  }

  private static CreateRun prompt(String text) {
    return CreateRun.builder().prompt(text).build();
  }

  private static String state(RunsClient client, String runId) {
    return client.runs().get(runId).send().state().value();
  }

  @Test
  void serverSurvivesAHangUpOfTheTerminal(@TempDir Path folder) throws Exception {
    try (var runnel = RunnelProcess.start(folder, RunnelProcess.freePort(), Map.of())) {
      new ProcessBuilder("kill", "-HUP", Long.toString(runnel.pid())).start().waitFor();

      // Whoever started these tests may have it ignored for all processes below, as nohup does.
      if (!isHangUpIgnored(runnel.pid())) {
        await().until(() -> runnel.log().contains("settings reloaded"));
      }
      assertThat(runnel.get("/readyz").statusCode()).isEqualTo(200);
    }
  }

  private static boolean isHangUpIgnored(long pid) throws IOException {
    try (var status = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
      return status
          .filter(line -> line.startsWith("SigIgn:"))
          .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 1) == 1);
    }
  }

  @Test
  void deliveryAcceptedDuringTheShutdownIsProcessedOnce(@TempDir Path folder) throws Exception {
    var file =
        Files.writeString(
            folder.resolve("runnel.yaml"),
            """
            hooks:
              alerts: {proof: {kind: bearer, secret: a-secret-of-the-hook}, prompt: /text}
            """);
    var settings = Map.of("RUNNEL_CONFIG", file.toString(), "RUNNEL_AGENT_COMMAND", "cat");
    try (var runnel = RunnelProcess.start(folder, RunnelProcess.freePort(), settings)) {
      var taken = new ConcurrentSkipListSet<String>();
      var ending = new AtomicBoolean();
      var sender =
          Thread.ofVirtual()
              .start(
                  () -> {
                    for (var i = 0; !ending.get() && i < 10_000; i++) {
                      if (isTaken(runnel, "alert " + i)) {
                        taken.add("alert " + i);
                      }
                    }
                  });
      await().until(() -> taken.size() >= 20);
      runnel.stop();
      ending.set(true);
      sender.join();

      runnel.restart();

      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(prompts(runnel)).containsAll(taken));
      assertThat(prompts(runnel)).doesNotHaveDuplicates();
    }
  }

  private static boolean isTaken(RunnelProcess runnel, String text) {
    try {
      var answer =
          runnel.send(
              HttpRequest.newBuilder(URI.create(runnel.url() + "/webhooks/hooks/alerts"))
                  .header("Authorization", "Bearer a-secret-of-the-hook")
                  .POST(BodyPublishers.ofString("{\"text\":\"" + text + "\"}")));
      return answer.statusCode() / 100 == 2;
    } catch (IOException gone) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static List<String> prompts(RunnelProcess runnel) throws Exception {
    var key = Files.readString(runnel.data().resolve("agent-api-key")).strip();
    try (var client =
        RunsClient.builder().baseUrl(URI.create(runnel.url() + "/api/v1")).apiKey(key).build()) {
      var prompts = new ArrayList<String>();
      for (var page : client.runs().pages(ListRuns.ALL)) {
        page.items().forEach(run -> prompts.add(String.valueOf(run.prompt())));
      }
      return prompts;
    }
  }
}
