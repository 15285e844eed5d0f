package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.text.RunTexts;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BoundedCaches;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.markdown.Markdown;
import dev.runnel.surface.tracker.MarkdownPosts;
import dev.runnel.text.Truncation;
import java.net.URI;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Posts updates as the activities of an agent session. Linear derives the session's state from the
/// last activity: a thought or an action means working, an elicitation waiting, a response or an
/// error done. See https://linear.app/developers/agent-interaction. Thread-safe.
final class LinearSessions {
  private static final Logger log = LoggerFactory.getLogger(LinearSessions.class);
  private static final int MAX = 60_000;
  private static final int MAX_LINE = 300;
  private static final int MAX_REMEMBERED = 1_000;

  private final LinearApi api;
  private final MarkdownPosts comments;
  // These prevent calls that would change nothing.
  private final Map<String, URI> linked = BoundedCaches.map(MAX_REMEMBERED);
  private final Map<String, LinearPlan> planned = BoundedCaches.map(MAX_REMEMBERED);

  LinearSessions(LinearApi api, MarkdownPosts comments) {
    this.api = api;
    this.comments = comments;
  }

  private enum Kind {
    THOUGHT,
    ACTION,
    ELICITATION,
    RESPONSE,
    ERROR;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// @param ephemeral whether the next activity replaces it
  private record Activity(Kind kind, String text, boolean ephemeral) {
    ObjectNode content() {
      var content = Json.object().put("type", kind.word());
      return kind == Kind.ACTION
          ? content.put("action", "Working").put("parameter", text)
          : content.put("body", Truncation.cut(text, MAX));
    }
  }

  Posting post(String session, Notice notice) {
    var activity = activity(notice);
    if (notice.update() instanceof Update.Status(Run run, _, _, _, _, _, _)) {
      RunTexts.session(run).ifPresent(url -> link(session, url));
    }
    LinearPlan.after(notice.update()).ifPresent(plan -> plan(session, plan));
    var posted = new Posting.Posted(LinearId.session(session), notice.conversation());
    if (activity.isEmpty()) {
      return posted;
    }
    var id = LinearId.of(notice.id());
    if (notice.tries() > 0) {
      switch (api.activity(id)) {
        case ApiResult.Done _ -> {
          return posted;
        }
        case ApiResult.Busy busy -> {
          return busy.posting();
        }
        case ApiResult.Gone _, ApiResult.Refused _ -> {}
      }
    }
    var content = activity.get();
    return switch (api.act(id, session, content.content(), content.ephemeral())) {
      case ApiResult.Done _ -> posted;
      case ApiResult.Failure failure -> failure.posting();
    };
  }

  /// Sets the session's link. Optional: a failure is ignored.
  private void link(String session, URI url) {
    if (url.equals(linked.put(session, url))) {
      return;
    }
    if (!(api.link(session, "Session", url) instanceof ApiResult.Done)) {
      linked.remove(session);
      log.debug("link not set session={}", session);
    }
  }

  /// Sets the session's plan. Optional: a failure is ignored.
  private void plan(String session, LinearPlan plan) {
    if (plan.equals(planned.put(session, plan))) {
      return;
    }
    if (!(api.plan(session, plan.steps()) instanceof ApiResult.Done)) {
      planned.remove(session);
      log.debug("plan not set session={}", session);
    }
  }

  private static String nextStep(Run run, boolean retryable) {
    if (run.isOverBudget()) {
      return "";
    }
    return retryable
        ? "Another try may work: reply `retry`, or say what to do differently."
        : "Retrying as is will probably fail again. Reply with what to do differently.";
  }

  /// @return empty when an activity would give the session a wrong state
  private Optional<Activity> activity(Notice notice) {
    return switch (notice.update()) {
      // Later states of the run have activities of their own.
      case Update.Received(_, MessageStatus messageStatus, _) ->
          Optional.of(new Activity(Kind.THOUGHT, "On it.", true))
              .filter(
                  _ ->
                      messageStatus == MessageStatus.TAKEN
                          || messageStatus == MessageStatus.DELIVERED);
      case Update.Status status -> progress(status);
      case Update.Still(Update.Status status) -> progress(status);
      // An activity cannot be changed; the answer is the session's next one.
      case Update.QuestionClosed _, Update.FileMade _ -> Optional.empty();
      case Update.Blocked(_, _, String question) ->
          Optional.of(permanent(Kind.ELICITATION, inert(question)));
      case Update.Succeeded succeeded -> Optional.of(answer(succeeded));
      case Update.Failed(Run run, _, String why, boolean retryable) ->
          Optional.of(
              permanent(
                  Kind.ERROR,
                  MarkdownPosts.paragraphs(inert(why), links(run), nextStep(run, retryable))));
      case Update.Cancelled(Run run, _, _, var unread) ->
          Optional.of(
              permanent(
                  Kind.RESPONSE,
                  MarkdownPosts.paragraphs(
                      "Stopped.",
                      links(run),
                      MarkdownPosts.unread(unread),
                      "Reply to continue, or `retry` to start again.")));
      case Update.Reminder reminder ->
          Optional.of(permanent(Kind.ELICITATION, inert(reminder.question())));
      case Update.Message(_, String text, _) -> Optional.of(permanent(Kind.RESPONSE, inert(text)));
      case Update.Listed _, Update.Answered _, Update.Helped _, Update.Screened _ ->
          Optional.of(
              permanent(
                  Kind.RESPONSE, withoutMarker(comments.render(notice.update(), notice.id()))));
    };
  }

  private static Activity permanent(Kind kind, String text) {
    return new Activity(kind, text, false);
  }

  /// While the run waits or after it has ended, its last activity must stay the last.
  private static Optional<Activity> progress(Update.Status status) {
    var run = status.run();
    if (!run.state().isInProgress()) {
      return Optional.empty();
    }
    var message =
        run.message()
            .map(text -> Markdown.inertLine(text, MAX_LINE))
            .filter(text -> !text.isEmpty())
            .orElse("");
    var name = Markdown.plain(RunTexts.name(run), MAX_LINE);
    var elapsed = RunTexts.elapsed(run.elapsed(status.since(), status.at()));
    return Optional.of(
        run.state() == RunState.RUNNING && !message.isEmpty()
            ? new Activity(Kind.ACTION, message + " · " + elapsed, true)
            : new Activity(
                Kind.THOUGHT, MarkdownPosts.paragraphs(name + " · " + elapsed, message), true));
  }

  private static Activity answer(Update.Succeeded succeeded) {
    var run = succeeded.run();
    var time = run.elapsed(succeeded.since(), succeeded.at());
    return permanent(
        Kind.RESPONSE,
        MarkdownPosts.paragraphs(
            run.message().map(LinearSessions::inert).orElse("Done. The agent left no message."),
            links(run),
            "Took "
                + RunTexts.elapsed(time)
                + run.cost().map(cost -> " · cost " + Markdown.plain(cost, MAX_LINE)).orElse("")));
  }

  private static String inert(String text) {
    return Markdown.inert(Truncation.head(text.strip(), MAX), false);
  }

  private static String links(Run run) {
    return run.artifacts().stream()
        .limit(10)
        .map(each -> "- [%s](<%s>)".formatted(label(each), each.link().toASCIIString()))
        .collect(Collectors.joining("\n"));
  }

  private static String label(Artifact artifact) {
    return artifact.label().isBlank()
        ? (artifact.pullRequest() ? "Pull request" : "Open")
        : Markdown.plain(artifact.label(), MAX_LINE);
  }

  private static String withoutMarker(String post) {
    return post.substring(0, post.lastIndexOf("<!--")).strip();
  }
}
