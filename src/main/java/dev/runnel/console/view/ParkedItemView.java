package dev.runnel.console.view;

import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.port.Store.Parked;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// A parked item for the page.
///
/// Public because the templates are in another package.
///
/// @param queue `inbox` for deliveries, `outbox` for notices
/// @param link the message or issue; empty if it has no URL
/// @param since when it was parked, as an ISO timestamp
/// @param when how long ago that was, for people
public record ParkedItemView(
    String queue,
    String id,
    String what,
    String where,
    String link,
    String why,
    String since,
    String when) {
  /// Maximum number of items on the page.
  public static final int SHOWN = 100;

  public static final String INBOX = "inbox";
  public static final String OUTBOX = "outbox";
  private static final int MAX = 300;

  public static ParkedItemView ofDelivery(
      Parked<Delivery> parked, About about, UnaryOperator<String> redaction, Instant now) {
    var what =
        parked
            .item()
            .map(each -> each.actor().name() + ": " + words(each.intent()))
            .orElse("A message that cannot be read");
    return view(
        INBOX,
        parked,
        redaction.apply(what),
        parked.item().map(Delivery::origin),
        about,
        redaction,
        now);
  }

  public static ParkedItemView ofNotice(
      Parked<Notice> parked, About about, UnaryOperator<String> redaction, Instant now) {
    var what = parked.item().map(each -> words(each.update())).orElse("A post that cannot be read");
    return view(
        OUTBOX,
        parked,
        redaction.apply(what),
        parked.item().map(Notice::origin),
        about,
        redaction,
        now);
  }

  private static ParkedItemView view(
      String queue,
      Parked<?> parked,
      String what,
      Optional<Origin> origin,
      About about,
      UnaryOperator<String> redaction,
      Instant now) {
    return new ParkedItemView(
        queue,
        parked.id(),
        what.length() > MAX ? what.substring(0, MAX) + " …" : what,
        about.platform(parked.conversation()) + " " + parked.conversation().key(),
        origin
            .flatMap(Origin::link)
            .map(URI::toString)
            .flatMap(ConsoleSurface::web)
            .map(URI::toString)
            .orElse(""),
        redaction.apply(parked.why()),
        parked.since().toString(),
        RunView.ago(Duration.between(parked.since(), now)));
  }

  private static String words(Intent intent) {
    return switch (intent) {
      case Intent.ForAgent forAgent -> forAgent.request().text();
      case Intent.Cancel _ -> "stop";
      case Intent.Status _ -> "status";
      case Intent.Retry _ -> "retry";
      case Intent.ListRuns _ -> "list";
      case Intent.Help _ -> "help";
      case Intent.Amend _ -> "a correction of an earlier message";
      case Intent.PullRequestChanged _, Intent.PullRequestNeeds _ -> "a change of a pull request";
      case Intent.StopAt _ -> "stop, by a reaction";
      case Intent.Link _ -> "link";
      case Intent.Linked(_, var command) -> words(command);
      case Intent.CancelMine _ -> "stop all my runs";
      case Intent.Ask _ -> "a question to Runnel";
      case Intent.Unclear _ -> "a message that was not understood";
    };
  }

  private static String words(Update update) {
    return switch (update) {
      case Update.Status(var run, _, _, _, _, _, _) -> "The status of " + title(run);
      case Update.Still(var status) -> words(status);
      case Update.Blocked(var run, _, var question) ->
          "A question of %s: %s".formatted(title(run), question);
      case Update.QuestionClosed(var run, _, _, _) -> "The answer to a question of " + title(run);
      case Update.Succeeded(var run, _, _, _) -> "The answer of " + title(run);
      case Update.Failed(var run, _, var why, _) -> "%s failed: %s".formatted(title(run), why);
      case Update.Cancelled(var run, _, _, _) -> title(run) + " was stopped";
      case Update.Reminder(var run, _, var question, _, _, _) ->
          "A reminder of a question of %s: %s".formatted(title(run), question);
      case Update.FileMade(var run, _, var file, _) ->
          "The file %s of %s".formatted(file.name(), title(run));
      case Update.Message(_, var text, _) -> text;
      case Update.Listed _ -> "The list of runs";
      case Update.Answered(_, var infoCard) -> infoCard.title();
      case Update.Screened _ -> "A page or a form";
      case Update.Helped _ -> "The help";
      case Update.Received _ -> "The reaction that shows the status of a message";
    };
  }

  private static String title(Run run) {
    return run.title().isBlank() ? "an untitled run" : "“" + run.title() + "”";
  }
}
