package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.ANN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.testkit.EmbeddedService;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import dev.runnel.testkit.ScriptedFaultProxy;
import dev.runnel.testkit.ScriptedFaultProxy.Fate;
import dev.runnel.testkit.SignedSlack;
import dev.runnel.testkit.SignedSlack.Said;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The life of a thread, performed again and again: a start, a question and its answer, an end, a
/// follow-up, a stop. In each performance the process is killed at another of the calls by which it
/// has effects, once before the call arrives, and once when it has arrived and its answer was not
/// read. However it goes, people see the same thread in the end, and the agent was told the same.
///
/// What happens between two calls is in `CrashTest`, commit by commit.
@Tag("slow")
@Timeout(480)
class KilledAtEveryCallTest {
  /// Performances at once: each is a process, which has little to do but to start.
  private static final int STAGES = 6;

  private static final int MAX_CALLS = 60;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final JsonMapper JSON = new JsonMapper();

  /// Asks, then answers, then works until it is stopped; and writes down what it is told.
  private static final String AGENT =
      """
      said=$(tail -n 1)
      printf '%%s %%s\\n' "$RUNNEL_RUN_ID" "$said" >> '%s'
      case "$RUNNEL_EXECUTION" in
        1) echo '::blocked Which branch?' ;;
        2) echo "On $said." ;;
        *) sleep 60 ;;
      esac
      """;

  private final SignedSlack signed = new SignedSlack(LocalSlack.SIGNING_SECRET);
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @TempDir Path folder;
  private LocalSlack slack;
  private EmbeddedService service;

  @BeforeEach
  void open() throws IOException {
    slack = LocalSlack.start(URI.create("http://127.0.0.1:9/slack/events"), channels());
    service = new EmbeddedService(folder, AGENT.formatted(told()), STAGES);
  }

  private Path told() {
    return folder.resolve("told");
  }

  private static List<String> channels() {
    return IntStream.range(0, 2 * MAX_CALLS).mapToObj(KilledAtEveryCallTest::channel).toList();
  }

  private static String channel(int number) {
    return "C0KILL%03d".formatted(number);
  }

  @AfterEach
  void close() {
    http.close();
    // None is there when the emulator is not installed and the test is skipped.
    if (service != null) {
      service.close();
    }
    if (slack != null) {
      slack.close();
    }
  }

  @Test
  void threadIsTheSameWhereverTheProcessWasKilled() throws Exception {
    var next = new AtomicInteger();
    var killed = new AtomicInteger();
    try (var stages = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < STAGES; i++) {
        all.add(
            stages.submit(
                () -> {
                  var home = Files.createTempDirectory(folder, "stage");
                  try (var stage = new Stage(home)) {
                    for (var number = next.getAndIncrement();
                        number < 2 * MAX_CALLS && perform(stage, number);
                        number = next.getAndIncrement()) {
                      killed.incrementAndGet();
                    }
                  }
                  return null;
                }));
      }
      for (var each : all) {
        each.get();
      }
    }
    System.out.printf("killed at %d calls, before and after%n", killed.get() / 2);
    assertThat(killed.get()).isGreaterThan(20).isLessThan(2 * MAX_CALLS);
  }

  /// @param number even: the call does not arrive; odd: its answer does not
  /// @return false when the performance was over before the call
  private boolean perform(Stage stage, int number) throws Exception {
    var performance = stage.next(channel(number), number / 2 + 1, number % 2 == 1);
    try {
      performance.perform();
      return performance.wasKilled();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "Killed %s call %d (%s)%n%s%n%s"
              .formatted(
                  number % 2 == 1 ? "after" : "before",
                  number / 2 + 1,
                  performance.killedAt.get(),
                  slack.messages(channel(number)),
                  stage.runnel.log()),
          e);
    }
  }

  /// One Runnel, where one performance follows the other.
  private final class Stage implements AutoCloseable {
    private final AtomicReference<Performance> now = new AtomicReference<>();
    private final ScriptedFaultProxy toSlack;
    private final ScriptedFaultProxy toService;
    private final RunnelProcess runnel;

    private Stage(Path home) throws IOException {
      toSlack = new ScriptedFaultProxy(slack.uri(), this::fate);
      toService = new ScriptedFaultProxy(service.uri(), this::fate);
      var settings = new HashMap<>(slack.settings());
      settings.put("SLACK_API_URL", toSlack.uri("/api/").toString());
      settings.put("RUNNEL_AGENT_API_URL", toService.uri("/api/v1").toString());
      settings.put("RUNNEL_AGENT_API_KEY", EmbeddedService.KEY);
      runnel = RunnelProcess.start(home, RunnelProcess.freePort(), settings);
    }

    private Performance next(String channel, int killAt, boolean afterIt) {
      var performance = new Performance(runnel, channel, killAt, afterIt);
      now.set(performance);
      return performance;
    }

    private Fate fate(RecordedRequest request) {
      var performance = now.get();
      return performance == null ? Fate.PASSES : performance.fate(request);
    }

    @Override
    public void close() {
      runnel.close();
      toSlack.close();
      toService.close();
    }
  }

  /// One channel, one thread.
  private final class Performance {
    private final RunnelProcess runnel;
    private final String channel;
    private final int killAt;
    private final boolean afterIt;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicReference<String> killedAt = new AtomicReference<>("-");
    private int said;

    private Performance(RunnelProcess runnel, String channel, int killAt, boolean afterIt) {
      this.runnel = runnel;
      this.channel = channel;
      this.killAt = killAt;
      this.afterIt = afterIt;
    }

    /// What the process does last is this call. Whoever is killed before an answer does not know
    /// whether the call arrived, so it is passed on after the kill as well as before it.
    private Fate fate(RecordedRequest request) {
      if (!hasEffect(request) || calls.incrementAndGet() != killAt) {
        return Fate.PASSES;
      }
      try {
        killedAt.set(request.getUrl().encodedPath());
        runnel.kill();
        return afterIt ? Fate.ANSWER_IS_LOST : Fate.REFUSED;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Fate.REFUSED;
      }
    }

    private static boolean hasEffect(RecordedRequest request) {
      var path = request.getUrl().encodedPath();
      return request.getMethod().equals("POST")
          && (path.startsWith("/api/v1/")
              || path.endsWith("chat.postMessage")
              || path.endsWith("chat.update")
              || path.endsWith("reactions.add"));
    }

    private boolean wasKilled() {
      return calls.get() >= killAt;
    }

    private void perform() throws Exception {
      say(node -> signed.command(node, channel, ANN, channel, "fix it", Optional.empty()));
      see("needs an answer");
      reply("main");
      see("On main.");
      reply("go on");
      until("the agent is told to go on", () -> told().contains("go on"));
      reply("stop");
      see("Stopped");
      until("all is at rest", runnel::isAtRest);

      assertThat(posts())
          .satisfiesExactly(
              card -> assertThat(card).contains("asked:").contains("Stopped"),
              question -> assertThat(question).contains("Answered").contains("main"),
              end -> assertThat(end).contains("On main."),
              stopped -> assertThat(stopped).contains("Stopped"));
      var runs = runs();
      assertThat(runs).hasSize(1);
      assertThat(runs.getFirst().path("state").asText()).isEqualTo("CANCELLED");
      assertThat(told()).containsExactly("fix it", "main", "go on");
    }

    private void reply(String text) throws Exception {
      var thread = thread();
      var ts = slack.reply(channel, thread, ANN, text);
      var event =
          new Said("message", "Ev" + channel + said++, channel, ANN, ts, Optional.of(thread), text);
      say(node -> signed.event(node, event, 0));
    }

    private interface Sending {
      HttpRequest to(URI node);
    }

    /// Sent again until it is acknowledged, as Slack does with events.
    private void say(Sending sending) throws Exception {
      until(
          "it is acknowledged",
          () ->
              http.send(sending.to(URI.create(runnel.url())), BodyHandlers.discarding())
                      .statusCode()
                  == 200);
    }

    private void see(String words) throws Exception {
      until("people see " + words, () -> posts().stream().anyMatch(it -> it.contains(words)));
    }

    /// Brings the process back whenever it is found dead.
    private void until(String what, Callable<Boolean> holds) throws Exception {
      await(what)
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(50))
          .until(
              () -> {
                if (!ProcessHandle.of(runnel.pid()).map(ProcessHandle::isAlive).orElse(false)) {
                  runnel.restart();
                }
                try {
                  return holds.call();
                } catch (IOException justKilled) {
                  return false;
                }
              });
    }

    private List<JsonNode> messages() {
      return slack.messages(channel).stream()
          .filter(it -> it.path("user").asText().equals(LocalSlack.BOT))
          .toList();
    }

    private List<String> posts() {
      return messages().stream().map(it -> it.path("text").asText()).toList();
    }

    private String thread() {
      return messages().getFirst().path("ts").asText();
    }

    private List<JsonNode> runs() throws Exception {
      var found = new ArrayList<JsonNode>();
      for (var run : ask("/api/v1/agent/runs?limit=500").path("runs")) {
        if (run.at("/metadata/runnel.delivery").asText().equals("slack:" + channel)) {
          found.add(run);
        }
      }
      return found;
    }

    /// What the agents of the channel's runs were told.
    private List<String> told() throws Exception {
      var told = new ArrayList<String>();
      for (var run : runs()) {
        var id = run.path("run_id").asText() + " ";
        Files.readAllLines(KilledAtEveryCallTest.this.told()).stream()
            .filter(line -> line.startsWith(id))
            .map(line -> line.substring(id.length()))
            .forEach(told::add);
      }
      return told;
    }

    private JsonNode ask(String path) throws Exception {
      var request =
          HttpRequest.newBuilder(service.uri().resolve(path))
              .header("Authorization", "Bearer " + EmbeddedService.KEY)
              .build();
      return JSON.readTree(http.send(request, BodyHandlers.ofString()).body());
    }
  }
}
