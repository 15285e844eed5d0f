package dev.runnel.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.runnel.app.Main;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okhttp3.Headers;

/// The compiled program as one jar beside its classes, with an AOT cache, which halves the time of
/// each start. The first JVM that needs them makes them, and all JVMs use them until a class
/// changes.
final class PackedRunnel {
  private static final String NAME = "packed-runnel-";
  private static final List<String> FLAGS =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          // Most of what a start runs often is not run again, so it is compiled later.
          "-XX:CompileThresholdScaling=3",
          "--enable-native-access=ALL-UNNAMED",
          "-Dlogback.configurationFile=logback.xml");

  private static final String ANSWER = "Trained.";

  private static final String TOKEN_OWNER =
      """
      {"ok": true, "team_id": "%s", "user_id": "U2", "bot_id": "B1", "url": "https://x.slack.com/"}
      """
          .formatted(LocalSlack.TEAM);

  /// What any other method of Slack's API answers, as far as a command needs it.
  private static final String DONE =
      """
      {"ok": true, "channel": "%s", "ts": "1700000000.000100", "messages": [],
       "user": {"id": "%s", "team_id": "%s", "profile": {"real_name": "Ann"}}}
      """
          .formatted(LocalSlack.CHANNEL, LocalSlack.ANN, LocalSlack.TEAM);

  private PackedRunnel() {}

  private static final class Made {
    static final List<String> COMMAND = make();
  }

  /// How to start a JVM with it, up to and including its main class.
  ///
  /// @param options more options for the JVM
  static List<String> command(List<String> options) {
    var command = new ArrayList<>(Made.COMMAND);
    command.addAll(1, options);
    return command;
  }

  private static List<String> make() {
    try {
      var classes = Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      var target = classes.resolveSibling("packed");
      Files.createDirectories(target);
      // Other JVMs of the same build wait until it is made.
      try (var channel =
              FileChannel.open(
                  target.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          var _ = channel.lock()) {
        return make(classes, target);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> make(Path classes, Path target)
      throws IOException, InterruptedException {
    var name = NAME + sum(classes);
    var jar = target.resolve(name + ".jar");
    var cache = target.resolve(name + ".aot");
    var classPath =
        Stream.concat(
                Stream.of(jar.toString()),
                Stream.of(classPath().split(File.pathSeparator))
                    .filter(each -> each.endsWith(".jar")))
            .collect(Collectors.joining(File.pathSeparator));
    if (!Files.exists(cache)) {
      removeOthers(target);
      pack(classes, jar);
      train(classPath, Files.createTempDirectory(target, "training"), cache);
    }
    var option = Files.exists(cache) ? List.of("-XX:AOTCache=" + cache) : List.<String>of();
    return command(option, classPath);
  }

  private static List<String> command(List<String> options, String classPath) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, Main.class.getName()));
    return command;
  }

  /// Surefire starts its JVMs with one jar that names the others.
  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  /// Changes with each class, with the libraries and with the JDK.
  private static String sum(Path classes) throws IOException {
    var sum = new CRC32();
    sum.update(classPath().getBytes(UTF_8));
    sum.update(System.getProperty("java.vm.version").getBytes(UTF_8));
    try (var files = Files.walk(classes)) {
      for (var file : files.filter(Files::isRegularFile).sorted().toList()) {
        var line = file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file);
        sum.update(line.getBytes(UTF_8));
      }
    }
    return Long.toHexString(sum.getValue());
  }

  private static void removeOthers(Path target) throws IOException {
    try (var files = Files.list(target)) {
      for (var file : files.filter(it -> it.getFileName().toString().startsWith(NAME)).toList()) {
        Files.delete(file);
      }
    }
  }

  private static void pack(Path classes, Path jar) {
    var status =
        ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                "--create",
                "--no-compress",
                "--file",
                jar.toString(),
                "-C",
                classes.toString(),
                ".");
    if (status != 0) {
      throw new IllegalStateException("The classes were not packed: " + classes);
    }
  }

  /// A start and a command from Slack, with the platforms that most tests use. Without a cache all
  /// works, but slower.
  private static void train(String classPath, Path scratch, Path cache)
      throws IOException, InterruptedException {
    var port = FreePort.next();
    var command = command(List.of("-XX:AOTCacheOutput=" + cache), classPath);
    var data = scratch.resolve("data").toString();
    command.addAll(List.of("serve", "--port", Integer.toString(port), "--data", data));
    var builder =
        new ProcessBuilder(command)
            .directory(scratch.toFile())
            .redirectErrorStream(true)
            .redirectOutput(scratch.resolve("log").toFile());
    builder.environment().clear();
    var answered = new CountDownLatch(1);
    try (var slack = new MockWebServer()) {
      slack.setDispatcher(
          new Dispatcher() {
            @Override
            public MockResponse dispatch(RecordedRequest request) {
              if (request.getBody() != null && request.getBody().utf8().contains(ANSWER)) {
                answered.countDown();
              }
              return new MockResponse(
                  200,
                  Headers.of(),
                  request.getTarget().endsWith("auth.test") ? TOKEN_OWNER : DONE);
            }
          });
      slack.start();
      builder
          .environment()
          .putAll(
              Map.of(
                  "PATH",
                  System.getenv("PATH"),
                  "HOME",
                  scratch.toString(),
                  "RUNNEL_AGENTS_ISOLATION",
                  "none",
                  "RUNNEL_AGENTS_USER",
                  AgentUsers.own(),
                  "RUNNEL_AGENT_COMMAND",
                  "echo " + ANSWER,
                  "SLACK_API_URL",
                  slack.url("/api/").toString(),
                  "SLACK_SIGNING_SECRET",
                  LocalSlack.SIGNING_SECRET,
                  "SLACK_BOT_TOKEN",
                  "none",
                  "GITHUB_WEBHOOK_SECRET",
                  "no-webhook-secret",
                  "GITHUB_TOKEN",
                  "none"));
      var process = builder.start();
      if (sendCommand(process, URI.create("http://127.0.0.1:" + port))) {
        var _ = answered.await(20, TimeUnit.SECONDS);
      }
      process.destroy();
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    }
    if (Files.exists(cache)) {
      try (var files = Files.walk(scratch)) {
        for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    } else {
      System.err.println("No AOT cache was made, starts are slow: " + scratch.resolve("log"));
    }
  }

  /// Tries until the process is ready.
  ///
  /// @return false if it has ended
  private static boolean sendCommand(Process process, URI node) throws InterruptedException {
    var slack = new SignedSlack(LocalSlack.SIGNING_SECRET);
    try (var http = HttpClient.newHttpClient()) {
      while (!process.waitFor(100, TimeUnit.MILLISECONDS)) {
        var events = node.resolve("/slack/events");
        var command =
            slack.command(
                events,
                LocalSlack.CHANNEL,
                LocalSlack.ANN,
                "1.1",
                "fix the flaky test",
                Optional.empty());
        try {
          http.send(command, BodyHandlers.discarding());
          return true;
        } catch (IOException notYet) {
          // It does not listen yet.
        }
      }
      return false;
    }
  }
}
