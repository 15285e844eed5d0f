package dev.runnel.testkit;

import dev.runnel.service.store.ServiceTables;
import dev.runnel.store.SqlStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/// Runnel as a process of its own, which can be killed and started again over the same data.
public final class RunnelProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Path folder;
  private final int port;
  private final Map<String, String> settings;
  private final List<String> options;
  private final HttpClient http = HttpClient.newHttpClient();
  private Process process;

  private RunnelProcess(Path folder, int port, Map<String, String> settings, List<String> options)
      throws IOException {
    this.folder = folder;
    this.port = port;
    this.settings = Map.copyOf(settings);
    this.options = List.copyOf(options);
    if (!settings.containsKey("RUNNEL_DATABASE_URL")) {
      MigratedFile.write(data().resolve("runnel.db"), SqlStore.SCHEMA);
      MigratedFile.write(data().resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    }
    this.process = launch();
  }

  /// Starts and waits until it is ready.
  ///
  /// @param folder for data and log
  public static RunnelProcess start(Path folder, int port, Map<String, String> settings)
      throws IOException {
    return start(folder, port, settings, List.of());
  }

  /// The same, with more options for its JVM.
  public static RunnelProcess start(
      Path folder, int port, Map<String, String> settings, List<String> options)
      throws IOException {
    var runnel = new RunnelProcess(folder, port, settings, options);
    runnel.awaitReady();
    return runnel;
  }

  /// Starts and does not wait.
  public static RunnelProcess launch(Path folder, int port, Map<String, String> settings)
      throws IOException {
    return new RunnelProcess(folder, port, settings, List.of());
  }

  /// A port that nobody listens on just now.
  public static int freePort() {
    return FreePort.next();
  }

  private Process launch() throws IOException {
    var command = new ArrayList<String>();
    // Under `nohup` the tests ignore this signal, and Runnel would inherit that.
    command.addAll(List.of("env", "--default-signal=HUP"));
    command.addAll(PackedRunnel.command(options));
    command.add("serve");
    var builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    var environment = new HashMap<String, String>();
    environment.put("PATH", System.getenv("PATH"));
    environment.put("HOME", folder.toString());
    environment.put("PORT", Integer.toString(port));
    environment.put("RUNNEL_DATA", folder.resolve("data").toString());
    // What agents write down for tests lies beside their workspaces.
    environment.put("RUNNEL_AGENTS_ISOLATION", "none");
    environment.put("RUNNEL_AGENTS_USER", AgentUsers.own());
    environment.putAll(settings);
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()));
    return builder.start();
  }

  private void awaitReady() {
    Awaitility.await("Runnel is ready")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(50))
        .until(
            () -> {
              if (!process.isAlive()) {
                throw new AssertionError("Runnel ended while it started:\n" + log());
              }
              try {
                return get("/readyz").statusCode() == 200;
              } catch (IOException notYet) {
                return false;
              }
            });
  }

  /// `kill -9`; its agents are left alone, as a crash leaves them.
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /// Asks it to end, and waits.
  public void stop() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("Runnel does not stop:\n" + log());
    }
  }

  /// Starts it again over the same data.
  public void restart() throws IOException {
    process = launch();
    awaitReady();
  }

  public HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(URI.create(url() + path)));
  }

  public HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return http.send(
        request.timeout(Duration.ofSeconds(30)).build(),
        BodyHandlers.ofString(StandardCharsets.UTF_8));
  }

  /// The value of a metric, or 0.
  public long metric(String name) throws IOException, InterruptedException {
    return value(metrics(), name);
  }

  private String metrics() throws IOException, InterruptedException {
    return get("/metrics").body();
  }

  private static long value(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .map(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .findFirst()
        .orElse(0L);
  }

  /// Whether nothing waits, works or was given up.
  public boolean isAtRest() throws IOException, InterruptedException {
    var metrics = metrics();
    return Stream.of(
            "runnel_inbox_waiting",
            "runnel_inbox_parked",
            "runnel_runs_active",
            "runnel_outbox_waiting",
            "runnel_outbox_parked")
        .allMatch(name -> value(metrics, name) == 0);
  }

  public String url() {
    return "http://127.0.0.1:" + port;
  }

  public long pid() {
    return process.pid();
  }

  public Path data() {
    return folder.resolve("data");
  }

  /// What it printed.
  public String log() {
    try {
      return Files.readString(folder.resolve("log"));
    } catch (IOException e) {
      return "(no log)";
    }
  }

  /// The processes that work for any run of this Runnel, agents and what prepares their workspaces,
  /// found by what the service tells them.
  public List<ProcessHandle> agents() {
    return ProcessHandle.allProcesses()
        .filter(process -> isTold(process, "RUNNEL_RUN_ID="))
        .toList();
  }

  /// Whether an agent itself has been started. A run whose workspace is just being prepared begins
  /// again after a kill; a run whose agent was started does not.
  public boolean hasAgent() {
    return ProcessHandle.allProcesses().anyMatch(process -> isTold(process, "RUNNEL_ARTIFACTS="));
  }

  private boolean isTold(ProcessHandle process, String variable) {
    try {
      var environment =
          List.of(
              Files.readString(
                      Path.of("/proc", Long.toString(process.pid()), "environ"),
                      StandardCharsets.ISO_8859_1)
                  .split("\0"));
      return environment.contains("HOME=" + folder)
          && environment.stream().anyMatch(each -> each.startsWith(variable));
    } catch (IOException gone) {
      return false;
    }
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().completeOnTimeout(process, 20, TimeUnit.SECONDS).join();
    process.destroyForcibly().onExit().join();
    http.close();
  }
}
