package dev.runnel.runs;

import com.fasterxml.jackson.databind.node.BooleanNode;
import dev.runnel.client.ListRuns;
import dev.runnel.client.ListRuns.SortBy;
import dev.runnel.client.ListRuns.SortOrder;
import dev.runnel.client.RequestOptions;
import dev.runnel.client.RunsClient;
import dev.runnel.client.RunsException;
import dev.runnel.core.model.conversation.Attachment;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.FileContent;
import dev.runnel.core.model.run.Arrival;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.Replies;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunListing;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.ProxyRefused;
import dev.runnel.wire.AgentConfig;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.FollowUpAccepted;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.FollowUpOutcome;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunMode;
import dev.runnel.wire.RunStateValue;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Accesses the run service over its API. Every exception of the client is converted here:
///
/// - no response, a 5xx, a 429: `Unavailable`; use [#findStarted] to find out whether a start
///   happened;
/// - a 404 from the service itself: `Missing`; a 404 without the service's error body comes from a
///   wrong URL or a proxy, and is `Unavailable`;
/// - a malformed id: `Missing`;
/// - any other error: `Refused`, with a text of [ErrorTexts].
///
/// Thread-safe.
public final class ClientAgentRuns implements AgentRuns {
  private static final Logger log = LoggerFactory.getLogger(ClientAgentRuns.class);

  /// The delay before a cancellation is retried that conflicts with the start of an execution.
  private static final Duration CONFLICT_DELAY = Duration.ofSeconds(2);

  /// Limited, because each listed run includes its whole prompt, which is not needed here.
  static final int PAGE_SIZE = 100;

  /// The API's maximum, for runs with short prompts.
  private static final int MAX_PAGE_SIZE = 500;

  private static final int BUFFER = 16 * 1024;

  /// Maximum average length of short prompts, in characters.
  private static final int SHORT_PROMPT = 8_000;

  private static final int MAX_CHANGES = 10_000;
  private static final int MAX_UNFINISHED = 50_000;

  private final RunsClient client;
  private final StartLookup startLookup;
  private volatile int pageSize = PAGE_SIZE;
  private final FactoryStarts factories;
  private final boolean hasIdempotencyKeys;

  /// @param hasIdempotencyKeys whether the service recognizes repeated requests by their
  ///   `Idempotency-Key`, as the embedded one does
  public ClientAgentRuns(RunsClient client, boolean hasIdempotencyKeys) {
    this.client = client;
    this.startLookup = new StartLookup(client);
    this.factories = new FactoryStarts(client);
    this.hasIdempotencyKeys = hasIdempotencyKeys;
  }

  @Override
  public Outcome start(Prompt prompt, DeliveryId key) {
    Created created;
    try {
      var factory = prompt.options().factory();
      if (factory.isPresent() && prompt.options().plan()) {
        return new Outcome.Refused(
            "plan_in_factory",
            "Runs of a factory cannot begin with a plan. Leave the factory or `plan:` out.",
            Optional.empty());
      }
      var found =
          factory.map(it -> dispatched(it, prompt, key)).orElseGet(() -> created(prompt, key));
      if (found.isEmpty()) {
        return FactoryStarts.unknown(factory.orElse(""));
      }
      created = found.get();
    } catch (RunsException failure) {
      return isMissing(failure) ? ErrorTexts.of(failure) : refusedOrUnavailable(failure);
    }
    try {
      return new Outcome.Done(
          RunItems.run(
              client.runs().get(created.runId()).withOptions(ClientAgentRuns::briefly).send()));
    } catch (RunsException unread) {
      log.debug("cannot read started run run={} why={}", created.runId(), unread.getMessage());
      return new Outcome.Done(asCreated(created, prompt, key));
    }
  }

  private Optional<Created> created(Prompt prompt, DeliveryId key) {
    var run = client.runs().create(creation(prompt, key)).withOptions(keyed(key)).send();
    return Optional.of(new Created(run.runId(), run.state()));
  }

  private Optional<Created> dispatched(String factory, Prompt prompt, DeliveryId key) {
    return factories
        .dispatch(factory, prompt, key, keyed(key))
        .map(run -> new Created(run.runId(), run.state()));
  }

  private record Created(String runId, RunStateValue state) {}

  @Override
  public Outcome findStarted(DeliveryId key, Instant since, Optional<String> words) {
    try {
      return startLookup.start(key, since, words);
    } catch (RunsException failure) {
      return unavailable(failure);
    }
  }

  @Override
  public Outcome followUp(RunId run, String text, DeliveryId key) {
    return followUp(run, FollowUpMessage.of(text), key);
  }

  @Override
  public Outcome interrupt(RunId run, String text, DeliveryId key) {
    var message = FollowUpMessage.of(text).toBuilder();
    return followUp(run, message.more(Map.of("interrupt", BooleanNode.TRUE)).build(), key);
  }

  private Outcome followUp(RunId run, FollowUpMessage message, DeliveryId key) {
    FollowUpAccepted accepted;
    try {
      accepted = client.runs().followUp(run.value(), message).withOptions(keyed(key)).send();
    } catch (RunsException failure) {
      return outcome(failure);
    } catch (IllegalArgumentException notAnId) {
      return new Outcome.Missing();
    }
    try {
      return new Outcome.Done(
          withReceipt(
              RunItems.run(
                  client.runs().get(run.value()).withOptions(ClientAgentRuns::briefly).send()),
              accepted,
              key));
    } catch (RunsException unread) {
      log.debug("cannot read run after follow-up run={} why={}", run, unread.getMessage());
      return new Outcome.Done(withReceipt(Run.unseen(run), accepted, key));
    }
  }

  /// Marks the follow-up as waiting if the response says so and the run does not list its waiting
  /// follow-ups, and as offered if a working agent gets it.
  private static Run withReceipt(Run run, FollowUpAccepted accepted, DeliveryId key) {
    if (FollowUpOutcome.LIVE_SESSION.equals(accepted.outcome())) {
      return run.withReplies(run.replies().map(replies -> replies.offering(key)));
    }
    return run.replies().isEmpty() && FollowUpOutcome.QUEUE_PENDING.equals(accepted.outcome())
        ? run.withReplies(Optional.of(new Replies(Set.of(key), Set.of())))
        : run;
  }

  @Override
  public Arrival followUpArrival(Run before, String text, int timesSent) {
    if (hasIdempotencyKeys) {
      return new Arrival.NotArrived();
    }
    try {
      return startLookup.followUp(before, text, timesSent);
    } catch (RunsException failure) {
      return new Arrival.Unavailable(failure.retryAfter(), why(failure));
    }
  }

  @Override
  public Outcome cancel(RunId run) {
    return cancel(run, false);
  }

  /// @param evenIfBlocked whether also if the run waits for a person, which the plain request
  ///   refuses
  private Outcome cancel(RunId run, boolean evenIfBlocked) {
    try {
      var id = run.value();
      (evenIfBlocked ? client.runs().cancelEvenIfBlocked(id) : client.runs().cancel(id)).send();
    } catch (RunsException.BadRequest failure) {
      return endedOr(run, evenIfBlocked, failure);
    } catch (RunsException.Unprocessable failure) {
      return uncancellable(run, failure);
    } catch (RunsException.Conflict failure) {
      return failure.retryable()
          ? new Outcome.Unavailable(
              Optional.of(failure.retryAfter().orElse(CONFLICT_DELAY)), why(failure))
          : ErrorTexts.of(failure);
    } catch (RunsException failure) {
      return outcome(failure);
    } catch (IllegalArgumentException notAnId) {
      return new Outcome.Missing();
    }
    // If reading the run fails, the cancellation is repeated, which is idempotent.
    return find(run);
  }

  @Override
  public Outcome find(RunId run) {
    RunItem item;
    try {
      item = client.runs().get(run.value()).send();
    } catch (RunsException failure) {
      return outcome(failure);
    } catch (IllegalArgumentException notAnId) {
      return new Outcome.Missing();
    }
    return new Outcome.Done(RunItems.run(item));
  }

  @Override
  public FileContent content(RunFile file, long maxBytes) {
    try (var response = client.artifacts().download(file.id()).withStreamedBody().send()) {
      return copy(response.body(), maxBytes);
    } catch (RunsException failure) {
      return switch (refusedOrUnavailable(failure)) {
        case Outcome.Unavailable(var after, var why) -> new FileContent.Later(after, why);
        case Outcome.Done _, Outcome.Missing _, Outcome.Refused _ ->
            new FileContent.Withheld("the run service no longer has it");
      };
    } catch (IOException interrupted) {
      return new FileContent.Later(Optional.empty(), "The file could not be read completely");
    } catch (IllegalArgumentException notAnId) {
      return new FileContent.Withheld("the run service no longer has it");
    }
  }

  private static FileContent copy(InputStream body, long maxBytes) throws IOException {
    var copy = Files.createTempFile("runnel-file-", "");
    try (var out = Files.newOutputStream(copy)) {
      var buffer = new byte[BUFFER];
      var left = maxBytes;
      for (int read = body.read(buffer); read >= 0; read = body.read(buffer)) {
        left -= read;
        if (left < 0) {
          Files.delete(copy);
          return new FileContent.Withheld("it is too large");
        }
        out.write(buffer, 0, read);
      }
      return new FileContent.Read(copy);
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(copy);
      throw e;
    }
  }

  /// Lists the oldest change first, so that a run that changes meanwhile moves to a later page.
  /// What a very long list omits is newer than the rest.
  @Override
  public RunListing changedSince(Instant since) {
    var query =
        ListRuns.ALL.updatedAfter(since).sorted(SortBy.UPDATED_AT, SortOrder.ASC).limit(pageSize);
    return list(query, MAX_CHANGES, true);
  }

  /// Sorted by creation time, which does not change while pages are read.
  @Override
  public RunListing unfinished() {
    var query = ListRuns.ALL.sorted(SortBy.CREATED_AT, SortOrder.ASC).limit(pageSize);
    for (var state : RunStates.UNFINISHED) {
      query = query.state(state);
    }
    return list(query, MAX_UNFINISHED, false);
  }

  /// @param max approximate maximum number of runs; a page may exceed it
  /// @param maySkipTheRest whether the first pages alone are useful
  private RunListing list(ListRuns query, int max, boolean maySkipTheRest) {
    var runs = new LinkedHashMap<RunId, Run>();
    var prompts = 0L;
    try {
      var pages = client.runs().pages(query).iterator();
      for (int looked = 0; looked < max && pages.hasNext(); ) {
        for (var item : pages.next().items()) {
          looked++;
          prompts += length(item.prompt()) + length(item.submittedPrompt());
          var run = RunItems.run(item);
          runs.putLast(run.id(), run);
        }
      }
      if (pages.hasNext() && !maySkipTheRest) {
        return new RunListing.Unavailable(
            Optional.empty(), "There are too many unfinished runs to list");
      }
    } catch (RunsException failure) {
      return new RunListing.Unavailable(failure.retryAfter(), why(failure));
    }
    if (runs.size() >= PAGE_SIZE) {
      pageSize = prompts / runs.size() <= SHORT_PROMPT ? MAX_PAGE_SIZE : PAGE_SIZE;
    }
    return new RunListing.Listed(List.copyOf(runs.values()));
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }

  /// Handles a 400 to a cancellation: usually the run had already ended, or it waits for a person.
  private Outcome endedOr(RunId id, boolean evenIfBlocked, RunsException.BadRequest failure) {
    var found = find(id);
    if (!(found instanceof Outcome.Done(var run)) || run.state().isTerminal()) {
      return found;
    }
    if (run.state() != RunState.BLOCKED) {
      return ErrorTexts.of(failure);
    }
    return evenIfBlocked
        ? new Outcome.Refused(
            failure.code().value(),
            "A run that waits for an answer cannot be stopped through the API. Answer it, or open"
                + " it and stop it there.",
            run.session())
        : cancel(id, true);
  }

  private Outcome uncancellable(RunId id, RunsException.Unprocessable failure) {
    var session = find(id) instanceof Outcome.Done(var run) ? run.session() : Optional.<URI>empty();
    return new Outcome.Refused(
        failure.code().value(),
        "This kind of run cannot be stopped through the API. Open it and stop it there.",
        session);
  }

  private static Outcome outcome(RunsException failure) {
    return isMissing(failure) ? new Outcome.Missing() : refusedOrUnavailable(failure);
  }

  private static Outcome refusedOrUnavailable(RunsException failure) {
    return switch (failure) {
      case RunsException.NotFound _, RunsException.OtherStatus _
          when failure.problem().isEmpty() && failure.status().orElse(0) != 410 ->
          unavailable(failure);
      case RunsException.ServiceError serviceError ->
          serviceError.retryable() ? unavailable(failure) : ErrorTexts.of(failure);
      case RunsException.TransportError _, RunsException.MalformedResponse _ ->
          unavailable(failure);
    };
  }

  private static Outcome unavailable(RunsException failure) {
    return new Outcome.Unavailable(failure.retryAfter(), why(failure));
  }

  private static String why(RunsException failure) {
    return ProxyRefused.in(failure)
        .map(refused -> "the run service cannot be reached: " + refused)
        .orElseGet(() -> String.valueOf(failure.getMessage()));
  }

  /// Whether the run does not exist. Only a 404 with the service's error body means that; a proxy
  /// or a wrong URL gives a 404, too.
  private static boolean isMissing(RunsException failure) {
    return failure instanceof RunsException.NotFound && failure.problem().isPresent();
  }

  /// Short limits, because reading the run after an accepted request is optional and must not delay
  /// the caller.
  private static RequestOptions briefly(RequestOptions options) {
    return options.withDeadline(Duration.ofSeconds(5)).withMaxRetries(1);
  }

  private static UnaryOperator<RequestOptions> keyed(DeliveryId key) {
    return options -> options.withHeader("Idempotency-Key", key.value());
  }

  private static CreateRun creation(Prompt prompt, DeliveryId key) {
    Map<String, String> metadata = new LinkedHashMap<>(prompt.metadata());
    metadata.put(RunItems.DELIVERY, key.value());
    var run = CreateRun.builder().prompt(prompt.text()).metadata(metadata);
    if (!prompt.title().isBlank()) {
      run.title(prompt.title());
    }
    prompt.options().skill().ifPresent(run::skill);
    if (prompt.options().plan()) {
      run.mode(RunMode.PLAN);
    }
    if (!prompt.attachments().isEmpty()) {
      run.attachments(prompt.attachments().stream().map(ClientAgentRuns::attachment).toList());
    }
    config(prompt).ifPresent(run::config);
    return run.build();
  }

  private static dev.runnel.wire.Attachment attachment(Attachment attachment) {
    return dev.runnel.wire.Attachment.builder()
        .fileName(attachment.name())
        .mimeType(attachment.type())
        .data(attachment.base64())
        .build();
  }

  private static Optional<AgentConfig> config(Prompt prompt) {
    var options = prompt.options();
    if (options.name().isEmpty()
        && options.model().isEmpty()
        && options.environment().isEmpty()
        && prompt.base().isEmpty()) {
      return Optional.empty();
    }
    var config = AgentConfig.builder();
    options.name().ifPresent(config::name);
    options.model().ifPresent(config::modelId);
    options.environment().ifPresent(config::environmentId);
    prompt.base().ifPresent(config::basePrompt);
    return Optional.of(config.build());
  }

  private static Run asCreated(Created created, Prompt prompt, DeliveryId key) {
    return Run.unseen(new RunId(created.runId()))
        .with(
            run ->
                run.title(prompt.title())
                    .state(RunStates.of(created.state()))
                    .stateName(created.state().value())
                    .delivery(Optional.of(key))
                    .environment(prompt.options().environment())
                    .model(prompt.options().model()));
  }
}
