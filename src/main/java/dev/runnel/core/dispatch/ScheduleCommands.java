package dev.runnel.core.dispatch;

import dev.runnel.core.command.CommandParser;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Snapshot;
import dev.runnel.core.port.Store.Schedules.Schedule;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.scope.ConversationScope;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.core.text.AnswerFormatter;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/// Creates, lists and changes the schedules of a place.
record ScheduleCommands(Surfaces surfaces, AttemptResults results) {
  /// Maximum number per person and surface.
  private static final int MAX_SCHEDULES = 20;

  private static final InfoCard.Next LIST = new InfoCard.Next("Schedules here", "schedule");
  private static final Duration MAX_AHEAD = Duration.ofDays(366);
  private static final int ID_LENGTH = 8;
  private static final int MAX_EXCERPT = 120;
  private static final ZoneId UTC = ZoneOffset.UTC;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("EEE d MMM yyyy HH:mm", Locale.ENGLISH);

  /// @param note why this zone was chosen; empty if it is in the command
  private record Zone(ZoneId id, String note) {}

  void create(DeliveryAttempt attempt, Question.Schedule asked) {
    var zone = zone(attempt.delivery(), asked.zone());
    results.complete(
        attempt.noting(("to create a schedule " + asked.timing().words()).strip()),
        work -> create(work, attempt, asked, zone));
  }

  private Zone zone(Delivery delivery, Optional<ZoneId> named) {
    return named
        .map(id -> new Zone(id, ""))
        .or(
            () ->
                Optional.ofNullable(surfaces.byId().get(delivery.id().surface()))
                    .flatMap(it -> it.senders().timeZone(delivery))
                    .map(id -> new Zone(id, ", your time zone")))
        .orElseGet(
            () ->
                new Zone(
                    UTC,
                    ", because I don't know your time zone: write it after the time if needed, as"
                        + " in `at 9:00 Europe/Berlin`"));
  }

  private static void create(
      Work work, DeliveryAttempt attempt, Question.Schedule asked, Zone zone) {
    var delivery = attempt.delivery();
    var request =
        asked.request().or(() -> work.bindings().of(delivery.conversation()).map(Binding::request));
    var first = asked.timing().first(attempt.now(), zone.id());
    var problem =
        request.isEmpty()
            ? Optional.of(
                InfoCard.sentence(
                    "There is no run here to repeat. Write it in the thread of a run."))
            : problem(work, delivery, first, attempt.now());
    if (problem.isPresent()) {
      attempt.respond(work, problem.get());
      return;
    }
    var schedule =
        new Schedule(
            UUID.randomUUID().toString().substring(0, ID_LENGTH),
            template(delivery, request.get()),
            asked.timing(),
            zone.id(),
            Optional.of(first));
    work.schedules().add(schedule);
    attempt.respond(
        work,
        changed(
            "New schedule",
            "%s scheduled `%s` %s %s (%s%s)."
                .formatted(
                    delivery.actor().name(),
                    shown(request.get()),
                    asked.timing().repeats() ? asked.timing().words() + ", first" : "once,",
                    TIME.format(first.atZone(zone.id())),
                    name(zone.id()),
                    zone.note()),
            new InfoCard.Choice("Delete", "schedule delete " + schedule.id())));
  }

  private static InfoCard changed(String title, String sentence, InfoCard.Choice undo) {
    return new InfoCard(title, List.of(InfoCard.Row.sentence(sentence)), List.of())
        .withChoices(List.of(undo));
  }

  private static Optional<InfoCard> problem(
      Work work, Delivery delivery, Instant first, Instant now) {
    if (!first.isAfter(now)) {
      return Optional.of(InfoCard.sentence("That time has passed."));
    }
    if (Duration.between(now, first).compareTo(MAX_AHEAD) > 0) {
      return Optional.of(
          InfoCard.sentence("That is too far ahead: a schedule begins within a year."));
    }
    var own =
        work.schedules().of(delivery.conversation().surface()).stream()
            .filter(each -> each.template().actor().id().equals(delivery.actor().id()))
            .count();
    return own < MAX_SCHEDULES
        ? Optional.empty()
        : Optional.of(
            InfoCard.sentence(
                    "You have %d schedules, which is the maximum.".formatted(MAX_SCHEDULES))
                .withNext(List.of(LIST)));
  }

  /// The delivery that each occurrence repeats. A schedule from a place without a thread opens a
  /// thread each time; one from a thread starts another run in it.
  private static Delivery template(Delivery delivery, Request request) {
    var opensThread = delivery.origin().replyTo().isPresent();
    return new Delivery(
        delivery.id(),
        delivery.meaning(),
        delivery.conversation(),
        delivery.actor(),
        opensThread ? new Intent.Start(request) : new Intent.New(request),
        true,
        new Origin(delivery.origin().link(), Optional.empty(), Optional.empty(), opensThread),
        delivery.arrivedAt(),
        // The issue is read again each time.
        Snapshot.NONE);
  }

  void list(DeliveryAttempt attempt) {
    results.complete(
        attempt,
        work ->
            attempt.add(
                work,
                new Update.Answered(
                    attempt.delivery().actor(), card(here(work, attempt.delivery())))));
  }

  private static List<Schedule> here(Work work, Delivery delivery) {
    var place = ConversationScope.here(delivery.conversation());
    return work.schedules().of(delivery.conversation().surface()).stream()
        .filter(each -> ConversationScope.isIn(each.template().conversation(), place))
        .toList();
  }

  private static InfoCard card(List<Schedule> schedules) {
    if (schedules.isEmpty()) {
      return new InfoCard(
          "Schedules",
          List.of(InfoCard.Row.sentence("There are none here.")),
          List.of(
              new InfoCard.Next(
                  "To create one", "schedule every weekday at 9:00 check the nightly build")));
    }
    var id = schedules.getFirst().id();
    return new InfoCard(
        "Schedules",
        schedules.stream()
            .map(
                each ->
                    InfoCard.Row.of(
                        each.id(),
                        shown(each.template().intent().agentRequest().orElse(Request.of(""))),
                        "%s by %s".formatted(when(each), each.template().actor().name())))
            .toList(),
        List.of(
            new InfoCard.Next("To pause one", "schedule pause " + id),
            new InfoCard.Next("To delete one", "schedule delete " + id)));
  }

  private static String when(Schedule schedule) {
    var next =
        schedule
            .next()
            .map(it -> "next " + TIME.format(it.atZone(schedule.zone())))
            .orElse("paused");
    var words = schedule.timing().words();
    return "%s%s (%s)".formatted(words.isEmpty() ? "" : words + ", ", next, name(schedule.zone()));
  }

  void change(DeliveryAttempt attempt, Question.ChangeSchedule asked) {
    results.complete(
        attempt.noting(
            "to %s the schedule %s"
                .formatted(asked.change().name().toLowerCase(Locale.ROOT), asked.id())),
        work -> {
          var found =
              here(work, attempt.delivery()).stream()
                  .filter(each -> each.id().startsWith(asked.id()))
                  .toList();
          if (found.size() == 1) {
            change(work, attempt, found.getFirst(), asked.change());
          } else {
            attempt.respond(
                work,
                InfoCard.sentence(
                        found.isEmpty()
                            ? "I can't find the schedule `%s` here.".formatted(asked.id())
                            : "Several schedules begin with `%s`. Write more of the id."
                                .formatted(asked.id()))
                    .withNext(List.of(LIST)));
          }
        });
  }

  private static void change(
      Work work,
      DeliveryAttempt attempt,
      Schedule schedule,
      Question.ChangeSchedule.Change change) {
    var by = attempt.delivery().actor().name();
    switch (change) {
      case PAUSE -> {
        work.schedules().setNext(schedule.id(), Optional.empty());
        attempt.respond(
            work,
            changed(
                "Paused schedule",
                "%s paused the schedule `%s`.".formatted(by, shown(schedule)),
                new InfoCard.Choice("Resume", "schedule resume " + schedule.id())));
      }
      case DELETE -> {
        work.schedules().remove(schedule.id());
        attempt.respondToAll(work, "%s deleted the schedule `%s`.".formatted(by, shown(schedule)));
      }
      case RESUME -> {
        var next = schedule.timing().first(attempt.now(), schedule.zone());
        if (!next.isAfter(attempt.now())) {
          attempt.respond(work, "Its time has passed. Delete it and create another one.");
          return;
        }
        work.schedules().setNext(schedule.id(), Optional.of(next));
        attempt.respondToAll(
            work,
            "%s resumed the schedule `%s`, next %s (%s)."
                .formatted(
                    by,
                    shown(schedule),
                    TIME.format(next.atZone(schedule.zone())),
                    name(schedule.zone())));
      }
    }
  }

  private static String shown(Schedule schedule) {
    return shown(schedule.template().intent().agentRequest().orElse(Request.of("")));
  }

  private static String shown(Request request) {
    return CommandParser.code(
        AnswerFormatter.cut(AnswerFormatter.line(request.text()), MAX_EXCERPT));
  }

  private static String name(ZoneId zone) {
    return zone.equals(UTC) ? "UTC" : zone.getId();
  }
}
