package dev.runnel.surface.tracker;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Posts updates as comments of an issue: one status comment that is edited, new comments for
/// updates that should notify, a reaction as an acknowledgement, and, if configured, a label with
/// the run's state. Thread-safe.
public final class CommentPosts {
  private static final Logger log = LoggerFactory.getLogger(CommentPosts.class);
  // The possible difference between our clock and the tracker's.
  private static final Duration SKEW = Duration.ofHours(1);
  private static final int MAX_PAGES = 10;
  // An answer waits while the label before it is tried again.
  private static final int MAX_TRIES = 5;

  private final TrackerSettings settings;
  private final MarkdownPosts renderer;

  public CommentPosts(TrackerSettings settings, MarkdownPosts renderer) {
    this.settings = settings;
    this.renderer = renderer;
  }

  public <I> Posting post(
      IssueComments<I> comments, I issue, Notice notice, @Nullable PostRef status) {
    return switch (notice.update()) {
      // Reactions for other statuses would be added to this one, because it is never removed.
      case Update.Received(var message, var messageStatus, _) ->
          messageStatus == MessageStatus.TAKEN || messageStatus == MessageStatus.DELIVERED
              ? react(comments, issue, message, notice)
              : new Posting.Posted(message, notice.conversation());
      case Update.Status update -> {
        var posting = status(comments, issue, notice, status);
        yield posting instanceof Posting.Posted
            ? with(label(comments, issue, update), posting, notice)
            : posting;
      }
      case Update.QuestionClosed _ ->
          status == null
              ? posted(notice, new PostRef(notice.id().value()))
              : status(comments, issue, notice, status);
      case Update.FileMade _ -> throw new IllegalArgumentException("A tracker takes no files");
      case Update.Still _ -> status(comments, issue, notice, status);
      case Update.Blocked _,
          Update.Succeeded _,
          Update.Failed _,
          Update.Cancelled _,
          Update.Reminder _,
          Update.Message _,
          Update.Listed _,
          Update.Answered _,
          Update.Screened _,
          Update.Helped _ ->
          comment(comments, issue, notice);
    };
  }

  /// Acknowledges the message by a reaction. Optional: a failure is ignored.
  private static <I> Posting react(
      IssueComments<I> comments, I issue, PostRef message, Notice notice) {
    if (comments.isComment(message)
        && !(comments.react(issue, message) instanceof ApiResult.Done)) {
      log.debug("reaction not set notice={} conversation={}", notice.id(), notice.conversation());
    }
    return new Posting.Posted(message, notice.conversation());
  }

  /// The result of a posted status that a label or a status of the issue belongs to. After a
  /// temporary failure the status is posted again, which repeats only the edit and the failed call;
  /// after some tries, and after a permanent failure, the post is left without it.
  public static Posting with(Optional<ApiResult.Failure> failure, Posting posted, Notice notice) {
    if (failure.isEmpty()) {
      return posted;
    }
    if (failure.get() instanceof ApiResult.Busy busy && notice.tries() < MAX_TRIES) {
      return busy.posting();
    }
    log.warn(
        "state of the run not shown notice={} conversation={} why={}",
        notice.id(),
        notice.conversation(),
        failure.get().why());
    return posted;
  }

  /// Sets the state label, unless the status post already shows the state.
  private <I> Optional<ApiResult.Failure> label(
      IssueComments<I> comments, I issue, Update.Status update) {
    var state = update.run().state();
    if (!settings.stateLabels() || update.shown().equals(Optional.of(state))) {
      return Optional.empty();
    }
    var on = settings.trigger().state(state);
    var off =
        settings.trigger().states().stream()
            .filter(each -> on.filter(each::equals).isEmpty())
            .toList();
    return comments.label(issue, on, off).failure();
  }

  private <I> Posting status(
      IssueComments<I> comments, I issue, Notice notice, @Nullable PostRef status) {
    if (status == null || !comments.isComment(status)) {
      return comment(comments, issue, notice);
    }
    var text = renderer.render(notice.update(), notice.id());
    return switch (comments.edit(issue, status, text)) {
      case ApiResult.Done _ -> posted(notice, status);
      // The comment was deleted.
      case ApiResult.Gone _ -> comment(comments, issue, notice);
      case ApiResult.Failure failure -> failure.posting();
    };
  }

  private <I> Posting comment(IssueComments<I> comments, I issue, Notice notice) {
    if (notice.tries() > 0) {
      var earlier = findEarlier(comments, issue, notice);
      if (earlier.isPresent()) {
        return earlier.get();
      }
    }
    return switch (comments.add(issue, renderer.render(notice.update(), notice.id()))) {
      case ApiResult.Done(var comment) ->
          comments
              .ref(issue, comment)
              .map(ref -> posted(notice, ref))
              .orElseGet(
                  () ->
                      new Posting.Later(
                          Optional.empty(), "The tracker did not return the id of the comment"));
      case ApiResult.Failure failure -> failure.posting();
    };
  }

  /// Finds the comment of an earlier attempt to post the notice.
  ///
  /// @return the comment, or why it cannot be looked up; empty when there is none
  private static <I> Optional<Posting> findEarlier(
      IssueComments<I> comments, I issue, Notice notice) {
    var marker = Marker.of(notice.id());
    var since = notice.createdAt().minus(SKEW);
    for (var page = 1; page <= MAX_PAGES; page++) {
      switch (comments.since(issue, since, page)) {
        case ApiResult.Done(var list) -> {
          for (var comment : list) {
            var ref = comments.ref(issue, comment);
            var text = Json.text(comment, "body").orElse("");
            if (ref.isPresent() && text.contains(marker) && comments.mayBeOurs(comment)) {
              return Optional.of(posted(notice, ref.get()));
            }
          }
          if (list.size() < comments.pageSize()) {
            return Optional.empty();
          }
        }
        case ApiResult.Failure failure -> {
          return Optional.of(failure.posting());
        }
      }
    }
    return Optional.empty();
  }

  private static Posting posted(Notice notice, PostRef ref) {
    return new Posting.Posted(ref, notice.conversation());
  }
}
