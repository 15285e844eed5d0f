package dev.runnel.core.model;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.NameCheck;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/// One entry of the audit log: who did what, where, and why that was allowed or refused.
///
/// @param place where the action was requested; empty for actions on Runnel itself
/// @param rule the rule or the reason that decided: `default` where none is configured
/// @param environment where the run's agent works
/// @param cost the run's cost, as the run service reports it
/// @param details what was decided or changed, in a few words; never the value of a setting
@RecordBuilder
public record AuditEntry(
    Instant at,
    Person who,
    Verb verb,
    Optional<Conversation> place,
    Verdict verdict,
    String rule,
    Optional<RunId> run,
    Optional<String> environment,
    Optional<String> model,
    Optional<String> cost,
    String details)
    implements AuditEntryBuilder.With {
  /// The rule of an action that no configured rule decides.
  public static final String DEFAULT_RULE = "default";

  public enum Verdict {
    ALLOWED,
    REFUSED,
    WAITS;

    /// As stored: `allowed`.
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public enum Verb {
    START,
    SAY,
    ANSWER,
    STOP,
    RETRY,
    READ,
    CONFIGURE,
    LINK,
    SCHEDULE,
    APPROVE,
    FREEZE,
    SIGN_IN,
    SIGN_OUT,
    DISCARD,
    /// A run ended, by itself or after a stop.
    END,
    SETTINGS,
    KEY,
    FORGET,
    BACKUP;

    /// As stored: `sign-in`.
    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /// Who acted, and through which surface.
  ///
  /// @param id the stable id with its surface: `slack:U012345`
  /// @param name the display name
  /// @param team the workspace, the account or the group: `T012AB`, `acme`
  /// @param surface the surface of the action: `slack`, `console`, `command-line`
  public record Person(
      String id,
      String name,
      Optional<String> team,
      SurfaceId surface,
      Optional<DeliveryId> delivery) {
    /// Runnel itself.
    public static final Person RUNNEL =
        new Person("runnel", "Runnel", Optional.empty(), new SurfaceId("runnel"), Optional.empty());

    public Person {
      NameCheck.require("person's id", id);
    }

    /// The sender of a delivery.
    public static Person of(Delivery delivery) {
      var surface = delivery.id().surface();
      return new Person(
          delivery.actor().idOn(surface),
          delivery.actor().name(),
          team(delivery.conversation()),
          surface,
          Optional.of(delivery.id()));
    }

    /// A person as a conversation knows them.
    public static Person of(Conversation conversation, Actor actor) {
      return new Person(
          actor.idOn(conversation.surface()),
          actor.name(),
          team(conversation),
          conversation.surface(),
          Optional.empty());
    }

    /// The first part of the conversation's key.
    private static Optional<String> team(Conversation conversation) {
      int end = conversation.key().indexOf('/');
      return end > 0 ? Optional.of(conversation.key().substring(0, end)) : Optional.empty();
    }
  }

  /// An allowed action that is about no run.
  public static AuditEntry of(Instant at, Person who, Verb verb, String details) {
    return new AuditEntry(
        at,
        who,
        verb,
        Optional.empty(),
        Verdict.ALLOWED,
        DEFAULT_RULE,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        details);
  }

  /// A copy with this decision.
  public AuditEntry decided(Verdict now, String by) {
    return with(it -> it.verdict(now).rule(by));
  }

  /// A copy about the run.
  public AuditEntry about(Run known) {
    return with(
        it ->
            it.run(Optional.of(known.id()))
                .environment(known.environment())
                .model(known.model())
                .cost(known.cost()));
  }

  /// A copy about a run of which only the id is known.
  public AuditEntry about(RunId id) {
    return withRun(Optional.of(id));
  }

  /// A copy in the conversation.
  public AuditEntry in(Conversation conversation) {
    return withPlace(Optional.of(conversation));
  }
}
