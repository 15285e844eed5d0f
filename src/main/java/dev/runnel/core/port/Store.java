package dev.runnel.core.port;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.DeliveryTrace;
import dev.runnel.core.model.MessageStatus;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.NoticeId;
import dev.runnel.core.model.PostRef;
import dev.runnel.core.model.PullRequest;
import dev.runnel.core.model.Run;
import dev.runnel.core.model.RunId;
import dev.runnel.core.model.Subscriber;
import dev.runnel.core.model.SurfaceId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/// What outlives a crash: deliveries, bindings, notices.
///
/// @implSpec Thread-safe. A commit is all or nothing, and durable when it returns.
public interface Store {
  /// Runs the step in one transaction. The step does no I/O of its own and may be run again.
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

  /// Keeps a delivery. May share its transaction with others; returns after that is durable. One
  /// that was given up is tried again when it is sent again.
  ///
  /// @return false when the delivery, or what it says, is known already and there is nothing to do
  boolean accept(Delivery delivery);

  /// Whether the conversation has a run, or may be about to have one. May say yes for a while after
  /// its run was released, and never says no too early, whichever node the start is on.
  default boolean mayHaveRun(Conversation conversation) {
    return commit(work -> mayHaveRun(work, conversation));
  }

  /// The order counts, because a start moves on between the questions: from the place where its
  /// thread is opened, to the thread, to the binding.
  static boolean mayHaveRun(Work work, Conversation conversation) {
    return work.inbox().waitingNear(conversation).stream()
            .anyMatch(each -> each.item().origin().opensThread())
        || !work.inbox().waiting(conversation).isEmpty()
        || work.bindings().of(conversation).isPresent();
  }

  /// Reads without a transaction, perhaps from a cache that is a moment behind: to decide whether a
  /// commit is worth it, and to show.
  <T> T read(Function<Bindings, T> question);

  /// The defaults that people set for any of the places.
  default List<Preferences.Preference> preferences(Set<String> places) {
    return commit(work -> work.preferences().of(places));
  }

  /// The surfaces whose platform does not accept our credential, and why.
  default Map<SurfaceId, String> holds() {
    return commit(work -> work.holds().all());
  }

  /// One transaction's view.
  interface Work {
    Inbox inbox();

    Bindings bindings();

    Outbox outbox();

    Limits limits();

    Holds holds();

    /// Makes all due that waits for a service.
    void wake(String service);

    Preferences preferences();

    PullRequests pullRequests();
  }

  /// A row that waits for its worker.
  ///
  /// @param tries how often the work was begun
  record Pending<T>(T item, int tries, Instant dueAt) {}

  /// A row that was given up. A person may have it tried again, or drop it; after a while it is
  /// dropped.
  ///
  /// @param item empty when the row cannot be read
  record Parked<T>(
      String id, Conversation conversation, Optional<T> item, String why, Instant since) {}

  /// Deliveries. Inside a conversation they are worked on in the order of their arrival, except
  /// that those that overtake come first, and that what people say one after the other comes in the
  /// order in which they said it, as long as none of it was begun.
  interface Inbox {
    /// @return false when either key is known
    boolean offer(Delivery delivery);

    /// The delivery whose turn it is, if it is due.
    Optional<Pending<Delivery>> next(Conversation conversation, Instant now);

    /// When there is something to do next.
    Optional<Instant> due(Conversation conversation);

    /// Undone work of the conversation that does not overtake, in its order.
    List<Pending<Delivery>> waiting(Conversation conversation);

    /// The same of all conversations in the conversation's place.
    List<Pending<Delivery>> waitingNear(Conversation conversation);

    /// The latest stops of the conversation's own run that were worked on, and so admitted.
    List<Delivery> stops(Conversation conversation);

    /// Counts a try, before its effect is attempted.
    void begin(DeliveryId id);

    /// Whether the turn that was begun as this try goes on; false when another node took it over,
    /// or its delivery ended or moved.
    ///
    /// @param tries this one included
    boolean holds(DeliveryId id, Conversation conversation, int tries);

    /// Whether it is not done, nor parked.
    boolean isWaiting(DeliveryId id);

    /// Keeps how the run stood before a follow-up to it is attempted.
    void sees(DeliveryId id, Run before);

    /// What [#sees] kept last; empty when nothing was attempted.
    Optional<Run> seen(DeliveryId id);

    /// How many done deliveries of its conversation carried the same words; what was said as a part
    /// of another was not said by itself.
    int saidBefore(Delivery delivery);

    void done(DeliveryId id);

    /// Keeps what was decided, for those who ask why.
    void note(DeliveryId id, String note);

    /// What became of a message, or of the latest of a conversation; newest first.
    ///
    /// @param meaning the semantic key of the message
    List<DeliveryTrace> traces(Conversation conversation, Optional<String> meaning, int limit);

    void later(DeliveryId id, Instant dueAt, String why);

    /// The same, and [Work#wake] makes it due before.
    void later(DeliveryId id, Instant dueAt, String why, String service);

    /// Gives up; a person may look at it and retry it.
    void park(DeliveryId id, String why);

    /// Keeps that the parts are said together with a delivery, as one; they still wait, until it
    /// ends.
    ///
    /// @param whole the delivery, with the words of all
    void join(Delivery whole, List<Delivery> parts);

    /// What was joined to it, in its order, as it was said.
    List<Delivery> joined(DeliveryId whole);

    /// What was said under a semantic key.
    Optional<Known> known(SurfaceId surface, String meaning);

    /// @param waits whether it is not done, given up, or said to a run already
    /// @param tries how often it was begun
    record Known(Delivery delivery, boolean waits, int tries) {}

    /// What was accepted in the conversation between two instants, by our clock.
    List<Delivery> heard(Conversation conversation, Instant from, Instant to);

    /// Up to when all is known that was said on the surface; empty before the first time.
    Optional<Instant> heardThrough(SurfaceId surface);

    void heardThrough(SurfaceId surface, Instant through);

    /// What was given up, the newest first.
    List<Parked<Delivery>> parked(int limit);

    /// Makes a parked one due now. It remembers whether it was tried.
    ///
    /// @return false when it is not parked
    boolean retry(DeliveryId id);

    /// Drops a parked one; it stays known.
    ///
    /// @return false when it is not parked
    boolean discard(DeliveryId id);

    /// Replaces an undone delivery, for example by itself in the thread opened for it. Its tries
    /// start again.
    void replace(Delivery delivery);
  }

  /// Which conversation belongs to which run. A conversation has one current run, and perhaps
  /// earlier ones.
  interface Bindings {
    /// Its current run's.
    Optional<Binding> of(Conversation conversation);

    /// Also an earlier one's.
    Optional<Binding> of(RunId run);

    /// All whose run may still change.
    List<Binding> active();

    int countActive();

    /// The newest first.
    ///
    /// @param place only conversations whose key starts with it; empty for all
    List<Binding> recent(Optional<SurfaceId> surface, String place, int limit);

    /// Those whose run's id begins with the characters, in no order.
    List<Binding> startingWith(String id, int limit);

    /// Writes if nobody else wrote since the binding was read; version 0 makes its run the
    /// conversation's current one, and the run it had before an earlier one.
    ///
    /// @return false when the compare was lost
    boolean save(Binding binding);

    /// The run is the conversation's no more.
    void release(Conversation conversation, RunId run);

    /// Keeps where the status post of this run is.
    void statusPosted(Conversation conversation, RunId run, PostRef status);
  }

  /// Notices, posted in order inside a conversation. An unposted status or sign gives way to a
  /// newer one. Signs and what has a time of its own hold nothing up.
  interface Outbox {
    /// A notice whose id is known is not added again.
    void add(Notice notice);

    /// Adds a notice that waits for its time. A reminder takes the place of one that waits.
    void addAt(Instant due, Notice notice);

    /// Drops a notice that waits.
    void withdraw(NoticeId id);

    /// What signs a message may carry: the last one that was set, and those that were begun since.
    Set<MessageStatus> signs(Conversation conversation, PostRef message);

    Optional<Pending<Notice>> next(Conversation conversation, Instant now);

    Optional<Instant> due(Conversation conversation);

    /// Counts a try, before its effect is attempted.
    void begin(NoticeId id);

    void posted(NoticeId id, PostRef ref);

    /// Where the status post of a run is that its conversation no longer goes by.
    Optional<PostRef> statusPost(Conversation conversation, RunId run);

    /// The run as its status post shows it, or will when all that waits is posted; empty when there
    /// is no such post, or its notice was parked.
    Optional<Run> shown(Conversation conversation, RunId run);

    void later(NoticeId id, Instant dueAt, String why);

    /// The same, and [Work#wake] makes it due before.
    void later(NoticeId id, Instant dueAt, String why, String service);

    void park(NoticeId id, String why);

    /// What was given up, the newest first.
    List<Parked<Notice>> parked(int limit);

    /// Makes a parked one due now; drops a status that a newer one has followed. It remembers
    /// whether it was tried.
    ///
    /// @return false when it is not parked
    boolean retry(NoticeId id);

    /// Drops a parked one.
    ///
    /// @return false when it is not parked
    boolean discard(NoticeId id);
  }

  /// What the platforms asked for with "slow down". A limit is free until its platform asks for a
  /// pause; what wants to use it during the pause and soon after takes turns, on all nodes.
  interface Limits {
    /// When the holder may use the limit: `now`, or the turn that is kept for it.
    ///
    /// @param holder the id of a notice or a delivery; it asks again when its turn has come
    Instant turn(String limit, String holder, Instant now);

    /// Nobody uses the limit before that.
    void hold(String limit, Instant until);
  }

  /// The surfaces whose platform does not accept our credential: their work waits, on all nodes.
  interface Holds {
    /// Why, in a sentence that says what to do.
    Map<SurfaceId, String> all();

    /// Takes the place of an earlier reason.
    void hold(SurfaceId surface, String why, Instant since);

    void lift(SurfaceId surface);
  }

  /// The pull requests that runs opened, not those they only mention. One is known as soon as a
  /// binding is saved whose run shows it with its branch; and who waits there for what becomes of
  /// the run.
  interface PullRequests {
    /// The run that showed it first.
    Optional<RunId> opener(PullRequest pullRequest);

    /// Who waits for the run's next end; nobody where that is its own thread alone, as usual.
    List<Subscriber> askers(RunId run);

    /// One more waits, or the same conversation asks again.
    void asks(RunId run, Subscriber subscriber);

    /// The conversation waits no more.
    void leaves(RunId run, Conversation conversation);

    /// The end was told.
    void answered(RunId run);
  }

  /// Defaults that people set for themselves or for a place.
  interface Preferences {
    /// @param place where it holds: `slack:T1/C1`
    /// @param by who set it, by the stable id
    record Preference(String place, String key, String value, String by, Instant at) {}

    List<Preference> of(Set<String> places);

    void set(Preference preference);

    /// @return false when there is none
    boolean unset(String place, String key);
  }
}
