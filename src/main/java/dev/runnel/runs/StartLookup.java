package dev.runnel.runs;

import dev.runnel.client.ListRuns;
import dev.runnel.client.ListRuns.SortBy;
import dev.runnel.client.ListRuns.SortOrder;
import dev.runnel.client.RunsClient;
import dev.runnel.client.RunsException;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.Arrival;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Run;
import dev.runnel.wire.ConversationMessage;
import dev.runnel.wire.ConversationStep;
import dev.runnel.wire.MessageRole;
import dev.runnel.wire.RunItem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/// Finds out whether a start or a follow-up took effect although its response was lost.
record StartLookup(RunsClient client) {
  private static final int MAX_CANDIDATES = 20;
  private static final int MAX_SEARCHED = 10_000;

  /// Allows for a difference between the two clocks.
  private static final Duration SKEW = Duration.ofMinutes(2);

  /// Uses the service's metadata filter; without one, reads all runs created since then.
  Outcome start(DeliveryId key, Instant since, Optional<String> words) {
    try {
      var listed = listed(RunItems.DELIVERY, key);
      if (listed.isEmpty()) {
        listed = listed(FactoryStarts.TICKET_ID, key);
      }
      var found = listed.stream().filter(run -> carries(run, key)).findFirst();
      if (found.isPresent()) {
        return done(found.get());
      }
      // A service that does not know the filter lists unrelated runs.
      return listed.isEmpty() ? new Outcome.Missing() : searchSince(key, since, words);
    } catch (RunsException.BadRequest | RunsException.Forbidden | RunsException.Unprocessable no) {
      return searchSince(key, since, words);
    }
  }

  private List<RunItem> listed(String name, DeliveryId key) {
    var query = ListRuns.ALL.metadata(name, key.value()).limit(MAX_CANDIDATES);
    return client.runs().list(query).send().items();
  }

  private Outcome searchSince(DeliveryId key, Instant since, Optional<String> words) {
    var from = since.minus(SKEW);
    var showsMetadata = false;
    var withoutMetadata = new ArrayList<RunItem>();
    var pages =
        client
            .runs()
            .pages(
                ListRuns.ALL
                    .createdAfter(from)
                    .sorted(SortBy.CREATED_AT, SortOrder.DESC)
                    .limit(ClientAgentRuns.PAGE_SIZE))
            .iterator();
    for (int searched = 0; pages.hasNext(); ) {
      if (searched >= MAX_SEARCHED) {
        return new Outcome.Unavailable(
            Optional.empty(), "Too many runs were started since then to search all of them");
      }
      for (var run : pages.next().items()) {
        searched++;
        if (carries(run, key)) {
          return done(run);
        }
        showsMetadata |= !run.metadata().isEmpty();
        if (run.metadata().isEmpty()
            && (run.createdAt() == null || !run.createdAt().isBefore(from))) {
          withoutMetadata.add(run);
        }
      }
    }
    return showsMetadata || withoutMetadata.isEmpty()
        ? new Outcome.Missing()
        : byText(withoutMetadata, words);
  }

  /// The service does not return metadata, so runs are matched by their prompt.
  private static Outcome byText(List<RunItem> runs, Optional<String> words) {
    if (words.isEmpty()) {
      return unknown();
    }
    var matching =
        runs.stream()
            .filter(run -> count(Objects.requireNonNullElse(run.prompt(), ""), words.get()) > 0)
            .toList();
    return switch (matching.size()) {
      case 0 -> new Outcome.Missing();
      case 1 -> done(matching.getFirst());
      // Ambiguous: a second start must not be risked.
      default -> unknown();
    };
  }

  private static Outcome unknown() {
    return new Outcome.Unavailable(
        Optional.empty(), "The run service does not show which runs Runnel started");
  }

  private static Outcome done(RunItem run) {
    return new Outcome.Done(RunItems.run(run));
  }

  /// Runs that agents start carry the key of the first run of their family.
  private static boolean carries(RunItem run, DeliveryId key) {
    return run.parentRunId() == null && RunItems.delivery(run).filter(key::equals).isPresent();
  }

  /// Compares how often the message occurs in the run; if the run does not show that, whether the
  /// run has progressed.
  Arrival followUp(Run before, String text, int timesSent) {
    RunItem item;
    try {
      item = client.runs().get(before.id().value()).send();
    } catch (RunsException.NotFound gone) {
      return new Arrival.NotArrived();
    }
    var now = RunItems.run(item);
    var received = received(item, text);
    if (received.isPresent() && received.getAsInt() > timesSent) {
      return new Arrival.Arrived();
    }
    if (!before.state().isInProgress()) {
      if (now.stateName().equals(before.stateName())
          && now.updatedAt().isPresent()
          && now.updatedAt().equals(before.updatedAt())) {
        return new Arrival.NotArrived();
      }
      if (now.state().isInProgress()) {
        return new Arrival.Arrived();
      }
    }
    // While the agent works, the message may still be in transit.
    return received.isPresent() && now.state().isTerminal()
        ? new Arrival.NotArrived()
        : new Arrival.Unknowable();
  }

  /// How often the run received this message; empty if the run does not show that.
  private OptionalInt received(RunItem item, String text) {
    try {
      var messages =
          client.runs().conversation(item.runId()).send().steps().stream()
              .flatMap(StartLookup::messages)
              .filter(message -> MessageRole.USER.equals(message.role()))
              .flatMap(message -> message.content().stream())
              .flatMap(content -> Stream.ofNullable(content.text()))
              .toList();
      if (!messages.isEmpty()) {
        return OptionalInt.of(messages.stream().mapToInt(each -> count(each, text)).sum());
      }
    } catch (RunsException notShown) {
      // Not every service supports conversations.
    }
    // A service may omit the submitted prompt if it equals the prompt.
    var prompt = item.submittedPrompt() == null ? item.prompt() : item.submittedPrompt();
    return prompt == null || item.startedAt() != null
        ? OptionalInt.empty()
        : OptionalInt.of(count(prompt, text));
  }

  private static Stream<ConversationMessage> messages(ConversationStep step) {
    return Stream.concat(
        step.messages().stream(), step.steps().stream().flatMap(StartLookup::messages));
  }

  /// Counts the message as separate paragraphs of a text. Messages sent before a run starts are
  /// appended to its prompt, as is background.
  private static int count(String text, String words) {
    var paragraphs = "\n\n" + text.strip() + "\n\n";
    var wanted = "\n\n" + words.strip() + "\n\n";
    var count = 0;
    for (int at = paragraphs.indexOf(wanted); at >= 0; at = paragraphs.indexOf(wanted, at + 1)) {
      count++;
    }
    return count;
  }
}
