package dev.runnel.core.decide;

import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.AuditEntry.Verb;
import dev.runnel.core.model.AuditEntry.Verdict;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.model.run.StopRequest;
import dev.runnel.core.port.Store.Work;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Collectors;

/// Writes the audit log's entries about deliveries and the ends of runs, in the commit of the
/// effect that they describe.
public final class AuditTrail {
  private AuditTrail() {}

  /// The decision about a delivery, for the audit log.
  ///
  /// @param verb the requested action
  /// @param rule the rule or the reason
  public record Ruling(Verb verb, Verdict verdict, String rule) {
    /// A copy that a rule permits.
    public Ruling by(String permitting) {
      return new Ruling(verb, verdict, permitting);
    }

    /// A copy that waits for an approval that the rule requires.
    public Ruling waiting(String requiring) {
      return new Ruling(verb, Verdict.WAITS, requiring);
    }

    public Ruling refused(String why) {
      return new Ruling(verb, Verdict.REFUSED, why);
    }
  }

  /// The initial ruling of a delivery, before any check refuses it.
  ///
  /// @param target the run that it concerns
  /// @return empty for a command that has no effect and shows no data of others, such as help
  public static Optional<Ruling> allowed(Delivery delivery, Optional<Binding> target) {
    return verb(delivery.intent(), target)
        .map(verb -> new Ruling(verb, Verdict.ALLOWED, AuditEntry.DEFAULT_RULE));
  }

  private static Optional<Verb> verb(Intent intent, Optional<Binding> target) {
    return switch (intent) {
      case Intent.Start _, Intent.New _ -> Optional.of(Verb.START);
      case Intent.Say _ -> Optional.of(target.map(AuditTrail::verbOfMessage).orElse(Verb.START));
      case Intent.SayTo _ -> Optional.of(target.map(AuditTrail::verbOfMessage).orElse(Verb.SAY));
      case Intent.Cancel _, Intent.CancelMine _, Intent.StopAt _ -> Optional.of(Verb.STOP);
      case Intent.Retry _ -> Optional.of(Verb.RETRY);
      case Intent.Link _ -> Optional.of(Verb.LINK);
      case Intent.Linked(_, var command) -> verb(command, target);
      case Intent.Status _, Intent.ListRuns _ -> Optional.of(Verb.READ);
      case Intent.Ask(var question) -> verb(question);
      case Intent.PlatformEvent _, Intent.Help _, Intent.Unclear _ -> Optional.empty();
    };
  }

  private static Verb verbOfMessage(Binding target) {
    return target.awaitsAnswer() ? Verb.ANSWER : Verb.SAY;
  }

  private static Optional<Verb> verb(Question question) {
    return switch (question) {
      case Question.Configure _, Question.ConfigureAll _, Question.Listen _, Question.Join _ ->
          Optional.of(Verb.CONFIGURE);
      case Question.Decide _ -> Optional.of(Verb.APPROVE);
      case Question.Freeze _ -> Optional.of(Verb.FREEZE);
      case Question.Schedule _, Question.ChangeSchedule _ -> Optional.of(Verb.SCHEDULE);
      case Question.Home _, Question.Why _, Question.Usage _, Question.Schedules _ ->
          Optional.of(Verb.READ);
      case Question.Config _,
          Question.Compose _,
          Question.Edit _,
          Question.Explain _,
          Question.WhoAmI _,
          Question.Doctor _ ->
          Optional.empty();
    };
  }

  /// Adds an entry that a delivery was handled.
  ///
  /// @param details the decision, in a few words
  public static void add(Work work, Delivery delivery, Ruling ruling, String details, Instant now) {
    var entry =
        AuditEntry.of(
                now, AuditEntry.Person.of(delivery), ruling.verb(), settings(delivery, details))
            .in(delivery.conversation())
            .decided(ruling.verdict(), ruling.rule());
    var run = run(work, delivery);
    work.audit()
        .add(
            run.map(entry::about)
                .or(() -> named(delivery.intent()).map(entry::about))
                .orElse(entry));
  }

  /// The names of the changed defaults, without their values, which may be long or private.
  private static String settings(Delivery delivery, String details) {
    return switch (delivery.intent()) {
      case Intent.Ask(Question.Configure change) -> text(change);
      case Intent.Ask(Question.ConfigureAll(var changes)) ->
          changes.stream().map(AuditTrail::text).collect(Collectors.joining(", "));
      default -> details;
    };
  }

  private static String text(Question.Configure change) {
    return "%s %s (%s)"
        .formatted(
            change.value().isPresent() ? "set" : "unset",
            change.key(),
            switch (change.level()) {
              case ME -> "me";
              case HERE -> "here";
              case WORKSPACE -> "workspace";
            });
  }

  private static Optional<Run> run(Work work, Delivery delivery) {
    return named(delivery.intent())
        .map(work.bindings()::of)
        .orElseGet(() -> RunSubscribers.runOf(work, delivery))
        .map(Binding::run);
  }

  private static Optional<RunId> named(Intent intent) {
    // A retry is about the run that it starts: the current one of its conversation.
    return intent instanceof Intent.Retry ? Optional.empty() : intent.namedRun();
  }

  /// Adds an entry that a person asked to stop the run; [#ended] adds one for the effect.
  public static void stopRequested(Work work, Delivery delivery, Binding binding, Instant now) {
    work.audit()
        .add(
            AuditEntry.of(now, AuditEntry.Person.of(delivery), Verb.STOP, "asked")
                .in(binding.conversation())
                .about(binding.run()));
  }

  /// The conversation with the surface that knows the people who act on the run.
  private static Conversation placeOfPeople(Binding binding) {
    return binding
        .place()
        .orElseGet(() -> new Conversation(SurfaceId.CONSOLE, binding.conversation().key()));
  }

  /// Adds an entry for the end of a run, if it ended between the two states.
  public static void ended(Work work, Binding before, Run now, Instant at) {
    if (!now.state().isTerminal() || !before.isActive()) {
      return;
    }
    var by = before.stop().map(StopRequest::by);
    var isStopped = now.state() == RunState.CANCELLED;
    work.audit()
        .add(
            AuditEntry.of(
                    at,
                    by.map(actor -> AuditEntry.Person.of(placeOfPeople(before), actor))
                        .orElse(AuditEntry.Person.RUNNEL),
                    Verb.END,
                    now.stateName() + (isStopped && by.isPresent() ? ", the stop took effect" : ""))
                .in(before.conversation())
                .about(now));
  }
}
