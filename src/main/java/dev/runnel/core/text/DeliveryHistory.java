package dev.runnel.core.text;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryTrace;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.InfoCard.Next;
import dev.runnel.core.model.InfoCard.Row;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Explains what happened to a message, and why. Pure.
public final class DeliveryHistory {
  private static final int MAX_EXCERPT = 200;

  private DeliveryHistory() {}

  /// The decision, as the continuation of "I decided".
  public static String note(Plan plan) {
    return switch (plan) {
      case Plan.OpenThread _ -> "to open a thread for it";
      case Plan.MoveTo _ -> "to continue in the run's own thread";
      case Plan.StartRun _ -> "to start a run";
      case Plan.FollowUp(var binding, _) -> "to pass it on to the run `%s`".formatted(id(binding));
      case Plan.CancelRun(var binding) -> "to stop the run `%s`".formatted(id(binding));
      case Plan.LinkRun(var run) -> "to connect this thread to the run `%s`".formatted(run);
      case Plan.Answer _ -> "to answer it privately";
      case Plan.Tell(var updates) ->
          updates.stream()
              .filter(Update.Message.class::isInstance)
              .map(Update.Message.class::cast)
              .findFirst()
              .map(
                  reply ->
                      "to answer: " + AnswerFormatter.cut(firstLine(reply.text()), MAX_EXCERPT))
              .orElse("to answer it privately");
      case Plan.Ignore(var why) -> "to ignore it: it was " + why;
    };
  }

  private static String id(Binding binding) {
    return binding.run().id().brief();
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }

  /// @param traces the message's history, newest first
  /// @param started the run that the newest one started
  public static InfoCard card(
      List<DeliveryTrace> traces, Optional<Binding> started, Actor asker, Instant now) {
    var rows = new ArrayList<Row>();
    for (var trace : traces) {
      trace.delivery().ifPresent(it -> addArrival(rows, it, asker, now));
      rows.add(Row.of("Result", result(trace, now)));
    }
    started.ifPresent(
        binding ->
            rows.add(Row.of("Its run", "`" + id(binding) + "`. " + RunTexts.state(binding, now))));
    return new InfoCard("What happened to this message", rows, List.of(AnswerFormatter.RUNS_HERE));
  }

  private static void addArrival(List<Row> rows, Delivery delivery, Actor asker, Instant now) {
    var who = delivery.actor().id().equals(asker.id()) ? "you" : delivery.actor().name();
    var ago = RunTexts.elapsed(Duration.between(delivery.arrivedAt(), now));
    rows.add(Row.of("Received", ago + " ago, from " + who));
    rows.add(
        Row.of(
            "Read as",
            understood(delivery.intent()) + (delivery.addressed() ? "" : ", not addressed to me")));
  }

  private static String understood(Intent intent) {
    return switch (intent) {
      case Intent.Start _ -> "a request for a new run";
      case Intent.Say _ -> "a request to the agent";
      case Intent.New _ -> "a request for a second run in the thread";
      case Intent.SayTo(var run, _, var answers) ->
          (answers.isPresent() ? "an answer to the run `" : "a request to the run `")
              + run.brief()
              + "`";
      case Intent.Cancel(_, var why) -> "a stop" + why.map(reason -> ": they " + reason).orElse("");
      case Intent.CancelMine _ -> "a stop of all runs of one person";
      case Intent.Status _ -> "`status`";
      case Intent.Retry _ -> "`retry`";
      case Intent.ListRuns _ -> "`list`";
      case Intent.Help _ -> "`help`";
      case Intent.Link(var run) -> "`link " + run.brief() + "`";
      case Intent.Linked(_, var command) -> understood(command) + " with a link";
      case Intent.Ask _ -> "a question to me";
      case Intent.Amend(_, var now) ->
          now.isPresent() ? "an edit of an earlier message" : "the deletion of an earlier message";
      case Intent.PullRequestNeeds(_, _, var news, _, _, _) -> "an event: " + news;
      case Intent.PullRequestChanged(_, var state, _, _) ->
          "a pull request that is " + state.word();
      case Intent.StopAt _ -> "a stop, by a reaction";
      case Intent.Unclear(var why, _) ->
          "something I could not understand: " + AnswerFormatter.cut(why, MAX_EXCERPT);
    };
  }

  private static String result(DeliveryTrace trace, Instant now) {
    var why =
        trace.why().map(it -> ": " + AnswerFormatter.cut(firstLine(it), MAX_EXCERPT)).orElse("");
    return switch (trace.state()) {
      case WAITS ->
          trace.tries() == 0 && why.isEmpty()
              ? "It waits for its turn."
              : "It waits%s. Tried %d times, the next time in %s."
                  .formatted(
                      why, trace.tries(), RunTexts.elapsed(Duration.between(now, trace.dueAt())));
      case PARKED ->
          "I gave up on it after %d tries%s. Send it again, or retry it in the console."
              .formatted(trace.tries(), why);
      case DONE ->
          trace
              .note()
              .filter(note -> !note.isEmpty())
              .map(note -> "I decided " + note + ".")
              .orElse("It is done, or a stop withdrew it.");
    };
  }

  /// The answer for a message that never arrived, or arrived too long ago.
  public static InfoCard unknown() {
    return new InfoCard(
        "I have no record of this message",
        List.of(
            Row.sentence("I delete old messages after a time, and I receive only:"),
            Row.sentence("• commands, and messages that mention me or are sent to me directly;"),
            Row.sentence("• replies in a thread that has a run;"),
            Row.sentence(
                "• labels, assignments, reactions and messages of watched channels, where they"
                    + " start runs."),
            Row.sentence(
                "I ignore messages that begin with `aside`, other bots outside watched channels,"
                    + " and places I was not invited to.")),
        List.of(new Next("Check my health", "doctor")));
  }

  public static InfoCard elsewhere() {
    return new InfoCard(
        "That message is somebody else's, from another place",
        List.of(Row.sentence("Ask there, so that only people who can read it get the answer.")),
        List.of());
  }
}
