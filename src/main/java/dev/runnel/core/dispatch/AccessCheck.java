package dev.runnel.core.dispatch;

import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.GroupLookup;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.model.run.Snapshot;
import dev.runnel.core.policy.AccessRequest;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Verdict;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.port.Surface;
import dev.runnel.core.scope.DefaultsResolver;
import dev.runnel.core.scope.Surfaces;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Decides whether a sender has permission for a delivery: by the operator's policy if it has
/// rules, else by the rule of the platform.
record AccessCheck(
    Policy policy, Store store, Surfaces surfaces, DefaultsResolver defaultsResolver) {
  /// The platform's own rule.
  static final String PLATFORM_RULE = AuditEntry.DEFAULT_RULE;

  static final String OPERATOR = "whoever runs Runnel";

  sealed interface Decision {
    /// @param rule the rule that decided
    record Permitted(String rule) implements Decision {}

    /// @param rule the rule that decided, or why there is none; for the log
    /// @param words the private answer; empty if the sender gets none
    /// @param isMember whether the platform's own rule permits the sender
    record Refused(String rule, Optional<String> words, boolean isMember) implements Decision {}

    /// The platform could not be queried.
    record Unknown(Optional<Duration> retryAfter, String why) implements Decision {}
  }

  /// The names that rules may use for a person, or why there are none.
  sealed interface Person {
    /// @param isMember whether the platform's own rule permits the person
    record Known(Set<String> names, boolean isMember) implements Person {}

    record NotAdmitted(Decision decision) implements Person {}
  }

  /// @param target the run that it concerns
  Decision check(Delivery delivery, Optional<Binding> target) {
    var surface = surface(delivery);
    if (surface.isEmpty() || surface.get().senders().isByOperator(delivery)) {
      return new Decision.Permitted(OPERATOR);
    }
    return switch (person(surface.get(), delivery)) {
      case Person.NotAdmitted(var decision) -> decision;
      case Person.Known known when !policy.hasRules() -> new Decision.Permitted(PLATFORM_RULE);
      case Person.Known known -> byPolicy(delivery, target, known);
    };
  }

  private Decision byPolicy(Delivery delivery, Optional<Binding> target, Person.Known person) {
    var permission = permission(delivery.intent(), target);
    if (permission.isEmpty()) {
      return isKnown(delivery, person)
          ? new Decision.Permitted("everybody may")
          : new Decision.Refused("no rule names the sender", Optional.empty(), false);
    }
    if (isPreparation(delivery.intent())
        && policy
            .permissions(person.names(), delivery.conversation().id())
            .contains(permission.get())) {
      return new Decision.Permitted("may start runs with some environment");
    }
    if (isFromElsewhere(delivery) && target.filter(AccessCheck::isPartOfAnother).isPresent()) {
      return new Decision.Refused(
          "another run started it",
          Optional.of("Another run started this one. Stop that run, or write to it."),
          person.isMember());
    }
    var verdict =
        policy.decide(request(delivery, delivery.conversation(), target, permission.get(), person));
    // A run's messages may be sent from another place, such as its pull request.
    var there = target.map(Binding::conversation).filter(it -> !it.equals(delivery.conversation()));
    if (verdict.isPermitted() && there.isPresent()) {
      var inPlaceOfRun =
          policy.decide(request(delivery, there.get(), target, permission.get(), person));
      if (inPlaceOfRun instanceof Verdict.Forbidden || needsPermissionIn(there.get(), delivery)) {
        verdict = inPlaceOfRun;
      }
    }
    return verdict.isPermitted()
        ? new Decision.Permitted(verdict.rule())
        : new Decision.Refused(verdict.rule(), Optional.of(verdict.words()), person.isMember());
  }

  /// Whether an agent started it, for a run whose place may be a thread.
  private static boolean isPartOfAnother(Binding target) {
    return target.place().isEmpty() && target.run().parent().isPresent();
  }

  /// Another platform than that of the run's place does not know who has permission there; there
  /// only rules that refuse count.
  private boolean needsPermissionIn(Conversation placeOfRun, Delivery delivery) {
    return placeOfRun.surface().equals(delivery.conversation().surface())
        || isFromElsewhere(delivery)
        || takesPart(delivery.conversation());
  }

  /// Whether the conversation takes part in a run that began elsewhere: then the rules for the
  /// run's place also apply.
  private boolean takesPart(Conversation conversation) {
    return store.<Boolean>commit(work -> work.issues().participation(conversation).isPresent());
  }

  /// Whether the sender may write to a run that began in another place. Without rules, the
  /// platform's own rule decides, which the sender has passed already.
  boolean mayWriteTo(Binding run, Delivery delivery) {
    var permission = ofMessage(run);
    return !policy.hasRules()
        || names(delivery)
            .filter(
                person ->
                    policy
                        .decide(
                            request(
                                delivery, run.conversation(), Optional.of(run), permission, person))
                        .isPermitted())
            .isPresent();
  }

  /// Strangers get no answers, not even to `help`.
  private boolean isKnown(Delivery delivery, Person.Known person) {
    return person.isMember()
        || policy.isApprover(person.names())
        || policy.permissions(person.names(), delivery.conversation().id()).stream()
            .anyMatch(it -> it != Permission.STOP_OWN);
  }

  /// Whether it only opens a form or changes the form's defaults: the request that the form sends
  /// is checked later, with its environment.
  private static boolean isPreparation(Intent intent) {
    return intent instanceof Intent.Ask(Question.Compose _)
        || (intent instanceof Intent.Ask(Question.Configure change)
            && change.level() == Question.Configure.Level.ME);
  }

  /// The access request of a start, for the rules about approvals.
  ///
  /// @param resolved the request with all its options
  AccessRequest start(Delivery delivery, Request resolved) {
    return new AccessRequest(
        Set.of(),
        Permission.START,
        delivery.conversation().id(),
        true,
        resolved.options().environment(),
        resolved.options().model(),
        resolved.options().factory().isPresent());
  }

  /// The policy's decision about a request that is only planned; empty if there are no rules.
  Optional<Verdict> preview(Delivery delivery, Request request) {
    return names(delivery)
        .filter(_ -> policy.hasRules())
        .map(
            person ->
                policy.decide(
                    request(
                        delivery.withIntent(new Intent.Start(request)),
                        delivery.conversation(),
                        Optional.empty(),
                        Permission.START,
                        person)));
  }

  /// The sender's permissions in the place; empty if there are no rules.
  Optional<Set<Permission>> permissions(Delivery delivery) {
    return names(delivery)
        .filter(_ -> policy.hasRules())
        .map(person -> policy.permissions(person.names(), delivery.conversation().id()));
  }

  /// The names that rules may use for the sender; empty if they are unknown now.
  Optional<Person.Known> names(Delivery delivery) {
    return surface(delivery)
        .filter(surface -> !surface.senders().isByOperator(delivery))
        .map(surface -> person(surface, delivery))
        .filter(Person.Known.class::isInstance)
        .map(Person.Known.class::cast);
  }

  /// The surface that received the delivery: if the thread belongs to another one, that one does
  /// not know the sender.
  Optional<Surface> surface(Delivery delivery) {
    return surfaces
        .find(delivery.id().surface())
        .or(() -> surfaces.find(delivery.conversation().surface()));
  }

  /// Whether whoever runs Runnel sent it.
  boolean isByOperator(Delivery delivery) {
    return surface(delivery).filter(it -> it.senders().isByOperator(delivery)).isPresent();
  }

  private Person person(Surface surface, Delivery delivery) {
    return switch (surface.senders().admit(delivery)) {
      case Admission.Admitted _ -> named(surface, delivery, true);
      case Admission.Outsider(var why, var words) ->
          policy.hasRules()
              ? named(surface, delivery, false)
              : new Person.NotAdmitted(new Decision.Refused(why, words, false));
      case Admission.TurnedAway(var why) ->
          new Person.NotAdmitted(new Decision.Refused(why, Optional.empty(), false));
      case Admission.Refused(var why, var words) ->
          new Person.NotAdmitted(new Decision.Refused(why, Optional.of(words), false));
      case Admission.Unknown(var after, var why) ->
          new Person.NotAdmitted(new Decision.Unknown(after, why));
    };
  }

  private Person named(Surface surface, Delivery delivery, boolean isMember) {
    var elsewhere = surface.senders().names(delivery);
    if (elsewhere.isPresent()) {
      return new Person.Known(elsewhere.get(), isMember);
    }
    var id = surface.id().value();
    var names = new HashSet<String>();
    // An account may be named like the group.
    if (!delivery.actor().id().equalsIgnoreCase(Policy.MEMBERS)) {
      names.add(delivery.actor().idOn(surface.id()));
    }
    names.add(id + ":" + team(delivery.conversation()) + "/" + delivery.actor().id());
    if (isMember) {
      names.add(id + ":" + Policy.MEMBERS);
    }
    var wanted = policy.namesOn(id);
    if (wanted.isEmpty()) {
      return new Person.Known(names, isMember);
    }
    return switch (surface.senders().groups(delivery, wanted)) {
      case GroupLookup.Known(var groups) -> {
        groups.forEach(group -> names.add(id + ":" + group));
        yield new Person.Known(names, isMember);
      }
      case GroupLookup.Unknown(var after, var why) ->
          new Person.NotAdmitted(new Decision.Unknown(after, why));
    };
  }

  /// The workspace or owner.
  private static String team(Conversation conversation) {
    var end = conversation.key().indexOf('/');
    return end < 0 ? conversation.key() : conversation.key().substring(0, end);
  }

  private AccessRequest request(
      Delivery delivery,
      Conversation place,
      Optional<Binding> target,
      Permission permission,
      Person.Known person) {
    var asked =
        permission == Permission.START
            ? delivery.intent().agentRequest()
            : target.map(Binding::request).or(() -> delivery.intent().agentRequest());
    // A run has the defaults of its requester.
    var isNew = permission == Permission.START || permission == Permission.RETRY;
    var whose = isNew ? delivery.actor() : target.map(Binding::requester).orElse(delivery.actor());
    // An existing run keeps the options that a route chose for it.
    var about = permission == Permission.START ? delivery.snapshot() : Snapshot.NONE;
    var options = asked.map(it -> defaultsResolver.of(it, place, whose, about).request().options());
    // The defaults may have changed since the run began.
    var run = target.map(Binding::run).filter(_ -> !isNew);
    return new AccessRequest(
        person.names(),
        permission,
        place.id(),
        isOwn(delivery, target),
        run.flatMap(Run::environment)
            .map(defaultsResolver.defaults().environments()::of)
            .or(() -> options.flatMap(RunOptions::environment)),
        run.flatMap(Run::model).or(() -> options.flatMap(RunOptions::model)),
        options.flatMap(it -> it.factory()).isPresent());
  }

  /// A stop without a run withdraws all queued deliveries of the conversation, also those of
  /// others.
  private boolean isOwn(Delivery delivery, Optional<Binding> target) {
    var actor = delivery.actor().id();
    if (delivery.intent() instanceof Intent.CancelMine) {
      return true;
    }
    return target
        .map(binding -> isRequester(binding, delivery))
        .orElseGet(
            () ->
                store
                    .<List<Pending<Delivery>>>commit(
                        work -> work.inbox().waiting(delivery.conversation()))
                    .stream()
                    .allMatch(waiting -> waiting.item().actor().id().equals(actor)));
  }

  /// Whether the sender may name runs in any place: then the rules for the run's place also apply.
  private boolean isFromElsewhere(Delivery delivery) {
    return namesElsewhere(delivery).isPresent();
  }

  /// Whether the sender is the run's requester, possibly acting from the console.
  boolean isRequester(Binding binding, Delivery delivery) {
    return isSender(binding.requester(), binding.conversation(), delivery);
  }

  /// Whether the sender is this person of the conversation's platform, possibly acting from the
  /// console. Another platform may give the same id to somebody else.
  boolean isSender(Actor person, Conversation conversation, Delivery delivery) {
    var isOnPlatform =
        surface(delivery).filter(it -> it.id().equals(conversation.surface())).isPresent();
    return (isOnPlatform && person.id().equals(delivery.actor().id()))
        || namesElsewhere(delivery)
            .filter(it -> it.contains(person.idOn(conversation.surface())))
            .isPresent();
  }

  /// Whether the sender's account on the conversation's platform is known.
  boolean hasAccountOn(Conversation conversation, Delivery delivery) {
    return delivery.id().surface().equals(conversation.surface())
        || namesElsewhere(delivery).stream()
            .flatMap(Set::stream)
            .anyMatch(it -> it.startsWith(conversation.surface() + ":"));
  }

  private Optional<Set<String>> namesElsewhere(Delivery delivery) {
    return surface(delivery).flatMap(it -> it.senders().names(delivery));
  }

  /// The permission that the intent needs; empty if everybody has it.
  static Optional<Permission> permission(Intent intent, Optional<Binding> target) {
    return switch (intent) {
      case Intent.Start _, Intent.New _ -> Optional.of(Permission.START);
      case Intent.Say _, Intent.SayTo _ ->
          Optional.of(target.map(AccessCheck::ofMessage).orElse(Permission.START));
      case Intent.Cancel _, Intent.CancelMine _, Intent.StopAt _ -> Optional.of(Permission.STOP);
      case Intent.Retry _ -> Optional.of(Permission.RETRY);
      case Intent.Status _, Intent.ListRuns _ -> Optional.of(Permission.READ);
      case Intent.Link _ -> Optional.of(Permission.LINK);
      case Intent.Linked(_, var inner) -> permission(inner, target);
      case Intent.Unclear(_, var work) ->
          work.isPresent() && target.isPresent()
              ? Optional.of(Permission.SAY)
              : Optional.<Permission>empty();
      case Intent.Help _, Intent.PlatformEvent _ -> Optional.empty();
      case Intent.Ask(var question) -> permission(question);
    };
  }

  private static Permission ofMessage(Binding run) {
    return run.awaitsAnswer() ? Permission.ANSWER : Permission.SAY;
  }

  private static Optional<Permission> permission(Question question) {
    return switch (question) {
      case Question.Configure change -> Optional.of(permission(change));
      case Question.ConfigureAll(var changes) ->
          changes.stream().map(AccessCheck::permission).max(Permission::compareTo);
      case Question.Usage _, Question.Doctor _, Question.Why _ -> Optional.of(Permission.READ);
      case Question.Compose(_, _, var answers) ->
          Optional.of(answers.isPresent() ? Permission.ANSWER : Permission.START);
      case Question.Listen _ -> Optional.of(Permission.SAY);
      case Question.Join _ -> Optional.of(Permission.START);
      case Question.Schedule _, Question.ChangeSchedule _ -> Optional.of(Permission.SCHEDULE);
      case Question.Schedules _ -> Optional.of(Permission.READ);
      case Question.Freeze _ -> Optional.of(Permission.FREEZE);
      // The rule that requires the approval says who may give it.
      case Question.Decide _ -> Optional.empty();
      case Question.Config _, Question.Home _, Question.Edit _ -> Optional.empty();
      case Question.Explain _, Question.WhoAmI _ -> Optional.empty();
    };
  }

  /// A person's own defaults matter only for runs that the person starts.
  private static Permission permission(Question.Configure change) {
    return change.level() == Question.Configure.Level.ME ? Permission.START : Permission.CONFIGURE;
  }
}
