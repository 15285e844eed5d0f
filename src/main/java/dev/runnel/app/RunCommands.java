package dev.runnel.app;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.runnel.client.ListRuns;
import dev.runnel.client.RunsClient;
import dev.runnel.client.RunsException;
import dev.runnel.client.Waiting;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunStateValue;
import java.io.PrintStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/// `./runnel run …`: the Agent Run API from a terminal, through the same client as the bot.
final class RunCommands {
  private static final int LISTED = 20;
  private final Config config;
  private final PrintStream out;
  private final PrintStream err;
  private final ObjectMapper json =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .build();

  RunCommands(Config config, PrintStream out, PrintStream err) {
    this.config = config;
    this.out = out;
    this.err = err;
  }

  /// @return the exit code
  int run(CommandLine.RunCommand command) {
    var key = config.agentApiKey();
    if (key.isEmpty() && !Files.exists(config.data().resolve("agent-api-key"))) {
      err.println(
          "There is no Runnel in %s yet. Start one with ./runnel, or set RUNNEL_AGENT_API_URL and RUNNEL_AGENT_API_KEY."
              .formatted(config.data()));
      return 1;
    }
    try (var client =
        RunsClient.builder()
            .baseUrl(config.agentApiOr(config.port()))
            .apiKey(key.orElseGet(() -> DataFolder.key(config.data())))
            .build()) {
      perform(client, command);
      return 0;
    } catch (RunsException | IllegalArgumentException | IllegalStateException e) {
      err.println(e.getMessage());
      return 1;
    }
  }

  private void perform(RunsClient client, CommandLine.RunCommand command) {
    var words = command.arguments();
    var first = words.isEmpty() ? "" : words.getFirst();
    switch (command.verb()) {
      case "start" -> {
        var created =
            client
                .runs()
                .createOnce(CreateRun.of(String.join(" ", words)), UUID.randomUUID().toString())
                .send();
        show(command, created, Stream.of("Started " + created.runId()));
      }
      case "list" -> {
        var answer = client.runs().list(ListRuns.ALL.limit(LISTED)).withRawResponse().send();
        var runs = answer.parse().items();
        show(
            command,
            answer.json(),
            runs.isEmpty() ? Stream.of("No runs yet.") : runs.stream().map(RunCommands::line));
      }
      case "show" -> {
        var run = client.runs().get(first).send();
        show(command, run, lines(run));
      }
      case "follow" -> {
        var text = String.join(" ", words.subList(1, words.size()));
        var accepted = client.runs().followUp(first, FollowUpMessage.of(text)).send();
        show(command, accepted, Stream.of("Said."));
      }
      case "cancel" -> {
        var run = client.runs().ensureCancelled(first).send();
        show(command, run, Stream.of(ended(run)));
      }
      default -> watch(client, command, first);
    }
  }

  /// Prints each change until the run stops, or waits for somebody.
  private void watch(RunsClient client, CommandLine.RunCommand command, String id) {
    var before = new AtomicReference<>("");
    client
        .runs()
        .await(
            id,
            Waiting.USUAL
                .sessionPatience(Duration.ZERO)
                .onProgress(
                    run -> {
                      var now = line(run) + "  " + run.message();
                      if (!now.equals(before.getAndSet(now))) {
                        show(command, run, Stream.of(now));
                      }
                    }))
        .send();
  }

  private void show(CommandLine.RunCommand command, Object answer, Stream<String> lines) {
    if (!command.json()) {
      lines.forEach(out::println);
      return;
    }
    try {
      out.println(json.writeValueAsString(answer));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("An answer of the API is JSON", e);
    }
  }

  private static String line(RunItem run) {
    return "%s  %-10s  %s"
        .formatted(run.runId(), run.state(), run.title() == null ? "" : run.title());
  }

  private static String ended(RunItem run) {
    return run.state().equals(RunStateValue.CANCELLED)
        ? "Stopped " + run.runId()
        : "%s had already ended: %s".formatted(run.runId(), run.state());
  }

  private static Stream<String> lines(RunItem run) {
    return Stream.of(line(run), run.message(), run.sessionLink() == null ? "" : run.sessionLink())
        .filter(line -> !line.isBlank());
  }
}
