package dev.runnel.console.view;

import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.console.detail.RunFacts;
import dev.runnel.console.markup.MarkdownHtml;
import dev.runnel.console.transcript.Transcripts;
import dev.runnel.core.model.ApiRuns;
import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.text.AnswerChoices;
import dev.runnel.core.text.RunTexts;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// A run for the pages.
///
/// Public because the templates are in another package.
///
/// @param binding empty for a run that was started through the API, and for an earlier one of a
///   thread, which is read-only here
/// @param permitted what the visitor may do with a run that was started through the API; unused for
///   other runs, whose forms everybody sees and the policy judges when they are sent
public record RunView(Run run, Optional<Binding> binding, Instant now, Set<Permission> permitted) {
  private static final int MAX_MESSAGE = 20_000;

  public static RunView of(Binding binding, Instant now) {
    return new RunView(binding.run(), Optional.of(binding), now, Set.of());
  }

  public static RunView unbound(Run run, Instant now) {
    return new RunView(run, Optional.empty(), now, Set.of());
  }

  public RunView {
    permitted = Set.copyOf(permitted);
  }

  /// A copy for a visitor.
  public RunView permitting(Set<Permission> permissions) {
    return new RunView(run, binding, now, permissions);
  }

  /// Whether no thread or issue asked for it.
  public boolean isOfApi() {
    return run.delivery().isEmpty() && inThread().isEmpty();
  }

  /// The binding to a thread or an issue, or to its start in the console. A run of the API has
  /// none: its binding only says that somebody wrote to it.
  private Optional<Binding> inThread() {
    return binding.filter(each -> each.place().isPresent());
  }

  /// Where messages to it go; empty if none can be sent from here.
  public Optional<Conversation> place() {
    return isOfApi()
        ? Optional.of(ApiRuns.conversation(run.id()))
        : binding.map(Binding::conversation);
  }

  /// Whether both render the same page.
  public boolean isSameAs(RunView other) {
    return run.equals(other.run) && isActive() == other.isActive();
  }

  /// What a row of it shows, besides its message and times that pass.
  List<Object> shown() {
    return List.of(
        kind(),
        word(),
        title(),
        requester(),
        isFromHere(),
        placeLink(),
        since(),
        isActive() ? "" : elapsed(),
        artifacts());
  }

  public String path() {
    return RunFacts.path(run.id());
  }

  public String title() {
    return run.title().isBlank() ? "Untitled run" : run.title();
  }

  /// The state to show: a reopened run is queued, whatever state was last read.
  public RunState state() {
    return isActive() && run.state().isTerminal() ? RunState.QUEUED : run.state();
  }

  public String word() {
    return state() == run.state() ? RunTexts.state(run) : "queued";
  }

  /// A symbol for places without images, such as a window's title.
  public String sign() {
    return switch (state()) {
      case QUEUED, RUNNING, UNKNOWN -> "●";
      case BLOCKED -> "?";
      case SUCCEEDED -> "✓";
      case FAILED -> "✗";
      case CANCELLED -> "■";
    };
  }

  public boolean isActive() {
    return binding.map(Binding::isActive).orElseGet(() -> !run.state().isTerminal());
  }

  /// Whether it was started on these pages.
  public boolean isFromHere() {
    return binding
        .filter(each -> each.conversation().surface().equals(ConsoleSurface.ID))
        .isPresent();
  }

  public String requester() {
    return inThread().map(each -> each.requester().name()).orElse("");
  }

  /// The message or issue it began with; empty if it has no URL.
  public String placeLink() {
    return inThread().flatMap(each -> each.origin().link()).map(RunView::web).orElse("");
  }

  /// The run service's page of it; empty if that is this page.
  public String session() {
    return run.session()
        .filter(link -> !path().equals(link.getPath()))
        .map(RunView::web)
        .orElse("");
  }

  private static String web(URI link) {
    return ConsoleSurface.web(link.toString()).map(URI::toString).orElse("");
  }

  /// The results that have a web link.
  public List<Artifact> artifacts() {
    return run.artifacts().stream().filter(each -> !web(each.link()).isEmpty()).toList();
  }

  /// When it was requested, by this machine's clock; empty if unknown.
  public String since() {
    return inThread().map(each -> each.since().toString()).orElse("");
  }

  /// How long it has taken so far, or took in total.
  public String elapsed() {
    if (isActive()) {
      return inThread().map(each -> between(each.since(), now)).orElse("");
    }
    return run.runTime()
        .map(RunTexts::elapsed)
        .or(
            () ->
                inThread().flatMap(each -> run.updatedAt().map(end -> between(each.since(), end))))
        .orElse("");
  }

  private static String between(Instant since, Instant end) {
    return RunTexts.elapsed(Duration.between(since, end));
  }

  /// How long ago it was requested.
  public String when() {
    return inThread().map(each -> Duration.between(each.since(), now)).map(RunView::ago).orElse("");
  }

  /// How long ago something was: `5 min ago`.
  public static String ago(Duration since) {
    if (since.toMinutes() < 1) {
      return "just now";
    }
    if (since.toHours() < 1) {
      return since.toMinutes() + " min ago";
    }
    return since.toDays() < 1 ? since.toHours() + " h ago" : since.toDays() + " d ago";
  }

  /// The service's latest message as HTML: progress, a question, the answer, or the reason for a
  /// failure, with the Markdown of the agent; empty if there is none.
  public String messageHtml() {
    return run.message()
        .filter(text -> !text.isBlank())
        .map(text -> MarkdownHtml.of(Transcripts.inShort(text, MAX_MESSAGE)))
        .orElse("");
  }

  /// A choice of the run's question.
  ///
  /// @param action the value of the button that gives it
  public record Choice(String text, String action) {}

  /// The choices of the run's question; empty if it has none.
  public List<Choice> choices() {
    return AskedQuestion.of(run)
        .filter(_ -> may(Permission.ANSWER))
        .filter(_ -> binding.filter(Binding::reopened).isEmpty())
        .map(
            asked ->
                AnswerChoices.of(run.message().orElse("")).choices().stream()
                    .map(each -> new Choice(each, ConsoleSurface.answerAction(asked, each)))
                    .toList())
        .orElse(List.of());
  }

  /// The row of it that a page keeps up to date.
  public LiveRow row(Templates pages) {
    return new LiveRow(run.id().value(), shown(), "", () -> pages.runItem(this));
  }

  public String cost() {
    return run.cost().orElse("");
  }

  public boolean canReply() {
    return may(state() == RunState.BLOCKED ? Permission.ANSWER : Permission.SAY);
  }

  public boolean canStop() {
    return may(Permission.STOP) && isActive();
  }

  /// Not for a run of the API, whose whole request is not known here.
  public boolean canRetry() {
    return inThread().isPresent() && !isActive();
  }

  /// Whether the page has a form, which the buttons also need.
  public boolean canAct() {
    return Stream.of(Permission.SAY, Permission.ANSWER, Permission.STOP).anyMatch(this::may);
  }

  private boolean may(Permission permission) {
    return isOfApi() ? permitted.contains(permission) : binding.isPresent();
  }

  public String conversation() {
    return place().map(Conversation::id).orElse("");
  }

  /// The CSS class: `running`.
  public String kind() {
    return state().name().toLowerCase(Locale.ROOT);
  }
}
