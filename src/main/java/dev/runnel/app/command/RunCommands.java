package dev.runnel.app.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.runnel.app.command.CommandLine.RunFlag;
import dev.runnel.app.data.BotDatabase;
import dev.runnel.app.data.DataFolder;
import dev.runnel.app.settings.Config;
import dev.runnel.client.ListRuns;
import dev.runnel.client.ListRuns.SortBy;
import dev.runnel.client.ListRuns.SortOrder;
import dev.runnel.client.RunsClient;
import dev.runnel.client.RunsException;
import dev.runnel.client.WaitOptions;
import dev.runnel.core.port.ProxyRefused;
import dev.runnel.text.TerminalText;
import dev.runnel.threads.SupervisedThread;
import dev.runnel.wire.AgentConfig;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.DispatchRun;
import dev.runnel.wire.Factory;
import dev.runnel.wire.FollowUpAccepted;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunStateValue;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// `./runnel run …`: the Agent Run API from a terminal, through the same client as the bot.
public final class RunCommands {
  private static final int LISTED = 20;
  private static final int MAX_AT_ONCE = 100;
  private static final List<RunStateValue> STATES_OF_WORK =
      List.of(
          RunStateValue.QUEUED,
          RunStateValue.PENDING,
          RunStateValue.CLAIMED,
          RunStateValue.INPROGRESS);

  /// Maximum number of latest entries searched for a name or an id prefix.
  private static final int SEARCHED = 5_000;

  /// A proper prefix of an id.
  private static final Pattern PREFIX = Pattern.compile("(?i)[0-9a-f-]{4,35}");

  private static final Set<String> CONFIGURES = Set.of("name", "model", "env");
  private static final Set<String> FOR_FACTORIES = Set.of("factory", "title");

  private final Config config;
  private final PrintStream out;
  private final PrintStream err;
  private final boolean isTerminal;
  private final ObjectMapper json =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .build();

  /// @param isTerminal whether a person sees the output
  public RunCommands(Config config, PrintStream out, PrintStream err, boolean isTerminal) {
    this.isTerminal = isTerminal;
    this.config = config;
    this.out = out;
    this.err = err;
  }

  /// @return the exit code
  public int run(CommandLine.RunCommand command) {
    var key = config.agentApiKey();
    if (key.isEmpty() && !Files.exists(config.data().resolve("agent-api-key"))) {
      throw BotDatabase.none(config, "set RUNNEL_AGENT_API_URL and RUNNEL_AGENT_API_KEY");
    }
    var address = config.agentApiOr(config.addresses().consolePort());
    try (var client =
        RunsClient.builder()
            .baseUrl(address)
            .apiKey(key.orElseGet(() -> DataFolder.key(config.data())))
            .http(config.proxy()::apply)
            .build()) {
      return perform(client, command);
    } catch (RunsException.ConnectionFailed e) {
      err.println(
          ProxyRefused.in(e)
              .map(why -> "%s cannot be reached: %s.".formatted(address, why))
              .orElse(
                  e.getMessage() + ". Its address is " + address + ". Is Runnel running there?"));
      return 1;
    } catch (RunsException | IllegalStateException e) {
      err.println(e.getMessage());
      return 1;
    } catch (IllegalArgumentException wrongUsage) {
      err.println(wrongUsage.getMessage());
      return 2;
    }
  }

  private int perform(RunsClient client, CommandLine.RunCommand command) {
    var words = command.arguments();
    var first =
        List.of("start", "list").contains(command.verb()) || words.isEmpty()
            ? ""
            : id(client, words.getFirst());
    switch (command.verb()) {
      case "start" -> {
        var id = start(client, command, String.join(" ", words));
        return command.has(RunFlag.WAIT) ? watch(client, command, id) : 0;
      }
      case "list" -> {
        list(client, command);
        return 0;
      }
      case "show" -> {
        var run = client.runs().get(first).send();
        show(command, run, lines(run));
        return 0;
      }
      case "follow" -> {
        var text = String.join(" ", words.subList(1, words.size()));
        var accepted = client.runs().followUp(first, FollowUpMessage.of(text)).send();
        show(
            command,
            accepted,
            command.has(RunFlag.JSON) ? Stream.empty() : Stream.of(sent(client, first, accepted)));
        return 0;
      }
      case "cancel" -> {
        if (command.has(RunFlag.ALL)) {
          return cancelAll(client, command);
        }
        var run = cancel(client, first);
        show(command, run, Stream.of(ended(run)));
        return 0;
      }
      default -> {
        return watch(client, command, first);
      }
    }
  }

  /// What becomes of a follow-up.
  private static String sent(RunsClient client, String id, FollowUpAccepted accepted) {
    return switch (accepted.outcome() == null ? "" : accepted.outcome().value()) {
      case "queued_prompt" -> "Added to the prompt: the run has not begun.";
      case "live_session" -> {
        var ended = ended(client, id);
        yield ended.isPresent()
            ? "Sent. The run has ended: " + ended.get()
            : "Sent to the agent, which reads it while it works.";
      }
      case "handoff_execution" -> "Sent: the run continues with it.";
      case "queue_pending" -> "Queued: the run continues with it when its agent is done.";
      default -> "Sent.";
    };
  }

  /// The final state of a run, because a no to a plan ends it. Empty also if it cannot be read: the
  /// message was accepted.
  private static Optional<RunStateValue> ended(RunsClient client, String id) {
    try {
      return Optional.of(client.runs().get(id).send().state()).filter(RunStateValue::isEnded);
    } catch (RunsException _) {
      return Optional.empty();
    }
  }

  private static RunItem cancel(RunsClient client, String id) {
    try {
      return client.runs().ensureCancelled(id).send();
    } catch (RunsException.BadRequest refused) {
      if (!client.runs().get(id).send().state().isBlocked()) {
        throw refused;
      }
      client.runs().cancelEvenIfBlocked(id).send();
      return client.runs().get(id).send();
    }
  }

  /// Cancels the queued runs first, so that a slot that becomes free starts no other one. Runs that
  /// wait for a person stay: they work on nothing.
  private int cancelAll(RunsClient client, CommandLine.RunCommand command) {
    var failures = new AtomicInteger();
    for (var state : STATES_OF_WORK) {
      var runs = client.runs().pages(ListRuns.ALL.state(state).limit(MAX_AT_ONCE)).items().toList();
      try (var threads = Executors.newThreadPerTaskExecutor(SupervisedThread.virtuals("cancel"))) {
        for (var run : runs) {
          threads.execute(
              () -> {
                try {
                  var ended = cancel(client, run.runId());
                  show(command, ended, Stream.of(line(ended)));
                } catch (RunsException e) {
                  err.println(run.runId() + ": " + e.getMessage());
                  failures.incrementAndGet();
                }
              });
        }
      }
    }
    return failures.get() == 0 ? 0 : 1;
  }

  private void list(RunsClient client, CommandLine.RunCommand command) {
    var query = ListRuns.ALL.sorted(SortBy.CREATED_AT, SortOrder.DESC);
    var state = command.chosen().get("state");
    if (state != null) {
      if (!Completions.STATES.contains(state.toLowerCase(Locale.ROOT))) {
        throw new IllegalArgumentException(
            "There is no state %s. There are: %s."
                .formatted(state, String.join(", ", Completions.STATES)));
      }
      query = query.state(new RunStateValue(state.toUpperCase(Locale.ROOT)));
    }
    var name = command.chosen().get("name");
    query = name == null ? query : query.name(name);
    var none = state == null && name == null ? "No runs yet." : "No such runs.";
    if (command.has(RunFlag.ALL)) {
      var runs = client.runs().pages(query.limit(MAX_AT_ONCE)).items();
      if (command.has(RunFlag.JSON)) {
        // One run a line, so that not all have to fit in memory.
        runs.forEach(run -> show(command, run, Stream.empty()));
      } else {
        print(runs.toList(), none);
      }
      return;
    }
    var answer = client.runs().list(query.limit(LISTED)).withRawResponse().send();
    if (command.has(RunFlag.JSON)) {
      show(command, answer.json(), Stream.empty());
    } else {
      print(answer.parse().items(), none);
    }
  }

  private void print(List<RunItem> runs, String none) {
    var lines =
        isTerminal
            ? RunsOnTerminal.table(runs, Instant.now())
            : runs.stream().map(RunCommands::line);
    (runs.isEmpty() ? Stream.of(none) : lines).forEach(out::println);
  }

  private String start(RunsClient client, CommandLine.RunCommand command, String prompt) {
    var chosen = command.chosen();
    var factory = chosen.get("factory");
    if (factory != null) {
      var others = chosen.keySet().stream().filter(it -> !FOR_FACTORIES.contains(it)).findFirst();
      if (others.isPresent()) {
        throw new IllegalArgumentException(
            "A factory chooses that itself: leave --%s or --factory out.".formatted(others.get()));
      }
      var work = DispatchRun.builder().prompt(prompt).ticketRef("terminal:" + UUID.randomUUID());
      Optional.ofNullable(chosen.get("title")).ifPresent(work::title);
      var dispatched =
          client.factories().dispatch(factoryUid(client, factory), work.build()).send();
      show(command, dispatched, Stream.of("Started " + dispatched.runId()));
      return dispatched.runId();
    }
    var run = CreateRun.builder().prompt(prompt).metadata(Map.of("runnel.client", "cli"));
    Optional.ofNullable(chosen.get("title")).ifPresent(run::title);
    Optional.ofNullable(chosen.get("skill")).ifPresent(run::skill);
    if (chosen.keySet().stream().anyMatch(CONFIGURES::contains)) {
      var config = AgentConfig.builder();
      Optional.ofNullable(chosen.get("name")).ifPresent(config::name);
      Optional.ofNullable(chosen.get("model")).ifPresent(config::modelId);
      Optional.ofNullable(chosen.get("env")).ifPresent(config::environmentId);
      run.config(config.build());
    }
    var created = client.runs().createOnce(run.build(), UUID.randomUUID().toString()).send();
    show(command, created, Stream.of("Started " + created.runId()));
    return created.runId();
  }

  /// @param factory the factory's uid, name or alias
  private static String factoryUid(RunsClient client, String factory) {
    var named =
        client
            .factories()
            .search(factory)
            .items()
            .limit(SEARCHED)
            .filter(
                it -> factory.equalsIgnoreCase(it.name()) || factory.equalsIgnoreCase(it.alias()))
            .map(Factory::uid)
            .toList();
    return named.size() == 1 ? named.getFirst() : factory;
  }

  /// The full id of a run that is given by a prefix.
  private static String id(RunsClient client, String given) {
    if (!PREFIX.matcher(given).matches()) {
      return given;
    }
    var found =
        client
            .runs()
            .pages(ListRuns.ALL)
            .items()
            .limit(SEARCHED)
            .map(RunItem::runId)
            .filter(id -> id.startsWith(given.toLowerCase(Locale.ROOT)))
            .distinct()
            .toList();
    if (found.size() > 1) {
      throw new IllegalArgumentException(
          "%d runs begin with %s: give some more characters.".formatted(found.size(), given));
    }
    return found.isEmpty() ? given : found.getFirst();
  }

  /// Watches a run; if the command is interrupted, says that the run is not.
  private int watch(RunsClient client, CommandLine.RunCommand command, String id) {
    var beginning = RunsOnTerminal.id(id);
    var atEnd =
        SupervisedThread.daemons("end of the command")
            .newThread(
                () ->
                    err.println(
                        "The run continues. ./runnel run cancel %s stops it."
                            .formatted(PREFIX.matcher(beginning).matches() ? beginning : id)));
    Runtime.getRuntime().addShutdownHook(atEnd);
    try {
      return watchUntilDone(client, command, id);
    } finally {
      try {
        Runtime.getRuntime().removeShutdownHook(atEnd);
      } catch (IllegalStateException _) {
        // The process ends, and the thread prints its line.
      }
    }
  }

  /// Prints each change until the run ends or waits for a person.
  ///
  /// @return the exit code for the run's state then
  private int watchUntilDone(RunsClient client, CommandLine.RunCommand command, String id) {
    var before = new AtomicReference<>("");
    var printed = new AtomicInteger();
    var run =
        client
            .runs()
            .await(
                id,
                WaitOptions.USUAL
                    .sessionPatience(Duration.ZERO)
                    .onProgress(
                        it -> {
                          var now = line(it) + "  " + TerminalText.plain(it.message());
                          if (command.has(RunFlag.LOGS)) {
                            printTranscript(client, id, printed);
                          } else if (!now.equals(before.getAndSet(now))) {
                            show(command, it, Stream.of(now));
                          }
                        }))
            .send();
    if (command.has(RunFlag.LOGS)) {
      printTranscript(client, id, printed);
      err.println(line(run));
    }
    return exitCode(run.state());
  }

  /// Prints what the transcript has more than before.
  ///
  /// @param printed number of bytes so far
  private void printTranscript(RunsClient client, String id, AtomicInteger printed) {
    var text = client.runs().transcript(id).send();
    var from = Math.min(printed.getAndSet(text.length), text.length);
    out.print(
        TerminalText.plain(new String(text, from, text.length - from, StandardCharsets.UTF_8)));
    out.flush();
  }

  private static int exitCode(RunStateValue state) {
    if (state.equals(RunStateValue.SUCCEEDED)) {
      return 0;
    }
    if (state.equals(RunStateValue.CANCELLED)) {
      return 4;
    }
    return state.isBlocked() ? 3 : 1;
  }

  private void show(CommandLine.RunCommand command, Object answer, Stream<String> lines) {
    if (!command.has(RunFlag.JSON)) {
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
    return "%s  %-10s  %s".formatted(run.runId(), run.state(), RunsOnTerminal.title(run));
  }

  private static String ended(RunItem run) {
    return run.state().equals(RunStateValue.CANCELLED)
        ? "Stopped " + run.runId()
        : "%s had already ended: %s".formatted(run.runId(), run.state());
  }

  private static Stream<String> lines(RunItem run) {
    return Stream.of(
            line(run),
            TerminalText.plain(run.message()),
            run.sessionLink() == null ? "" : run.sessionLink())
        .filter(line -> !line.isBlank());
  }
}
