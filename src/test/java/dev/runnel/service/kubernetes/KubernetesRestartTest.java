package dev.runnel.service.kubernetes;

import static dev.runnel.service.RunningService.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.testkit.Bubblewrapped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Jobs outlive the process that created them.
@Tag("slow")
class KubernetesRestartTest {
  private static final String WORKS = "echo started >> starts; touch ready; sleep 300";
  private static final String RESTARTED =
      "The service was restarted while the agent was working. Reply to continue.";

  /// Of a JVM, on a busy machine.
  private static final Duration START = Duration.ofMinutes(3);

  @TempDir Path folder;
  private FakeCluster cluster;

  @BeforeEach
  void open() {
    Bubblewrapped.require();
    cluster = new FakeCluster(folder, new BubblewrapRuntime(folder));
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private Path workspace(String id) {
    return folder.resolve("workspaces").resolve(id);
  }

  private long createdJobs() {
    return cluster.requests.stream()
        .filter(each -> each.startsWith("POST") && each.endsWith("/jobs"))
        .count();
  }

  private void assertThatNothingIsLeft() {
    assertThat(cluster.jobs()).isEmpty();
    assertThat(cluster.pods()).isEmpty();
    assertThat(cluster.running()).isZero();
    assertThat(folder.resolve("starts")).isEmptyDirectory();
  }

  @Test
  void restartAfterAKillEndsOldJobsAndTheirRunsContinue() throws Exception {
    var killed = new Killed(folder, cluster.port());
    String silent;
    String told;
    try {
      silent = killed.read("silent");
      told = killed.read("told");
    } finally {
      killed.kill();
    }
    assertThat(cluster.running()).isEqualTo(2);
    cluster.goAway();

    try (var isolation = cluster.isolation();
        var service = KubernetesRunTest.service(folder, isolation)) {
      assertThat(service.state(silent)).isEqualTo("INPROGRESS");
      cluster.comeBack();

      service.awaitState(silent, "ERROR");
      assertThat(service.message(silent)).isEqualTo(RESTARTED);
      service.awaitState(told, "SUCCEEDED");
      assertThat(service.transcript(told)).isEqualTo("what now\n");
      assertThatNothingIsLeft();

      assertThat(createdJobs()).as("one each, and one for the message").isEqualTo(3);
      assertThat(workspace(silent).resolve("starts")).hasContent("started");
      assertThat(workspace(told).resolve("starts")).hasContent("started");
      service.followUp(silent, "cat starts");
      service.awaitState(silent, "SUCCEEDED");
      assertThat(service.transcript(silent)).isEqualTo("started\n");
    }
  }

  @Test
  void aGracefulStopEndsTheJobsItself() {
    String id;
    try (var isolation = cluster.isolation();
        var service = KubernetesRunTest.service(folder, isolation)) {
      id = service.create(WORKS);
      awaitFile(workspace(id).resolve("ready"));
    }
    assertThatNothingIsLeft();

    try (var isolation = cluster.isolation();
        var service = KubernetesRunTest.service(folder, isolation)) {
      service.awaitState(id, "ERROR");
      assertThat(service.message(id)).isEqualTo(RESTARTED);
      assertThat(createdJobs()).isOne();
    }
  }

  /// A process that works on two runs, one of them with a message waiting, until it is killed.
  private static final class Killed {
    private final Path folder;
    private final Process process;

    Killed(Path folder, int port) throws IOException {
      this.folder = folder;
      this.process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "--enable-native-access=ALL-UNNAMED",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Main.class.getName(),
                  folder.toString(),
                  Integer.toString(port))
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("killed.log").toFile())
              .start();
    }

    String read(String name) throws IOException {
      await().atMost(START).until(() -> Files.exists(folder.resolve(name)));
      return Files.readString(folder.resolve(name));
    }

    void kill() throws InterruptedException {
      assertThat(process.destroyForcibly().waitFor(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  static final class Main {
    private Main() {}

    public static void main(String[] arguments) throws Exception {
      var folder = Path.of(arguments[0]);
      try (var isolation = FakeCluster.isolation(Integer.parseInt(arguments[1]), folder);
          var service = KubernetesRunTest.service(folder, isolation)) {
        var silent = service.create(WORKS);
        var told = service.create(WORKS);
        awaitFile(folder.resolve("workspaces/" + silent + "/ready"));
        awaitFile(folder.resolve("workspaces/" + told + "/ready"));
        service.followUp(told, "echo what now");
        write(folder.resolve("told"), told);
        write(folder.resolve("silent"), silent);
        Thread.sleep(Duration.ofMinutes(5));
      }
    }

    /// Whoever finds the file finds all of it.
    private static void write(Path file, String text) throws IOException {
      var whole = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), text);
      Files.move(whole, file);
    }
  }
}
