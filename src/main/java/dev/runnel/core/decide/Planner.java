package dev.runnel.core.decide;

import dev.runnel.core.command.Verb;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.text.AnswerFormatter;
import dev.runnel.core.text.RunTexts;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Decides what to do with a delivery in its situation. Pure: everything it needs is passed in.
public final class Planner {
  /// People talk to each other where there is no run.
  private static final Plan WITHOUT_RUN = new Plan.Ignore("sent in a conversation without a run");

  private Planner() {}

  /// The state of the delivery's conversation and place.
  ///
  /// @param own the binding of its conversation
  /// @param named the binding of the run that it names
  /// @param inPlace the bindings of the same place, newest first
  /// @param waiting the conversation in the same place where a start of the same person is queued
  public record Situation(
      Optional<Binding> own,
      Optional<Binding> named,
      List<Binding> inPlace,
      Optional<Conversation> waiting) {}

  public static Plan plan(Delivery delivery, Situation situation, Instant now) {
    return switch (here(delivery, situation, now)) {
      case Plan.StartRun(var conversation, _) when isElsewhere(delivery, conversation) ->
          new Plan.MoveTo(conversation);
      case Plan.CancelRun(var binding) when isElsewhere(delivery, binding.conversation()) ->
          new Plan.MoveTo(binding.conversation());
      case Plan.FollowUp(var binding, _) when isElsewhere(delivery, binding.conversation()) ->
          new Plan.MoveTo(binding.conversation());
      case Plan plan -> plan;
    };
  }

  /// Whether the plan must be executed in another conversation. Only a command from a place is
  /// moved, because its answer is posted there wherever it is executed.
  private static boolean isElsewhere(Delivery delivery, Conversation conversation) {
    return delivery.origin().replyTo().isPresent()
        && !conversation.equals(delivery.conversation())
        && conversation.surface().equals(delivery.conversation().surface());
  }

  private static Plan here(Delivery delivery, Situation situation, Instant now) {
    return switch (delivery.intent()) {
      case Intent.PlatformEvent _ -> new Plan.Ignore("not about one of my runs");
      case Intent.Start(var request) -> start(delivery, situation, request, now);
      case Intent.Say(var request) -> say(delivery, situation, request);
      case Intent.Cancel(var run, var why) -> cancel(delivery, situation, run, why, now);
      case Intent.Status(var run) ->
          target(delivery, situation, run, false)
              .<Plan>map(binding -> tell(delivery, status(delivery, situation, binding, now)))
              .orElseGet(() -> unknown(delivery, situation, run, "show", "status "));
      case Intent.Retry(var run) ->
          target(delivery, situation, run, false)
              .map(binding -> retry(delivery, situation, binding, now))
              .orElseGet(() -> unknown(delivery, situation, run, "retry", "retry "));
      case Intent.SayTo(var run, var request, _) ->
          situation
              .named()
              .<Plan>map(binding -> new Plan.FollowUp(binding, request))
              .orElseGet(
                  () -> unknownRun(delivery, situation, run, "say " + run + " " + request.text()));
      case Intent.Link(var run) -> new Plan.LinkRun(run);
      case Intent.Ask(Question.Freeze _),
          Intent.Ask(Question.ChangeSchedule _),
          Intent.New _,
          Intent.Linked _,
          Intent.Help _,
          Intent.Unclear _
          when !isForRunnel(delivery, situation) ->
          WITHOUT_RUN;
      case Intent.GeneralCommand command -> new Plan.Answer(command);
      case Intent.New(var request) -> new Plan.StartRun(delivery.conversation(), request);
      case Intent.Linked(var link, _) ->
          notFound(
              delivery,
              "I can't find a run for this link",
              List.of(InfoCard.Row.sentence(link.toString())));
      case Intent.Help(var verb) ->
          Plan.Tell.one(
              verb.flatMap(Verb::of)
                  .<Update>map(
                      it -> new Update.Answered(delivery.actor(), AnswerFormatter.verb(it)))
                  .orElseGet(() -> new Update.Helped(delivery.actor())));
      case Intent.Unclear(var why, var work) ->
          work.map(request -> noRun(delivery, situation, why, request.text()))
              .orElseGet(() -> tell(delivery, why));
    };
  }

  private static Plan start(Delivery delivery, Situation situation, Request request, Instant now) {
    if (delivery.origin().opensThread()) {
      return new Plan.OpenThread();
    }
    return situation
        .own()
        .filter(Binding::isActive)
        .map(
            own ->
                tell(
                    delivery,
                    "This thread already has a run. "
                        + RunTexts.state(own, now)
                        + " Your replies go to it."))
        .orElseGet(() -> new Plan.StartRun(delivery.conversation(), request));
  }

  private static Plan say(Delivery delivery, Situation situation, Request request) {
    if (request.options().interrupts() && situation.own().isEmpty()) {
      return delivery.addressed()
          ? tell(delivery, "There is no run here to interrupt. Write it in the thread of a run.")
          : WITHOUT_RUN;
    }
    if (delivery.origin().opensThread()) {
      return new Plan.OpenThread();
    }
    if (situation.own().isPresent()) {
      return new Plan.FollowUp(situation.own().get(), request);
    }
    return delivery.addressed() ? new Plan.StartRun(delivery.conversation(), request) : WITHOUT_RUN;
  }

  private static Plan cancel(
      Delivery delivery,
      Situation situation,
      Optional<RunId> run,
      Optional<String> why,
      Instant now) {
    return target(delivery, situation, run, true)
        .<Plan>map(
            binding -> {
              if (binding.isActive()) {
                return new Plan.CancelRun(binding);
              }
              return why.isPresent()
                  ? new Plan.Ignore("the run had ended")
                  : tell(delivery, "Nothing to stop: " + RunTexts.state(binding, now));
            })
        .or(() -> situation.waiting().map(Plan.MoveTo::new))
        .orElseGet(() -> unknown(delivery, situation, run, "stop", "stop "));
  }

  private static Plan retry(Delivery delivery, Situation situation, Binding binding, Instant now) {
    if (!binding.isRequestKnown()) {
      return tell(
          delivery,
          "This run was started through the API, so I don't know its whole request."
              + " Start it again there.");
    }
    if (binding.isActive()) {
      return tell(
          delivery,
          "The run has not ended yet. "
              + RunTexts.state(binding, now)
              + " Stop it first, or reply with what to do differently.");
    }
    return hasAnother(situation, binding)
        ? tell(
            delivery,
            "Another run is active in that thread. Stop it first, or start a second"
                + " one there with `new: …`.")
        : new Plan.StartRun(binding.conversation(), binding.request());
  }

  /// On a pull request, other people can read the answer than in the run's thread, so it contains
  /// only the state.
  private static String status(
      Delivery delivery, Situation situation, Binding binding, Instant now) {
    var isOnItsPullRequest =
        situation.own().filter(binding::equals).isPresent()
            && !binding.conversation().equals(delivery.conversation());
    return isOnItsPullRequest ? RunTexts.state(binding, now) : RunTexts.status(binding, now);
  }

  /// Whether the thread of an earlier run has another, active current one.
  private static boolean hasAnother(Situation situation, Binding earlier) {
    return situation
        .own()
        .filter(own -> own.conversation().equals(earlier.conversation()))
        .filter(own -> !own.run().id().equals(earlier.run().id()))
        .filter(Binding::isActive)
        .isPresent();
  }

  private static boolean isForRunnel(Delivery delivery, Situation situation) {
    return delivery.addressed() || situation.own().isPresent();
  }

  /// The run that a command is about: the named one, the conversation's own, or, for a command from
  /// a place, the person's only run there.
  private static Optional<Binding> target(
      Delivery delivery, Situation situation, Optional<RunId> run, boolean activeOnly) {
    if (run.isPresent()) {
      return situation.named();
    }
    if (situation.own().isPresent()) {
      return situation.own();
    }
    if (!delivery.addressed()) {
      return Optional.empty();
    }
    var theirs = of(delivery.actor(), situation.inPlace(), activeOnly);
    return !activeOnly || theirs.size() == 1 ? theirs.stream().findFirst() : Optional.empty();
  }

  private static List<Binding> of(Actor actor, List<Binding> inPlace, boolean activeOnly) {
    return inPlace.stream()
        .filter(each -> each.requester().id().equals(actor.id()))
        .filter(each -> !activeOnly || each.isActive())
        .toList();
  }

  private static Plan unknown(
      Delivery delivery, Situation situation, Optional<RunId> run, String verb, String command) {
    if (run.isPresent()) {
      return unknownRun(delivery, situation, run.get(), command + run.get());
    }
    if (!delivery.addressed()) {
      return WITHOUT_RUN;
    }
    var active = of(delivery.actor(), situation.inPlace(), true);
    if (active.size() > 1) {
      return new Plan.Tell(
          List.of(
              reply(
                  delivery,
                  "You have "
                      + active.size()
                      + " active runs here. Name the one to "
                      + verb
                      + ", by its id."),
              new Update.Listed(delivery.actor(), active)));
    }
    return tell(delivery, "There is no run here to " + verb + ".");
  }

  /// A text that looks like an abbreviated id may also be a normal word.
  private static Plan unknownRun(
      Delivery delivery, Situation situation, RunId run, String command) {
    var why = "I can't find run `" + run.brief() + "`.";
    return IntentResolver.isAbbreviated(run)
        ? noRun(delivery, situation, why, command)
        : notFound(delivery, why, List.of());
  }

  private static Plan notFound(Delivery delivery, String why, List<InfoCard.Row> rows) {
    return Plan.Tell.one(
        new Update.Answered(
            delivery.actor(), new InfoCard(why, rows, List.of(AnswerFormatter.RUNS_HERE))));
  }

  private static Plan noRun(Delivery delivery, Situation situation, String why, String words) {
    var active = of(delivery.actor(), situation.inPlace(), true);
    return Plan.Tell.one(
        new Update.Answered(delivery.actor(), AnswerFormatter.noRun(why, words, active)));
  }

  private static Plan tell(Delivery delivery, String text) {
    return Plan.Tell.one(reply(delivery, text));
  }

  private static Update reply(Delivery delivery, String text) {
    return new Update.Message(delivery.actor(), text, true);
  }
}
