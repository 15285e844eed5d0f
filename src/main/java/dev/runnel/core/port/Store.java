package dev.runnel.core.port;

import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryTrace;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Subscriber;
import dev.runnel.core.model.Timing;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.ListCopies;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.PullRequest;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/// Durable storage for deliveries, bindings and notices.
///
/// @implSpec Thread-safe. A commit is all or nothing, and durable when it returns.
public interface Store {
  /// Runs the step in one transaction. The step must do no I/O of its own, because it may be run
  /// again.
  <T> T commit(Function<Work, T> step);

  /// [#commit] for steps without a result.
  default void change(Consumer<Work> step) {
    var _ =
        commit(
            work -> {
              step.accept(work);
              return true;
            });
  }

  /// Stores a delivery. May share its transaction with others; returns once that is durable. A
  /// delivery that was parked is retried when it is resent.
  ///
  /// @return false if the delivery or its semantic key is already known and there is nothing to do
  boolean accept(Delivery delivery);

  /// The same without waiting. What depends on the result must not wait.
  default CompletableFuture<Boolean> acceptLater(Delivery delivery) {
    try {
      return CompletableFuture.completedFuture(accept(delivery));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /// The same for a delivery whose memory is counted.
  ///
  /// @param released called once when the store no longer holds the delivery, which may be after
  ///   the future was completed
  default CompletableFuture<Boolean> acceptLater(Delivery delivery, Runnable released) {
    return acceptLater(delivery).whenComplete((_, _) -> released.run());
  }

  /// Whether the conversation has a run, or may be about to get one. May return true for a while
  /// after its run was released, but never returns false while a start is pending on any node.
  default boolean mayHaveRun(Conversation conversation) {
    return commit(work -> mayHaveRun(work, conversation));
  }

  /// The same without waiting. What depends on the result must not wait.
  default CompletableFuture<Boolean> mayHaveRunLater(Conversation conversation) {
    try {
      return CompletableFuture.completedFuture(mayHaveRun(conversation));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /// The order of the three checks matters, because a start moves between them: from the place
  /// where its thread is opened, to the thread, to the binding.
  static boolean mayHaveRun(Work work, Conversation conversation) {
    return work.inbox().waitingInPlace(conversation).stream()
            .anyMatch(each -> each.item().origin().opensThread())
        || !work.inbox().waiting(conversation).isEmpty()
        || work.bindings().of(conversation).isPresent();
  }

  /// Reads without a transaction, possibly from a slightly stale cache: for display, and to decide
  /// whether a commit is worthwhile.
  <T> T read(Function<Bindings, T> question);

  /// The defaults that people set in any of the places.
  default List<Preferences.Preference> preferences(Set<String> places) {
    return commit(work -> work.preferences().of(places));
  }

  /// The surfaces whose platform does not accept our credential, with the reason.
  default Map<SurfaceId, String> holds() {
    return commit(work -> work.holds().all());
  }

  /// The repositories within one transaction.
  interface Work {
    Inbox inbox();

    Bindings bindings();

    Outbox outbox();

    Limits limits();

    Holds holds();

    /// Makes all rows due that wait for the service.
    void wake(String service);

    Preferences preferences();

    PullRequests pullRequests();

    Issues issues();

    Approvals approvals();

    Starts starts();

    Schedules schedules();

    Audit audit();
  }

  /// The audit log. Entries can only be added, and are committed together with the effect that they
  /// describe.
  interface Audit {
    void add(AuditEntry entry);
  }

  /// A row that waits for its worker.
  ///
  /// @param tries number of attempts begun
  record Pending<T>(T item, int tries, Instant dueAt) {}

  /// A row that was parked after its retries. A person may retry or discard it; it is discarded
  /// after a while.
  ///
  /// @param item empty when the row cannot be read
  record Parked<T>(
      String id, Conversation conversation, Optional<T> item, String why, Instant since) {}

  /// Rows that wait for their worker, by conversation.
  ///
  /// @param <I> the type of their ids
  interface Queue<I, T> {
    /// The next row, if it is due.
    Optional<Pending<T>> next(Conversation conversation, Instant now);

    /// When the next row is due.
    Optional<Instant> due(Conversation conversation);

    /// Counts an attempt. Must be committed before the effect is attempted.
    ///
    /// @return false if the row does not wait any more
    boolean begin(I id);

    /// Postpones the next attempt.
    void postpone(I id, Instant dueAt, String why);

    /// The same, and [Work#wake] makes it due earlier.
    void postpone(I id, Instant dueAt, String why, String service);

    /// Makes a postponed row due now.
    void makeDue(I id, String why);

    /// Parks the row; a person may inspect and retry it.
    void park(I id, String why);

    /// The parked rows, newest first.
    List<Parked<T>> parked(int limit);

    /// Makes a parked row due now. Its number of attempts is kept.
    ///
    /// @return false when it is not parked
    boolean retry(I id);

    /// Discards a parked row.
    ///
    /// @return false when it is not parked
    boolean discard(I id);
  }

  /// The delivery queue. Within a conversation, deliveries are processed in the order of arrival,
  /// with two exceptions: those that overtake come first, and messages are processed in the order
  /// in which they were sent, as long as none of them was attempted.
  interface Inbox extends Queue<DeliveryId, Delivery> {
    /// @return false if its id or its semantic key is known
    boolean offer(Delivery delivery);

    /// The conversation's unfinished deliveries that do not overtake, in order.
    List<Pending<Delivery>> waiting(Conversation conversation);

    /// The same for all conversations in the conversation's place.
    List<Pending<Delivery>> waitingInPlace(Conversation conversation);

    /// The beginning of the note of a delivery that was refused.
    String REFUSED = "to refuse it: ";

    /// The latest stops of the conversation's own run that were processed and not refused.
    List<Delivery> stops(Conversation conversation);

    /// Whether this attempt still owns the delivery; false if another node took it over, or the
    /// delivery was finished or moved.
    ///
    /// @param tries number of attempts, this one included
    boolean isOwner(DeliveryId id, Conversation conversation, int tries);

    /// Whether it is neither done nor parked.
    boolean isWaiting(DeliveryId id);

    /// Stores the run's state before a follow-up to it is attempted.
    void saveRunBefore(DeliveryId id, Run before);

    /// The run that [#saveRunBefore] stored last; empty if nothing was attempted.
    Optional<Run> runBefore(DeliveryId id);

    /// How many finished deliveries of its conversation had the same text; parts of a joined
    /// delivery do not count.
    int countSameText(Delivery delivery);

    void done(DeliveryId id);

    /// Stores the decision, for the command `why`.
    void note(DeliveryId id, String note);

    /// The history of a message, or of a conversation's latest deliveries; newest first.
    ///
    /// @param meaning the semantic key of the message
    List<DeliveryTrace> traces(Conversation conversation, Optional<String> meaning, int limit);

    /// Records that the parts are sent together with a delivery, as one message; they stay
    /// unfinished until it is finished.
    ///
    /// @param whole the delivery, with the text of all parts
    void join(Delivery whole, List<Delivery> parts);

    /// The deliveries that were joined to it, in order and with their original text.
    List<Delivery> joined(DeliveryId whole);

    /// The delivery with a semantic key.
    Optional<Known> findByMeaning(SurfaceId surface, String meaning);

    /// @param waits whether it is still pending: not done, not parked and not yet sent to a run
    /// @param tries number of attempts begun
    record Known(Delivery delivery, boolean waits, int tries) {}

    /// The deliveries accepted in the conversation between two instants, by our clock.
    List<Delivery> acceptedBetween(Conversation conversation, Instant from, Instant to);

    /// The instant up to which all messages of the surface are known; empty before the first check.
    Optional<Instant> readThrough(SurfaceId surface);

    void readThrough(SurfaceId surface, Instant through);

    /// Discards a parked delivery; its id and semantic key stay known.
    @Override
    boolean discard(DeliveryId id);

    /// Replaces an unfinished delivery, for example by a copy in the thread opened for it. Its
    /// number of attempts is reset.
    void replace(Delivery delivery);
  }

  /// The bindings of conversations to runs. A conversation has one current run, and may have
  /// earlier ones.
  interface Bindings {
    /// The conversation's current binding.
    Optional<Binding> of(Conversation conversation);

    /// The run's binding, current or earlier.
    Optional<Binding> of(RunId run);

    /// All bindings whose run may still change.
    List<Binding> active();

    int countActive();

    boolean hasActive();

    /// The latest bindings, newest first.
    ///
    /// @param place only conversations whose key starts with it; empty for all
    List<Binding> recent(Optional<SurfaceId> surface, String place, int limit);

    /// The bindings whose run's id starts with the characters, in no order.
    List<Binding> startingWith(String id, int limit);

    /// Writes if the binding has not changed since it was read. Version 0 makes its run the
    /// conversation's current one, and the previous run an earlier one.
    ///
    /// @return false if another writer changed it
    boolean save(Binding binding);

    /// Removes the run's binding to the conversation.
    void release(Conversation conversation, RunId run);

    /// Stores the reference of this run's status post.
    void statusPosted(Conversation conversation, RunId run, PostRef status);
  }

  /// The queue of notices. Within a conversation they are posted in order. A newer status or
  /// reaction replaces an unposted one. Reactions, and notices added with a due time, do not block
  /// other notices.
  interface Outbox extends Queue<NoticeId, Notice> {
    /// A notice whose id is known is not added again. A status that replaces a delayed one and
    /// differs from it in progress only keeps the due time.
    void add(Notice notice);

    /// Adds a notice to be posted at `due`. A new reminder replaces a waiting one.
    void addAt(Instant due, Notice notice);

    /// Removes an unposted notice.
    void withdraw(NoticeId id);

    /// The reactions that a message may have: the last one set, and those attempted since.
    Set<MessageStatus> reactions(Conversation conversation, PostRef message);

    void posted(NoticeId id, PostRef ref);

    /// The status post of a run that is no longer the conversation's current one.
    Optional<PostRef> statusPost(Conversation conversation, RunId run);

    /// The newest post in the conversation that asks the question.
    Optional<PostRef> questionPost(Conversation conversation, Update.QuestionClosed closed);

    /// Where a question is asked.
    ///
    /// @param postedAt when people could first see it there; empty while it still waits to be
    ///   posted
    record Asked(Conversation conversation, Optional<Instant> postedAt) {}

    /// The posts of the run's current question, including earlier questions with the same text, but
    /// not the parked ones.
    List<Asked> asked(Run run);

    /// The run's state in its status post once all queued notices are posted; empty if there is no
    /// such post, or its notice was parked.
    Optional<Run> postedRun(Conversation conversation, RunId run);

    /// The run as its status post shows it now; empty if there is no such post.
    Optional<Run> shownRun(Conversation conversation, RunId run);

    /// Makes a parked notice due now, or discards it if it is a status that a newer one has
    /// followed. Its number of attempts is kept.
    @Override
    boolean retry(NoticeId id);
  }

  /// Rate limits of the platforms. A limit restricts nothing until its platform asks for a pause;
  /// during the pause and soon after, its users are scheduled one by one, on all nodes.
  interface Limits {
    /// When the holder may use the limit: `now`, or the time that is reserved for it.
    ///
    /// @param holder what asks again at that time: a notice, the status of a run, or a delivery
    Instant reserve(String limit, String holder, Instant now);

    /// Blocks the limit until that time.
    void hold(String limit, Instant until);

    /// The pauses that platforms asked for and that are not over, by limit.
    Map<String, Instant> paused(Instant now);
  }

  /// The surfaces whose platform does not accept our credential: their work is on hold, on all
  /// nodes.
  interface Holds {
    /// The reason by surface, in a sentence that names the remedy.
    Map<SurfaceId, String> all();

    /// Replaces an earlier reason.
    void hold(SurfaceId surface, String why, Instant since);

    void lift(SurfaceId surface);
  }

  /// The pull requests that runs opened, not those they only mention, and the people there to
  /// notify of the run's end. A pull request is known as soon as a binding is saved whose run
  /// reports it with its branch.
  interface PullRequests {
    /// The run that reported it first.
    Optional<RunId> opener(PullRequest pullRequest);

    /// Pull requests of a repository that a run opened and that are not known to be merged or
    /// closed, in no order.
    List<PullRequest> open(URI repository);

    /// Stores the state of a pull request, unless a later state is stored.
    ///
    /// @param at when, by the platform's clock
    /// @return whether the state changed
    boolean saveState(PullRequest pullRequest, PullRequestState state, Instant at);

    /// The state of a pull request; empty if none was reported.
    Optional<PullRequestState> state(PullRequest pullRequest);

    /// @param isSent whether it was sent to the run
    record FollowUp(DeliveryId delivery, boolean isSent) {}

    /// Adds a follow-up that nobody addressed to Runnel.
    ///
    /// @param cause the deduplication key within the pull request
    /// @return false if there is one with this cause
    boolean addFollowUp(PullRequest pullRequest, String cause, DeliveryId delivery);

    /// Those of the pull request, in no order.
    List<FollowUp> followUps(PullRequest pullRequest);

    /// Records that the follow-up was sent to the run.
    ///
    /// @return its pull request; empty if the delivery is no such follow-up, or was recorded before
    Optional<PullRequest> markFollowUpSent(DeliveryId delivery);

    /// The subscribers to the run's next end; empty if only its own thread is to be notified, as
    /// usual.
    List<Subscriber> subscribers(RunId run);

    /// Adds a subscriber, or replaces the conversation's earlier one.
    void subscribe(RunId run, Subscriber subscriber);

    /// Removes the conversation's subscriber.
    void unsubscribe(RunId run, Conversation conversation);

    /// Removes all subscribers, because the end was posted.
    void unsubscribeAll(RunId run);
  }

  /// The issues that runs work on, and the conversations that take part in a run of another one. An
  /// issue is named by its own conversation.
  interface Issues {
    /// @param conversation where the run is, or is about to be
    /// @param delivery the request that started it, or is about to
    record Claim(Conversation conversation, DeliveryId delivery) {}

    /// Claims the issue, if nobody has.
    ///
    /// @return whose it is now
    Claim claim(Conversation issue, Claim claim);

    /// Replaces a claim.
    ///
    /// @return false if another writer replaced it
    boolean replace(Conversation issue, Claim before, Claim now);

    /// That a conversation takes part in a run of another one, or may be about to.
    ///
    /// @param request the semantic key of the delivery that waits until somebody chooses whether
    ///   the conversation takes part; empty if it does
    record Participation(RunId run, Optional<String> request) {}

    Optional<Participation> participation(Conversation conversation);

    /// Adds or replaces the conversation's participation.
    void join(Conversation conversation, Participation participation);

    void leave(Conversation conversation);
  }

  /// Starts that wait until somebody approves them.
  interface Approvals {
    enum State {
      WAITING,
      APPROVED,
      DECLINED,
      EXPIRED
    }

    /// @param id short, for people
    /// @param requester who requested the run
    /// @param rule the name of the rule that requires the approval
    /// @param by the groups or people who may decide; empty in rows of older versions
    /// @param notRequester whether the requester may not decide
    /// @param request the request with all its options
    /// @param decidedBy the display name of whoever decided
    record Approval(
        String id,
        DeliveryId delivery,
        Conversation conversation,
        Actor requester,
        String rule,
        List<String> by,
        boolean notRequester,
        Request request,
        Instant askedAt,
        Instant expiresAt,
        State state,
        Optional<String> decidedBy) {
      public Approval {
        by = ListCopies.of(by);
      }
    }

    /// Adds one that waits. One that is known is not added again.
    void add(Approval approval);

    Optional<Approval> of(DeliveryId delivery);

    /// Those whose id begins with the characters, newest first.
    List<Approval> startingWith(String id);

    /// Those that wait, oldest first.
    ///
    /// @param conversation empty for all
    List<Approval> waiting(Optional<Conversation> conversation);

    /// @param by who decided; empty if nobody did in time
    /// @return false if it does not wait any more
    boolean decide(DeliveryId delivery, State state, Optional<Actor> by, Instant at);
  }

  /// The starts of runs, for budgets and usage. How long a run worked and what it cost is known as
  /// soon as its binding is saved.
  interface Starts {
    /// @param person the stable id, with the platform: `slack:U012345`
    /// @param place the channel or repository: `slack:T012AB/C012345`
    /// @param environment empty if it has none
    record Start(
        DeliveryId delivery, String person, String place, String environment, Instant at) {}

    /// @param time how long agents worked
    /// @param micros the known cost in millionths of the service's currency
    /// @param unpriced how long agents worked whose cost is not known
    /// @param since the time of the oldest counted start; empty if there is none
    record Sum(long runs, Duration time, long micros, Duration unpriced, Optional<Instant> since) {}

    /// A stop of all starts.
    ///
    /// @param by with the platform in the id: `slack:U012345`
    record Freeze(Actor by, Optional<String> reason, Instant since) {}

    /// Locks the starts until the commit, on all nodes, so that sums do not change before a start
    /// is added.
    void lock();

    /// Adds a start. One that is known is not added again.
    void add(Start start);

    Optional<Start> find(DeliveryId delivery);

    default boolean isKnown(DeliveryId delivery) {
      return find(delivery).isPresent();
    }

    /// Stores how long the run of a start has worked and what it has cost so far. Does nothing if
    /// there is no such start.
    ///
    /// @param micros the cost in millionths of the service's currency
    void saveUsage(DeliveryId delivery, String run, Duration time, long micros);

    /// Removes a start that did not happen.
    void remove(DeliveryId delivery);

    /// Whether the person never started a run.
    boolean isFirst(String person);

    /// The starts since a time that match all conditions.
    Sum sum(
        Optional<String> person,
        Optional<String> place,
        Optional<String> environment,
        Instant since);

    Optional<Freeze> freeze();

    void freeze(Freeze freeze);

    /// @return false if starts were not frozen
    boolean unfreeze();
  }

  /// Schedules that people made in conversations.
  interface Schedules {
    /// @param id short, for people
    /// @param template the delivery of each occurrence, except for its ids and its arrival
    /// @param next empty while it is paused
    record Schedule(
        String id, Delivery template, Timing timing, ZoneId zone, Optional<Instant> next) {}

    /// Adds one. Its id must be new.
    void add(Schedule schedule);

    /// Those of a surface, oldest first, without those that a newer version wrote.
    List<Schedule> of(SurfaceId surface);

    /// The schedule that has been due longest.
    Optional<Schedule> due(Instant now);

    /// Moves the schedule from an occurrence that is handled to the next one.
    ///
    /// @param next empty to remove the schedule, because there is no other occurrence
    /// @return false if another node did, or somebody changed the schedule meanwhile
    boolean advance(String id, Instant planned, Optional<Instant> next);

    /// @param next empty to pause it
    void setNext(String id, Optional<Instant> next);

    void remove(String id);
  }

  /// Defaults that people set for themselves or for a place.
  interface Preferences {
    /// @param place where it applies: `slack:T1/C1`
    /// @param by the stable id of the person who set it
    record Preference(String place, String key, String value, String by, Instant at) {}

    List<Preference> of(Set<String> places);

    void set(Preference preference);

    /// @return false if it was not set
    boolean unset(String place, String key);
  }
}
