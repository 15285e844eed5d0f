package dev.runnel.core.deliver;

import dev.runnel.core.decide.PullRequestStateUpdates;
import dev.runnel.core.decide.RetryPolicy;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.core.port.PostingLimits.EditBudget;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Surface;
import dev.runnel.core.recovery.OutageRecovery;
import dev.runnel.core.scope.Surfaces;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// Posts notices to their conversations, in order, each once.
public final class Courier {
  private static final Logger log = LoggerFactory.getLogger(Courier.class);

  /// Platforms limit reactions separately from posts; a pause for reactions must not delay posts.
  private static final String REACTIONS = ":signs";

  /// The default delay before another attempt to read a file from the run service.
  private static final Duration BETWEEN_READS = Duration.ofMinutes(1);

  private final Store store;
  private final Surfaces surfaces;
  private final RetryPolicy retries;
  private final Reminders reminders;
  private final OutageRecovery recovery;
  private final FileDelivery files;
  private final StatusEdits statusEdits = new StatusEdits();

  /// @param recovery is informed whether the platforms respond
  /// @param files uploads what agents hand over
  public Courier(
      Store store,
      Surfaces surfaces,
      RandomGenerator chance,
      Reminders reminders,
      OutageRecovery recovery,
      FileDelivery files) {
    this.files = files;
    this.recovery = recovery;
    this.reminders = reminders;
    this.store = store;
    this.surfaces = surfaces;
    this.retries = RetryPolicy.standard(chance);
  }

  /// Posts the conversation's notices that are due. Callers must run at most one step at a time for
  /// a conversation.
  ///
  /// @return number of notices processed
  public int step(Conversation conversation, Instant now) {
    var count = 0;
    for (var next = take(conversation, now); next.isPresent(); next = take(conversation, now)) {
      work(next.get(), now);
      recovery.wake(now);
      count++;
    }
    return count;
  }

  private record Next(Notice notice, Optional<PostRef> status) {}

  private Optional<Next> take(Conversation conversation, Instant now) {
    return store.commit(
        work ->
            next(work, conversation, now)
                .filter(notice -> mayPost(work, notice, now))
                .filter(notice -> work.outbox().begin(notice.id()))
                .map(notice -> new Next(withCurrentState(work, notice), status(work, notice))));
  }

  private Optional<Notice> next(Store.Work work, Conversation conversation, Instant now) {
    var next = work.outbox().next(conversation, now).map(Store.Pending::item);
    while (next.filter(notice -> isObsolete(work, notice) || isPaced(work, notice, now))
        .isPresent()) {
      next = work.outbox().next(conversation, now).map(Store.Pending::item);
    }
    return next;
  }

  /// Withdraws a notice that is outdated.
  private boolean isObsolete(Store.Work work, Notice notice) {
    var isObsolete =
        Reminders.isObsolete(work, notice)
            || StatusRefresh.isObsolete(work, notice)
            || isSuperseded(work, notice)
            || hasNoQuestion(work, notice)
            || surface(notice).filter(surface -> files.isObsolete(surface, notice)).isPresent();
    if (isObsolete) {
      work.outbox().withdraw(notice.id());
    }
    return isObsolete;
  }

  /// Whether it is a delayed edit, and the post already shows a later state.
  private static boolean isSuperseded(Store.Work work, Notice notice) {
    return notice.update() instanceof Update.Status(var run, _, _, _, _, _, _)
        && notice.tries() > 0
        && status(work, notice).isPresent()
        && work.outbox()
            .postedRun(notice.conversation(), run.id())
            .flatMap(Run::updatedAt)
            .filter(newest -> run.updatedAt().filter(newest::isAfter).isPresent())
            .isPresent();
  }

  /// Whether it closes a question that was not posted here.
  private static boolean hasNoQuestion(Store.Work work, Notice notice) {
    return notice.update() instanceof Update.QuestionClosed && status(work, notice).isEmpty();
  }

  /// Postpones an edit that only shows progress, if the post was edited shortly before. It then
  /// leaves the order of the conversation, so that it delays no other post.
  private boolean isPaced(Store.Work work, Notice notice, Instant now) {
    if (!(notice.update() instanceof Update.Status update)
        || notice.tries() > 0
        || status(work, notice).isEmpty()) {
      return false;
    }
    var earliest = budget(notice).map(it -> statusEdits.earliest(it, update, now)).orElse(now);
    if (!earliest.isAfter(now)) {
      return false;
    }
    work.outbox().withdraw(notice.id());
    work.outbox().addAt(earliest, notice);
    return true;
  }

  private Optional<Surface> surface(Notice notice) {
    return surfaces.find(notice.conversation().surface());
  }

  private Optional<EditBudget> budget(Notice notice) {
    return surface(notice).flatMap(surface -> surface.limits().editBudget(notice.conversation()));
  }

  /// Adds what is known only at the time of the post: the reactions that a new one replaces, the
  /// state that a status post shows until then, and the states of pull requests.
  private static Notice withCurrentState(Store.Work work, Notice notice) {
    if (!(notice.update() instanceof Update.Received(var message, var messageStatus, _))) {
      var update =
          notice.update() instanceof Update.Status status
              ? status.withShown(
                  work.outbox().shownRun(notice.conversation(), status.run().id()).map(Run::state))
              : notice.update();
      return notice.withUpdate(PullRequestStateUpdates.withPullRequestStates(work, update));
    }
    var before = new HashSet<>(work.outbox().reactions(notice.conversation(), message));
    before.remove(messageStatus);
    return notice.withUpdate(new Update.Received(message, messageStatus, before));
  }

  /// Whether the notice may be posted now: its surface is not on hold, and its platform asked for
  /// no pause or the reserved time has come. Otherwise it is postponed, which does not count as an
  /// attempt.
  private boolean mayPost(Store.Work work, Notice notice, Instant now) {
    var held = OutageRecovery.held(work, notice.conversation().surface());
    if (held.isPresent()) {
      postpone(work, notice, held.get(), now);
      return false;
    }
    var limit = limit(notice, status(work, notice).isPresent());
    if (limit.isEmpty()) {
      return true;
    }
    var earliest = work.limits().reserve(limit.get(), holder(notice), now);
    if (earliest.isAfter(now)) {
      work.outbox().postpone(notice.id(), earliest, "The platform asked to slow down");
      return false;
    }
    return true;
  }

  /// A status takes over the time that was reserved for the one that it replaces.
  private static String holder(Notice notice) {
    return notice.update() instanceof Update.Status status
        ? "status:" + status.run().id()
        : notice.id().value();
  }

  /// Postpones the notice until its platform accepts our credential again.
  private static void postpone(Store.Work work, Notice notice, String why, Instant now) {
    work.outbox()
        .postpone(
            notice.id(),
            OutageRecovery.nextCheck(now),
            why,
            notice.conversation().surface().value());
  }

  private Optional<String> limit(Notice notice, boolean isEdit) {
    return surface(notice)
        .map(Surface::limits)
        .map(
            limits ->
                notice.update() instanceof Update.Received
                    ? limits.editLimit(notice.conversation()) + REACTIONS
                    : isEdit
                        ? limits.editLimit(notice.conversation())
                        : limits.rateLimit(notice.conversation()));
  }

  /// The post that the notice edits.
  private static Optional<PostRef> status(Store.Work work, Notice notice) {
    if (notice.update() instanceof Update.QuestionClosed closed) {
      return work.outbox().questionPost(notice.conversation(), closed);
    }
    var update = StatusRefresh.statusIn(notice);
    if (update.isEmpty()) {
      return Optional.empty();
    }
    var run = update.get().run().id();
    var binding =
        work.bindings().of(notice.conversation()).filter(each -> each.run().id().equals(run));
    return binding.isPresent()
        ? binding.get().status()
        : work.outbox().statusPost(notice.conversation(), run);
  }

  private void work(Next next, Instant now) {
    var notice = next.notice();
    var surface = surface(notice);
    if (surface.isEmpty()) {
      park(notice, Surfaces.NOT_CONNECTED);
      return;
    }
    var posting = tryToPost(surface.get(), next, now);
    if (posting.isEmpty()) {
      return;
    }
    switch (posting.get()) {
      case Posting.Posted(var ref, _) -> posted(surface.get(), notice, ref, now);
      case Posting.Later(var after, var why) -> retryLater(next, after, why, now);
      case Posting.Undeliverable(var why) -> park(notice, why);
    }
  }

  /// @return empty if the notice waits for its surface's credential, or for its file
  private Optional<Posting> tryToPost(Surface surface, Next next, Instant now) {
    var notice = next.notice();
    try {
      return notice.update() instanceof Update.FileMade made
          ? tryToPostFile(surface, notice, made, now)
          : Optional.of(surface.post(notice, next.status().orElse(null)));
    } catch (CredentialRefused refused) {
      store.change(
          work -> {
            OutageRecovery.hold(work, surface.id(), refused.why(), now);
            postpone(work, notice, refused.why(), now);
          });
      return Optional.empty();
    } catch (RuntimeException broken) {
      log.error("unexpected error notice={} try={}", notice.id(), notice.tries() + 1, broken);
      return Optional.of(
          retries.afterError(notice.tries() + 1, now).isPresent()
              ? new Posting.Later(Optional.empty(), broken.toString())
              : postPlain(surface, notice, broken));
    } catch (StackOverflowError | LinkageError | AssertionError broken) {
      // Another try would end in the same way.
      log.error("unexpected error notice={} try={}", notice.id(), notice.tries() + 1, broken);
      return Optional.of(postPlain(surface, notice, broken));
    }
  }

  /// Posts the words of a notice that its surface cannot render, so that people are told at least.
  private static Posting postPlain(Surface surface, Notice notice, Throwable broken) {
    var plain = PlainNotice.of(notice.update());
    if (plain.isEmpty()) {
      return new Posting.Undeliverable(broken.toString());
    }
    try {
      var posting = surface.post(notice.withUpdate(plain.get()), null);
      log.error(
          "notice cannot be rendered, plain text posted notice={} result={}",
          notice.id(),
          posting.getClass().getSimpleName());
      return posting;
    } catch (CredentialRefused refused) {
      return new Posting.Later(Optional.empty(), refused.why());
    } catch (RuntimeException | StackOverflowError again) {
      log.error("unexpected error notice={} as=plain-text", notice.id(), again);
      return new Posting.Undeliverable(broken.toString());
    }
  }

  private Optional<Posting> tryToPostFile(
      Surface surface, Notice notice, Update.FileMade made, Instant now) {
    return switch (files.post(surface, notice, made)) {
      case FileDelivery.Result.Sent(var sent) -> Optional.of(sent);
      case FileDelivery.Result.Unread(var after, var why) -> {
        postponeFile(notice, after.orElse(BETWEEN_READS), why, now);
        yield Optional.empty();
      }
    };
  }

  private void posted(Surface surface, Notice notice, PostRef ref, Instant now) {
    recovery.answered(surface.id().value());
    store.change(
        work -> {
          work.outbox().posted(notice.id(), ref);
          if (notice.update() instanceof Update.Status status) {
            budget(notice).ifPresent(it -> statusEdits.posted(it, status, now));
            work.bindings().statusPosted(notice.conversation(), status.run().id(), ref);
          }
          reminders.plan(work, notice, now);
          StatusRefresh.plan(work, surface, notice, now);
        });
    // Status posts are edited often while a run works.
    log.atLevel(notice.update() instanceof Update.Status ? Level.DEBUG : Level.INFO)
        .log(
            "notice posted notice={} conversation={} update={}",
            notice.id(),
            notice.conversation(),
            notice.update().getClass().getSimpleName());
  }

  /// @param after the pause for which the platform asked; empty if it does not respond
  private void retryLater(Next next, Optional<Duration> after, String why, Instant now) {
    var notice = next.notice();
    var retryAt = retries.afterOutage(notice.tries() + 1, notice.createdAt(), after, now);
    if (retryAt.isEmpty()) {
      park(notice, why);
      return;
    }
    var at = retryAt.get();
    log.warn(
        "notice waits notice={} conversation={} try={} wait={} why={}",
        notice.id(),
        notice.conversation(),
        notice.tries() + 1,
        Duration.between(now, at),
        why);
    store.change(
        work -> {
          after.ifPresent(
              pause ->
                  limit(notice, next.status().isPresent())
                      .ifPresent(limit -> work.limits().hold(limit, now.plus(pause))));
          if (after.isEmpty()) {
            var platform = notice.conversation().surface().value();
            recovery.failed(platform);
            work.outbox().postpone(notice.id(), at, why, platform);
          } else {
            work.outbox().postpone(notice.id(), at, why);
          }
        });
  }

  /// Postpones a file that cannot be read now. It leaves the order of the conversation, so that it
  /// delays no other post, such as the end of its run.
  private void postponeFile(Notice notice, Duration after, String why, Instant now) {
    var next = retries.afterOutage(notice.tries() + 1, notice.createdAt(), Optional.of(after), now);
    if (next.isEmpty()) {
      park(notice, why);
      return;
    }
    log.warn("file waits notice={} why={}", notice.id(), why);
    store.change(
        work -> {
          if (notice.tries() == 0) {
            work.outbox().withdraw(notice.id());
            work.outbox().addAt(next.get(), notice);
          } else {
            // It may be uploaded already, so its number of attempts must be kept.
            work.outbox().postpone(notice.id(), next.get(), why);
          }
        });
  }

  private void park(Notice notice, String why) {
    log.error(
        "notice parked notice={} conversation={} why={}", notice.id(), notice.conversation(), why);
    store.change(
        work -> {
          work.outbox().park(notice.id(), why);
        });
  }
}
