package dev.runnel.testkit;

import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryTrace;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Screen;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Store;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A store in memory, for tests that run a story many thousand times. It keeps the same contract as
/// the real one, but for outliving the process.
public final class MemoryStore implements Store {
  private enum State {
    WAITS,
    DONE,
    PARKED
  }

  /// @param item the delivery or notice
  private record Row<T>(
      T item,
      long seq,
      State state,
      int tries,
      Instant dueAt,
      @Nullable PostRef post,
      @Nullable Run seen,
      @Nullable String why,
      @Nullable DeliveryId partOf,
      boolean aside) {
    Row(T item, long seq, Instant dueAt) {
      this(item, seq, dueAt, false);
    }

    Row(T item, long seq, Instant dueAt, boolean aside) {
      this(item, seq, State.WAITS, 0, dueAt, null, null, null, null, aside);
    }

    Row<T> joined(DeliveryId whole) {
      return new Row<>(item, seq, state, tries, dueAt, post, seen, why, whole, aside);
    }

    Row<T> saying(T words) {
      return new Row<>(words, seq, state, tries, dueAt, post, seen, why, partOf, aside);
    }

    Row<T> at(long place) {
      return new Row<>(item, place, state, tries, dueAt, post, seen, why, partOf, aside);
    }

    Row<T> with(State now) {
      return new Row<>(item, seq, now, tries, dueAt, post, seen, null, partOf, aside);
    }

    Row<T> parked(String reason) {
      return new Row<>(item, seq, State.PARKED, tries, dueAt, post, seen, reason, partOf, aside);
    }

    Row<T> due(Instant at, String reason) {
      return new Row<>(item, seq, state, tries, at, post, seen, reason, partOf, aside);
    }

    Row<T> begun() {
      return new Row<>(item, seq, state, tries + 1, dueAt, post, seen, why, partOf, aside);
    }

    Row<T> having(Run run) {
      return new Row<>(item, seq, state, tries, dueAt, post, run, why, partOf, aside);
    }

    Pending<T> pending() {
      return new Pending<>(item, tries, dueAt);
    }
  }

  // All guarded by this.
  private Map<DeliveryId, Row<Delivery>> inbox = new LinkedHashMap<>();
  private Map<NoticeId, Row<Notice>> outbox = new LinkedHashMap<>();
  private Map<Conversation, Binding> bindings = new LinkedHashMap<>();
  private Map<RunId, Binding> aside = new LinkedHashMap<>();
  private Map<DeliveryId, String> notes = new LinkedHashMap<>();
  private Map<String, Preferences.Preference> preferences = new LinkedHashMap<>();
  private MemoryPullRequests pullRequests = new MemoryPullRequests();
  private MemoryIssues issues = new MemoryIssues();
  private MemorySchedules schedules = new MemorySchedules();
  private Map<SurfaceId, Instant> heardThrough = new LinkedHashMap<>();
  private MemoryLimits limits = new MemoryLimits();
  private MemoryHolds holds = new MemoryHolds();
  private MemoryApprovals approvals = new MemoryApprovals();
  private MemoryStarts starts = new MemoryStarts();
  private Map<Object, String> waitsFor = new LinkedHashMap<>();
  private final List<AuditEntry> audit = new ArrayList<>();
  private long seq;

  @Override
  public synchronized <T> T commit(Function<Work, T> step) {
    var inboxBefore = new LinkedHashMap<>(inbox);
    var outboxBefore = new LinkedHashMap<>(outbox);
    var bindingsBefore = new LinkedHashMap<>(bindings);
    var asideBefore = new LinkedHashMap<>(aside);
    var notesBefore = new LinkedHashMap<>(notes);
    var preferencesBefore = new LinkedHashMap<>(preferences);
    var heardBefore = new LinkedHashMap<>(heardThrough);
    var limitsBefore = limits.copy();
    var holdsBefore = holds.copy();
    var approvalsBefore = approvals.copy();
    var startsBefore = starts.copy();
    var waitsForBefore = new LinkedHashMap<>(waitsFor);
    var pullRequestsBefore = pullRequests.copy();
    var issuesBefore = issues.copy();
    var schedulesBefore = schedules.copy();
    var auditBefore = audit.size();
    try {
      return step.apply(new Transaction());
    } catch (RuntimeException | Error e) {
      inbox = inboxBefore;
      outbox = outboxBefore;
      bindings = bindingsBefore;
      aside = asideBefore;
      notes = notesBefore;
      preferences = preferencesBefore;
      heardThrough = heardBefore;
      limits = limitsBefore;
      holds = holdsBefore;
      approvals = approvalsBefore;
      starts = startsBefore;
      waitsFor = waitsForBefore;
      pullRequests = pullRequestsBefore;
      issues = issuesBefore;
      schedules = schedulesBefore;
      audit.subList(auditBefore, audit.size()).clear();
      throw e;
    }
  }

  @Override
  public boolean accept(Delivery delivery) {
    return commit(work -> work.inbox().offer(delivery) || work.inbox().retry(delivery.id()));
  }

  @Override
  public synchronized <T> T read(Function<Bindings, T> question) {
    return question.apply(new Bonds());
  }

  /// Conversations with waiting deliveries.
  public synchronized List<Conversation> withDeliveries() {
    return inbox.values().stream()
        .filter(row -> row.state() == State.WAITS)
        .map(row -> row.item().conversation())
        .distinct()
        .toList();
  }

  /// Conversations with waiting notices.
  public synchronized List<Conversation> withNotices() {
    return outbox.values().stream()
        .filter(row -> row.state() == State.WAITS)
        .map(row -> row.item().conversation())
        .distinct()
        .toList();
  }

  public synchronized boolean isWaiting(DeliveryId id) {
    var row = inbox.get(id);
    return row != null && row.state() == State.WAITS;
  }

  /// How many rows were given up.
  public synchronized int parked() {
    return (int)
        (inbox.values().stream().filter(row -> row.state() == State.PARKED).count()
            + outbox.values().stream().filter(row -> row.state() == State.PARKED).count());
  }

  /// The audit log.
  public synchronized List<AuditEntry> audit() {
    return List.copyOf(audit);
  }

  /// All there is, in words that are the same for the same rows.
  @Override
  public synchronized String toString() {
    return String.join(
        "\n",
        inbox.toString(),
        outbox.values().toString(),
        bindings.toString(),
        aside.toString(),
        limits + "" + holds,
        approvals + " " + starts);
  }

  private final class Transaction implements Work {
    @Override
    public Inbox inbox() {
      return new In();
    }

    @Override
    public Bindings bindings() {
      return new Bonds();
    }

    @Override
    public Outbox outbox() {
      return new Out();
    }

    @Override
    public Limits limits() {
      return limits;
    }

    @Override
    public Holds holds() {
      return holds;
    }

    @Override
    public void wake(String service) {
      wake(inbox, service);
      wake(outbox, service);
    }

    private <K, T> void wake(Map<K, Row<T>> rows, String service) {
      rows.keySet().stream()
          .filter(id -> service.equals(waitsFor.get(id)))
          .toList()
          .forEach(
              id -> {
                waitsFor.remove(id);
                change(rows, id, row -> row.due(Instant.EPOCH, String.valueOf(row.why())));
              });
    }

    @Override
    public Preferences preferences() {
      return new Prefs();
    }

    @Override
    public PullRequests pullRequests() {
      return pullRequests;
    }

    @Override
    public Issues issues() {
      return issues;
    }

    @Override
    public Schedules schedules() {
      return schedules;
    }

    @Override
    public Approvals approvals() {
      return approvals;
    }

    @Override
    public Starts starts() {
      return starts;
    }

    @Override
    public Audit audit() {
      return audit::add;
    }
  }

  private <K, T> void change(Map<K, Row<T>> rows, K key, UnaryOperator<Row<T>> step) {
    rows.computeIfPresent(key, (_, row) -> row.state() == State.WAITS ? step.apply(row) : row);
  }

  private static <K, T> boolean unpark(Map<K, Row<T>> rows, K key, State state) {
    var row = rows.get(key);
    if (row == null || row.state() != State.PARKED) {
      return false;
    }
    rows.put(
        key,
        new Row<>(
            row.item(),
            row.seq(),
            state,
            Math.min(row.tries(), 1),
            row.dueAt(),
            null,
            null,
            null,
            row.partOf(),
            row.aside()));
    return true;
  }

  private static <K, T> List<Parked<T>> parked(
      Map<K, Row<T>> rows, Function<K, String> id, Function<T, Conversation> where, int limit) {
    var parked =
        rows.entrySet().stream().filter(each -> each.getValue().state() == State.PARKED).toList();
    return parked.reversed().stream()
        .limit(limit)
        .map(
            each ->
                new Parked<>(
                    id.apply(each.getKey()),
                    where.apply(each.getValue().item()),
                    Optional.of(each.getValue().item()),
                    String.valueOf(each.getValue().why()),
                    each.getValue().dueAt()))
        .toList();
  }

  private final class In implements Inbox {
    @Override
    public boolean offer(Delivery delivery) {
      if (inbox.containsKey(delivery.id())
          || inbox.values().stream()
              .anyMatch(
                  row ->
                      row.item().meaning().equals(delivery.meaning())
                          && row.item()
                              .conversation()
                              .surface()
                              .equals(delivery.conversation().surface()))) {
        return false;
      }
      inbox.put(delivery.id(), new Row<>(delivery, ++seq, delivery.arrivedAt()));
      if (delivery.intent() instanceof Intent.Say) {
        order(delivery);
      }
      return true;
    }

    /// Before what was said after it, and waits untried at the end of the queue.
    private void order(Delivery delivery) {
      var later =
          waiting(
                  each ->
                      each.conversation().equals(delivery.conversation())
                          && !each.intent().overtakes())
              .reversed()
              .stream()
              .takeWhile(
                  row ->
                      row.item().id().equals(delivery.id())
                          || (row.tries() == 0
                              && row.item().intent() instanceof Intent.Say
                              && row.item().saidAt().isAfter(delivery.saidAt())))
              .toList();
      for (int i = 1; i < later.size(); i++) {
        var place = later.get(i - 1).seq();
        change(inbox, later.get(i).item().id(), row -> row.at(place));
      }
      change(inbox, delivery.id(), row -> row.at(later.getLast().seq()));
    }

    @Override
    public List<Delivery> stops(Conversation conversation) {
      return inbox.values().stream()
          .filter(row -> row.state() == State.DONE)
          .map(Row::item)
          .filter(each -> each.conversation().equals(conversation))
          .filter(each -> each.intent() instanceof Intent.Cancel(var run, _) && run.isEmpty())
          .filter(each -> !notes.getOrDefault(each.id(), "").isEmpty())
          .filter(each -> !notes.getOrDefault(each.id(), "").startsWith(REFUSED))
          .toList();
    }

    private List<Row<Delivery>> waiting(Predicate<Delivery> wanted) {
      return inbox.values().stream()
          .filter(row -> row.state() == State.WAITS && wanted.test(row.item()))
          .sorted(Comparator.comparingLong(Row::seq))
          .toList();
    }

    private List<Row<Delivery>> candidates(Conversation conversation) {
      var all = waiting(each -> each.conversation().equals(conversation));
      var overtaking = all.stream().filter(row -> row.item().intent().overtakes());
      var oldest = all.stream().filter(row -> !row.item().intent().overtakes()).limit(1);
      return Stream.concat(overtaking, oldest).toList();
    }

    @Override
    public Optional<Pending<Delivery>> next(Conversation conversation, Instant now) {
      return candidates(conversation).stream()
          .filter(row -> !row.dueAt().isAfter(now))
          .findFirst()
          .map(Row::pending);
    }

    @Override
    public Optional<Instant> due(Conversation conversation) {
      return candidates(conversation).stream().map(Row::dueAt).min(Instant::compareTo);
    }

    @Override
    public List<Pending<Delivery>> waiting(Conversation conversation) {
      return waiting(each -> each.conversation().equals(conversation) && !each.intent().overtakes())
          .stream()
          .map(Row::pending)
          .toList();
    }

    @Override
    public List<Pending<Delivery>> waitingInPlace(Conversation conversation) {
      return waiting(
              each ->
                  each.conversation().surface().equals(conversation.surface())
                      && each.conversation().key().startsWith(conversation.place())
                      && !each.intent().overtakes())
          .stream()
          .map(Row::pending)
          .toList();
    }

    @Override
    public void join(Delivery whole, List<Delivery> parts) {
      change(inbox, whole.id(), row -> row.saying(whole));
      parts.forEach(part -> change(inbox, part.id(), row -> row.joined(whole.id())));
    }

    @Override
    public List<Delivery> joined(DeliveryId whole) {
      return inbox.values().stream()
          .filter(row -> whole.equals(row.partOf()))
          .sorted(Comparator.comparingLong(Row::seq))
          .map(Row::item)
          .toList();
    }

    @Override
    public Optional<Known> findByMeaning(SurfaceId surface, String meaning) {
      return inbox.values().stream()
          .filter(row -> row.item().meaning().equals(meaning))
          .filter(row -> row.item().conversation().surface().equals(surface))
          .findFirst()
          .map(
              row ->
                  new Known(
                      row.item(),
                      row.state() == State.WAITS && row.seen() == null && row.partOf() == null,
                      row.tries()));
    }

    @Override
    public List<Delivery> acceptedBetween(Conversation conversation, Instant from, Instant to) {
      return inbox.values().stream()
          .map(Row::item)
          .filter(each -> each.conversation().equals(conversation))
          .filter(each -> !each.arrivedAt().isBefore(from) && !each.arrivedAt().isAfter(to))
          .toList();
    }

    @Override
    public Optional<Instant> readThrough(SurfaceId surface) {
      return Optional.ofNullable(heardThrough.get(surface));
    }

    @Override
    public void readThrough(SurfaceId surface, Instant through) {
      heardThrough.put(surface, through);
    }

    @Override
    public boolean begin(DeliveryId id) {
      change(inbox, id, Row::begun);
      return isWaiting(id);
    }

    @Override
    public boolean isOwner(DeliveryId id, Conversation conversation, int tries) {
      var row = inbox.get(id);
      return row != null
          && row.state() == State.WAITS
          && row.tries() == tries
          && row.item().conversation().equals(conversation);
    }

    @Override
    public boolean isWaiting(DeliveryId id) {
      return MemoryStore.this.isWaiting(id);
    }

    @Override
    public void saveRunBefore(DeliveryId id, Run before) {
      change(inbox, id, row -> row.having(before));
    }

    @Override
    public Optional<Run> runBefore(DeliveryId id) {
      return Optional.ofNullable(inbox.get(id)).map(Row::seen);
    }

    @Override
    public int countSameText(Delivery delivery) {
      var words = delivery.intent().agentRequest().map(Request::text);
      return (int)
          inbox.values().stream()
              .filter(row -> row.state() == State.DONE && row.partOf() == null)
              .filter(row -> row.item().conversation().equals(delivery.conversation()))
              .map(row -> row.item().intent().agentRequest().map(Request::text))
              .filter(each -> each.isPresent() && each.equals(words))
              .count();
    }

    @Override
    public void done(DeliveryId id) {
      change(inbox, id, row -> row.with(State.DONE));
    }

    @Override
    public void note(DeliveryId id, String note) {
      notes.put(id, note);
    }

    @Override
    public List<DeliveryTrace> traces(
        Conversation conversation, Optional<String> meaning, int limit) {
      return inbox.values().stream()
          .filter(
              row ->
                  meaning.isPresent()
                      ? row.item().meaning().equals(meaning.get())
                          && row.item().conversation().surface().equals(conversation.surface())
                      : row.item().conversation().equals(conversation))
          .sorted(Comparator.comparingLong(Row<Delivery>::seq).reversed())
          .limit(limit)
          .map(
              row ->
                  new DeliveryTrace(
                      Optional.of(row.item()),
                      DeliveryTrace.State.valueOf(row.state().name()),
                      row.tries(),
                      row.dueAt(),
                      Optional.ofNullable(notes.get(row.item().id())),
                      Optional.ofNullable(row.why())))
          .toList();
    }

    @Override
    public void postpone(DeliveryId id, Instant dueAt, String why) {
      waitsFor.remove(id);
      change(inbox, id, row -> row.due(dueAt, why));
    }

    @Override
    public void postpone(DeliveryId id, Instant dueAt, String why, String service) {
      waitsFor.put(id, service);
      change(inbox, id, row -> row.due(dueAt, why));
    }

    @Override
    public void makeDue(DeliveryId id, String why) {
      postpone(id, Instant.EPOCH, why);
    }

    @Override
    public void park(DeliveryId id, String why) {
      change(inbox, id, row -> row.parked(why));
    }

    @Override
    public List<Parked<Delivery>> parked(int limit) {
      return MemoryStore.parked(inbox, DeliveryId::value, Delivery::conversation, limit);
    }

    @Override
    public boolean retry(DeliveryId id) {
      return unpark(inbox, id, State.WAITS);
    }

    @Override
    public boolean discard(DeliveryId id) {
      return unpark(inbox, id, State.DONE);
    }

    @Override
    public void replace(Delivery delivery) {
      change(
          inbox,
          delivery.id(),
          row ->
              new Row<>(
                  delivery,
                  row.seq(),
                  row.state(),
                  0,
                  row.dueAt(),
                  null,
                  null,
                  null,
                  row.partOf(),
                  false));
    }
  }

  private final class Bonds implements Bindings {
    @Override
    public Optional<Binding> of(Conversation conversation) {
      return Optional.ofNullable(bindings.get(conversation));
    }

    @Override
    public Optional<Binding> of(RunId run) {
      return all().filter(each -> each.run().id().equals(run)).findFirst();
    }

    private Stream<Binding> all() {
      return Stream.concat(bindings.values().stream(), aside.values().stream());
    }

    @Override
    public List<Binding> active() {
      return all().filter(Binding::isActive).toList();
    }

    @Override
    public int countActive() {
      return active().size();
    }

    @Override
    public boolean hasActive() {
      return countActive() > 0;
    }

    @Override
    public List<Binding> recent(Optional<SurfaceId> surface, String place, int limit) {
      return all()
          .filter(
              each ->
                  surface.isEmpty()
                      || (each.conversation().surface().equals(surface.get())
                          && each.conversation().key().startsWith(place)))
          .sorted(Comparator.comparing(Binding::since).reversed())
          .limit(limit)
          .toList();
    }

    @Override
    public List<Binding> startingWith(String id, int limit) {
      return all().filter(each -> each.run().id().value().startsWith(id)).limit(limit).toList();
    }

    @Override
    public boolean save(Binding binding) {
      var isSaved = put(binding);
      if (isSaved) {
        pullRequests.opened(binding.run());
        starts.saveUsage(binding.run());
      }
      return isSaved;
    }

    private boolean put(Binding binding) {
      var run = binding.run().id();
      var stored = bindings.get(binding.conversation());
      var isCurrent = stored != null && stored.run().id().equals(run);
      if (binding.version() == 0) {
        if (stored != null && !isCurrent) {
          aside.put(stored.run().id(), stored);
        }
        aside.remove(run);
        var version = stored == null ? 0 : stored.version();
        bindings.put(binding.conversation(), copy(binding, binding.status(), version + 1));
        return true;
      }
      if (stored != null && isCurrent && stored.version() == binding.version()) {
        bindings.put(binding.conversation(), copy(binding, stored.status(), binding.version() + 1));
        return true;
      }
      var earlier = aside.get(run);
      if (earlier != null
          && earlier.conversation().equals(binding.conversation())
          && earlier.version() == binding.version()) {
        aside.put(run, copy(binding, earlier.status(), binding.version() + 1));
        return true;
      }
      return false;
    }

    @Override
    public void release(Conversation conversation, RunId run) {
      bindings.values().removeIf(each -> is(each, conversation, run));
      aside.values().removeIf(each -> is(each, conversation, run));
    }

    @Override
    public void statusPosted(Conversation conversation, RunId run, PostRef status) {
      UnaryOperator<Binding> posted =
          stored ->
              is(stored, conversation, run)
                  ? copy(stored, Optional.of(status), stored.version() + 1)
                  : stored;
      bindings.replaceAll((_, stored) -> posted.apply(stored));
      aside.replaceAll((_, stored) -> posted.apply(stored));
    }

    private static boolean is(Binding binding, Conversation conversation, RunId run) {
      return binding.conversation().equals(conversation) && binding.run().id().equals(run);
    }

    private static Binding copy(Binding binding, Optional<PostRef> status, long version) {
      return new Binding(
          binding.conversation(),
          binding.run(),
          binding.requester(),
          binding.request(),
          binding.origin(),
          status,
          binding.since(),
          binding.reopened(),
          binding.stop(),
          binding.pending(),
          binding.askedAt(),
          version);
    }
  }

  private final class Prefs implements Preferences {
    @Override
    public List<Preference> of(Set<String> places) {
      return preferences.values().stream().filter(each -> places.contains(each.place())).toList();
    }

    @Override
    public void set(Preference preference) {
      preferences.put(preference.place() + " " + preference.key(), preference);
    }

    @Override
    public boolean unset(String place, String key) {
      return preferences.remove(place + " " + key) != null;
    }
  }

  private final class Out implements Outbox {
    @Override
    public void add(Notice notice) {
      var turn = notice.update() instanceof Update.Status status ? turn(notice, status) : null;
      add(
          notice,
          turn == null ? notice.createdAt() : turn,
          turn != null || notice.update() instanceof Update.Received);
    }

    private @Nullable Instant turn(Notice notice, Update.Status status) {
      return outbox.values().stream()
          .filter(row -> row.state() == State.WAITS && row.tries() == 0 && row.aside())
          .filter(row -> !waitsFor.containsKey(row.item().id()))
          .filter(row -> row.dueAt().isAfter(notice.createdAt()))
          .filter(row -> row.item().conversation().equals(notice.conversation()))
          .filter(
              row ->
                  row.item().update() instanceof Update.Status other
                      && givesWay(other, status)
                      && other.state().equals(status.state()))
          .map(Row::dueAt)
          .findFirst()
          .orElse(null);
    }

    @Override
    public void addAt(Instant due, Notice notice) {
      add(notice, due, true);
    }

    private void add(Notice notice, Instant due, boolean aside) {
      if (outbox.containsKey(notice.id())) {
        return;
      }
      outbox
          .values()
          .removeIf(
              row ->
                  row.state() == State.WAITS
                      && row.tries() == 0
                      && row.item().conversation().equals(notice.conversation())
                      && givesWay(row.item().update(), notice.update()));
      if (notice.update() instanceof Update.Received) {
        outbox.replaceAll(
            (_, row) ->
                row.state() == State.WAITS
                        && row.item().conversation().equals(notice.conversation())
                        && givesWay(row.item().update(), notice.update())
                    ? row.with(State.DONE)
                    : row);
      }
      outbox.put(notice.id(), new Row<>(notice, ++seq, due, aside));
    }

    private static boolean givesWay(Update old, Update now) {
      return switch (now) {
        case Update.Status status ->
            old instanceof Update.Status other && other.run().id().equals(status.run().id());
        case Update.Received(var message, _, _) ->
            old instanceof Update.Received other && other.message().equals(message);
        case Update.Reminder reminder ->
            old instanceof Update.Reminder other && other.run().id().equals(reminder.run().id());
        case Update.Screened(_, Screen.Home _) -> old instanceof Update.Screened(_, Screen.Home _);
        case Update.Still(var status) ->
            old instanceof Update.Still(var other) && other.run().id().equals(status.run().id());
        default -> false;
      };
    }

    @Override
    public void withdraw(NoticeId id) {
      var row = outbox.get(id);
      if (row != null && row.state() == State.WAITS) {
        outbox.remove(id);
      }
    }

    @Override
    public Set<MessageStatus> reactions(Conversation conversation, PostRef message) {
      var begun =
          outbox.values().stream()
              .filter(row -> row.tries() > 0)
              .filter(row -> row.item().conversation().equals(conversation))
              .filter(
                  row ->
                      row.item().update() instanceof Update.Received(var on, _, _)
                          && on.equals(message))
              .toList();
      var since =
          begun.stream().filter(row -> row.post() != null).mapToLong(Row::seq).max().orElse(0);
      return begun.stream()
          .filter(row -> row.seq() >= since)
          .map(row -> ((Update.Received) row.item().update()).receipt())
          .collect(Collectors.toSet());
    }

    private static boolean isStatusOf(Row<Notice> row, Conversation conversation, RunId run) {
      return row.item().conversation().equals(conversation)
          && row.item().update() instanceof Update.Status status
          && status.run().id().equals(run);
    }

    /// Those whose turn may be next: the oldest that has its place in the order, then all others.
    private List<Row<Notice>> heads(Conversation conversation) {
      var waiting =
          outbox.values().stream()
              .filter(row -> row.state() == State.WAITS)
              .filter(row -> row.item().conversation().equals(conversation))
              .sorted(Comparator.comparingLong(Row::seq))
              .toList();
      return Stream.concat(
              waiting.stream().filter(row -> !row.aside()).limit(1),
              waiting.stream().filter(Row::aside))
          .toList();
    }

    @Override
    public Optional<Pending<Notice>> next(Conversation conversation, Instant now) {
      return heads(conversation).stream()
          .filter(row -> !row.dueAt().isAfter(now))
          .findFirst()
          .map(Row::pending);
    }

    @Override
    public Optional<Instant> due(Conversation conversation) {
      return heads(conversation).stream().map(Row::dueAt).min(Instant::compareTo);
    }

    @Override
    public boolean begin(NoticeId id) {
      var begun = outbox.get(id);
      if (begun == null || begun.state() != State.WAITS) {
        return false;
      }
      change(
          outbox,
          id,
          row -> {
            var item = row.item();
            var tried =
                new Notice(
                    item.id(),
                    item.conversation(),
                    item.update(),
                    item.origin(),
                    item.createdAt(),
                    row.tries() + 1);
            return new Row<>(
                tried,
                row.seq(),
                row.state(),
                row.tries() + 1,
                row.dueAt(),
                null,
                null,
                null,
                null,
                row.aside());
          });
      return true;
    }

    @Override
    public void posted(NoticeId id, PostRef ref) {
      change(
          outbox,
          id,
          row ->
              new Row<>(
                  row.item(),
                  row.seq(),
                  State.DONE,
                  row.tries(),
                  row.dueAt(),
                  ref,
                  null,
                  null,
                  null,
                  row.aside()));
    }

    @Override
    public Optional<PostRef> statusPost(Conversation conversation, RunId run) {
      return outbox.values().stream()
          .filter(row -> row.state() == State.DONE && isStatusOf(row, conversation, run))
          .max(Comparator.comparingLong(Row::seq))
          .map(Row::post);
    }

    @Override
    public Optional<PostRef> questionPost(Conversation conversation, Update.QuestionClosed closed) {
      return outbox.values().stream()
          .filter(row -> row.state() == State.DONE && row.post() != null)
          .filter(row -> row.item().conversation().equals(conversation))
          .filter(
              row -> row.item().update() instanceof Update.Blocked asked && closed.closes(asked))
          .max(Comparator.comparingLong(Row::seq))
          .map(Row::post);
    }

    @Override
    public List<Asked> asked(Run run) {
      return outbox.values().stream()
          .filter(row -> row.state() != State.PARKED)
          .filter(
              row ->
                  row.item().update() instanceof Update.Blocked asked
                      && AskedQuestion.of(asked.run()).equals(AskedQuestion.of(run)))
          .map(
              row ->
                  new Asked(
                      row.item().conversation(),
                      // It posts at once.
                      Optional.of(row.item().createdAt()).filter(_ -> row.state() == State.DONE)))
          .toList();
    }

    @Override
    public Optional<Run> postedRun(Conversation conversation, RunId run) {
      return newestRun(row -> row.state() != State.PARKED, conversation, run);
    }

    @Override
    public Optional<Run> shownRun(Conversation conversation, RunId run) {
      return newestRun(row -> row.state() == State.DONE, conversation, run);
    }

    private Optional<Run> newestRun(
        Predicate<Row<Notice>> condition, Conversation conversation, RunId run) {
      return outbox.values().stream()
          .filter(row -> condition.test(row) && isStatusOf(row, conversation, run))
          .max(Comparator.comparingLong(Row::seq))
          .map(row -> ((Update.Status) row.item().update()).run());
    }

    @Override
    public void postpone(NoticeId id, Instant dueAt, String why) {
      waitsFor.remove(id);
      change(outbox, id, row -> row.due(dueAt, why));
    }

    @Override
    public void postpone(NoticeId id, Instant dueAt, String why, String service) {
      waitsFor.put(id, service);
      change(outbox, id, row -> row.due(dueAt, why));
    }

    @Override
    public void makeDue(NoticeId id, String why) {
      postpone(id, Instant.EPOCH, why);
    }

    @Override
    public void park(NoticeId id, String why) {
      var row = outbox.get(id);
      if (row != null
          && row.state() == State.WAITS
          && row.item().update() instanceof Update.Status status) {
        outbox
            .values()
            .removeIf(
                each ->
                    each.state() == State.PARKED
                        && isStatusOf(each, row.item().conversation(), status.run().id()));
      }
      change(outbox, id, waiting -> waiting.parked(why));
    }

    @Override
    public List<Parked<Notice>> parked(int limit) {
      return MemoryStore.parked(outbox, NoticeId::value, Notice::conversation, limit);
    }

    @Override
    public boolean retry(NoticeId id) {
      return isFollowed(id) ? discard(id) : unpark(outbox, id, State.WAITS);
    }

    private boolean isFollowed(NoticeId id) {
      var parked = outbox.get(id);
      return parked != null
          && parked.item().update() instanceof Update.Status status
          && outbox.values().stream()
              .filter(row -> row.seq() > parked.seq() && row.state() != State.PARKED)
              .anyMatch(row -> isStatusOf(row, parked.item().conversation(), status.run().id()));
    }

    @Override
    public boolean discard(NoticeId id) {
      var row = outbox.get(id);
      return row != null && row.state() == State.PARKED && outbox.remove(id) != null;
    }
  }
}
