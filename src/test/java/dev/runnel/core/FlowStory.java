package dev.runnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.deliver.Courier;
import dev.runnel.core.deliver.FileDelivery;
import dev.runnel.core.deliver.FileLimits;
import dev.runnel.core.deliver.Reminders;
import dev.runnel.core.dispatch.Dispatcher;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.FileContent;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Arrival;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunListing;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.BackgroundReader;
import dev.runnel.core.port.RunChangeListener;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Surface;
import dev.runnel.core.port.ThreadOpener;
import dev.runnel.core.recovery.OutageRecovery;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.core.watch.Watcher;
import dev.runnel.testkit.Dispatchers;
import dev.runnel.testkit.FakeAgentRuns;
import dev.runnel.testkit.FakeSurface;
import dev.runnel.testkit.Interleavings.Actor;
import dev.runnel.testkit.Interleavings.Stage;
import dev.runnel.testkit.Interleavings.Story;
import dev.runnel.testkit.MemoryStore;
import dev.runnel.testkit.SettableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What people say to one run, and what the workers, the agent and the platform make of it, each an
/// actor of its own.
final class FlowStory implements Story {
  private static final RandomGenerator NO_CHANCE = () -> 0;

  /// How a story is told.
  ///
  /// @param said comes in this order, each when its time has come
  /// @param agent the states that a started or followed-up run goes through, over all its life
  /// @param conversations where something may be to do
  /// @param keepsReplies whether what is said to a run waits until its agent takes it
  /// @param nodes how many work on the same conversation at the same moment, as when one that stood
  ///   still for long was taken for dead. The service knows keys then
  record Plot(
      List<Delivery> said,
      List<RunState> agent,
      List<Conversation> conversations,
      int nodes,
      Reminders reminders,
      boolean keepsReplies) {
    Plot(List<Delivery> said, List<RunState> agent, List<Conversation> conversations, int nodes) {
      this(said, agent, conversations, nodes, Reminders.NONE, false);
    }
  }

  private final Plot plot;
  private final Stage stage;
  private final SettableClock clock = new SettableClock();
  private final MemoryStore rows = new MemoryStore();
  private final FakeAgentRuns service = new FakeAgentRuns(clock);
  private final FakeSurface platform = new FakeSurface();
  private final Deque<Delivery> toSay;
  private final Deque<RunState> agentMoves;
  private final List<Actor> actors = new ArrayList<>();
  private final Store store = new Paused();
  private final AgentRuns runs = new PausedRuns();
  private final Surfaces surfaces = Surfaces.of(List.of(new PausedSurface()));
  private Dispatcher dispatcher;
  private Courier courier;
  private Watcher watcher;
  private String lookedAt = "";
  private Instant cursor = Instant.EPOCH;
  private boolean audited;

  FlowStory(Plot plot, Stage stage) {
    this.plot = plot;
    this.stage = stage;
    toSay = new ArrayDeque<>(plot.said());
    agentMoves = new ArrayDeque<>(plot.agent());
    dispatcher = Dispatchers.of(store, runs, surfaces, Policy.NONE, NO_CHANCE);
    courier =
        new Courier(
            store,
            surfaces,
            NO_CHANCE,
            plot.reminders(),
            new OutageRecovery(store, runs, surfaces),
            new FileDelivery(runs, FileLimits.DEFAULT));
    watcher = new Watcher(store, runs, RunChangeListener.NONE);
    if (plot.nodes() > 1) {
      service.hasIdempotencyKeys();
    }
    if (plot.keepsReplies()) {
      service.keepsReplies(true);
    }
    for (var conversation : plot.conversations()) {
      for (int node = 1; node <= plot.nodes(); node++) {
        actors.add(
            new Actor(
                "dispatcher " + node + " of " + conversation.key(),
                () -> isDue(work -> work.inbox().due(conversation)),
                () -> dispatcher.step(conversation, stage.saw(clock.instant())),
                true));
      }
      actors.add(
          new Actor(
              "courier " + conversation.key(),
              () -> isDue(work -> work.outbox().due(conversation)),
              () -> courier.step(conversation, stage.saw(clock.instant())),
              true));
    }
    actors.add(new Actor("watcher", this::hasNews, this::watch, true));
    actors.add(new Actor("agent", this::mayMove, this::move, false));
    actors.add(new Actor("people", this::maySay, this::say, false));
    actors.add(new Actor("time", () -> nextDue().isPresent(), this::passes, false));
  }

  @Override
  public List<Actor> actors() {
    return actors;
  }

  @Override
  public String state() {
    return rows
        + "\n"
        + service
        + "\n"
        + platform
        + "\n"
        + clock.instant()
        + " "
        + toSay.size()
        + " "
        + agentMoves.size()
        + " "
        + lookedAt
        + " "
        + cursor
        + " "
        + audited;
  }

  @Override
  public void restarts() {
    dispatcher = Dispatchers.of(store, runs, surfaces, Policy.NONE, NO_CHANCE);
    courier =
        new Courier(
            store,
            surfaces,
            NO_CHANCE,
            plot.reminders(),
            new OutageRecovery(store, runs, surfaces),
            new FileDelivery(runs, FileLimits.DEFAULT));
    watcher = new Watcher(store, runs, RunChangeListener.NONE);
    lookedAt = "";
    cursor = Instant.EPOCH;
  }

  // The actors' steps.

  /// Nobody replies in a thread before they see it.
  private boolean maySay() {
    return !toSay.isEmpty()
        && (!toSay.peek().conversation().key().contains("opened") || platform.opens() > 0);
  }

  private void say() {
    clock.advance(Duration.ofMillis(1));
    var delivery = toSay.remove();
    rows.accept(
        delivery.withOrigin(withoutSigns(delivery.origin())).withArrivedAt(clock.instant()));
  }

  /// Signs on messages change nothing else, and would double what there is to try.
  private static Origin withoutSigns(Origin origin) {
    return new Origin(origin.link(), origin.replyTo(), Optional.empty(), origin.opensThread());
  }

  private boolean mayMove() {
    return movable()
        .filter(run -> !agentMoves.isEmpty() || service.hasWaiting(run.id()))
        .isPresent();
  }

  private Optional<Run> movable() {
    return service.runs().stream()
        .filter(run -> !run.state().isTerminal() && !run.state().needsPerson())
        .findFirst();
  }

  private void move() {
    var run = movable().orElseThrow();
    if (service.hasWaiting(run.id())) {
      service.takesReplies(run.id());
      return;
    }
    var state = agentMoves.remove();
    service.moves(run.id(), state, state == RunState.BLOCKED ? "Which branch?" : "I did it.");
  }

  private boolean hasNews() {
    return rows.<Integer>read(bindings -> bindings.countActive()) > 0
        && !lookedAt.equals(whatIsThere());
  }

  private String whatIsThere() {
    return service.runs()
        + rows.<String>read(
            bindings -> bindings.active().stream().map(Binding::run).toList().toString());
  }

  private void watch() {
    lookedAt = whatIsThere();
    stage.saw(clock.instant());
    watcher.step(clock.instant());
  }

  private boolean isDue(Function<Store.Work, Optional<Instant>> question) {
    return rows.commit(question).filter(at -> !at.isAfter(clock.instant())).isPresent();
  }

  private Optional<Instant> nextDue() {
    return plot.conversations().stream()
        .flatMap(
            conversation ->
                rows
                    .<List<Instant>>commit(
                        work ->
                            Stream.of(
                                    work.inbox().due(conversation), work.outbox().due(conversation))
                                .flatMap(Optional::stream)
                                .toList())
                    .stream())
        .filter(at -> at.isAfter(clock.instant()))
        .min(Comparator.naturalOrder());
  }

  private void passes() {
    clock.advance(Duration.between(clock.instant(), nextDue().orElseThrow()));
  }

  // What must hold.

  @Override
  public void check() {
    // A node that was taken for dead stops what it started after that.
    if (plot.nodes() > 1 || !isStopSettled()) {
      return;
    }
    assertThat(service.runs())
        .as("runs after the stop was settled")
        .allMatch(run -> run.state().isTerminal());
    assertThat(
            plot.conversations().stream()
                .flatMap(
                    each ->
                        rows
                            .<List<Store.Pending<Delivery>>>commit(
                                work -> work.inbox().waiting(each))
                            .stream()))
        .as("what waits after the stop was settled")
        .isEmpty();
  }

  /// The last word was a stop, and it is done.
  private boolean isStopSettled() {
    var last = plot.said().getLast();
    return toSay.isEmpty()
        && last.intent() instanceof Intent.Cancel
        && rows.withDeliveries().isEmpty()
        && !rows.isWaiting(last.id());
  }

  @Override
  public boolean goesOn() {
    if (audited) {
      return false;
    }
    audited = true;
    lookedAt = "";
    clock.advance(Duration.ofSeconds(61));
    return true;
  }

  /// Each once, in an end or in words of its own; and nothing that the agent has read.
  private void checkUnread(Conversation thread) {
    var named =
        platform.posts(thread).stream()
            .map(FakeSurface.Post::update)
            .flatMap(
                update ->
                    switch (update) {
                      case Update.Cancelled cancelled -> handedBack(cancelled);
                      case Update.Message(_, var text, _) when text.contains("not read") ->
                          Pattern.compile("\u201c([^\u201d]*)\u201d")
                              .matcher(text)
                              .results()
                              .map(found -> found.group(1));
                      default -> Stream.<String>empty();
                    })
            .toList();
    assertThat(named)
        .as("what is said to be unread")
        .containsExactlyInAnyOrderElementsOf(
            service.handedBack().stream().map(text -> text.replace("\n\n", " ")).toList());
  }

  /// Without what the stop withdrew before it was sent, which the end lists last.
  private static Stream<String> handedBack(Update.Cancelled cancelled) {
    var left = cancelled.stop().map(stop -> stop.left().size()).orElse(0);
    return cancelled.unread().stream()
        .limit(cancelled.unread().size() - left)
        .map(text -> text.replace("\n\n", " "));
  }

  @Override
  public void checkEnd() {
    checkUnread(plot.conversations().getLast());
    var thread = plot.conversations().getLast();
    var kinds = platform.kinds(thread);
    assertThat(rows.withDeliveries()).as("deliveries left waiting").isEmpty();
    assertThat(rows.withNotices()).as("notices left waiting").isEmpty();
    assertThat(rows.parked()).as("rows given up").isZero();
    assertThat(service.runs()).as("runs").hasSizeLessThanOrEqualTo(1);
    if (service.runs().isEmpty()) {
      assertThat(plot.said()).anyMatch(each -> each.intent() instanceof Intent.Cancel);
      assertThat(told()).as("what is told where nothing ran").isNotEmpty();
      assertThat(kinds).doesNotContain("Status", "Succeeded", "Failed", "Cancelled", "Blocked");
      return;
    }
    var run = service.runs().getFirst();
    for (var said : plot.said()) {
      var sent = service.followUps().stream().filter(each -> each.key().equals(said.id())).count();
      assertThat(sent).as("how often %s was sent to the run", said.id()).isLessThanOrEqualTo(1);
      if (said.intent() instanceof Intent.Say(var request)
          && sent == 0
          && !wasSaidWithAnother(request.text())) {
        assertThat(!told().isEmpty() || kinds.contains("Cancelled"))
            .as("whether the thread learned that %s was withdrawn", said.id())
            .isTrue();
      }
    }
    for (var text : service.followUps()) {
      assertThat(text.text().split("\n\n"))
          .as("what is said together, each once")
          .doesNotHaveDuplicates();
    }
    var reminders =
        platform.posts(thread).stream()
            .map(FakeSurface.Post::update)
            .filter(Update.Reminder.class::isInstance)
            .map(update -> ((Update.Reminder) update).number())
            .toList();
    assertThat(reminders).as("reminders").doesNotHaveDuplicates();
    var statuses =
        platform.posts(thread).stream()
            .map(FakeSurface.Post::update)
            .filter(Update.Status.class::isInstance)
            .map(Update.Status.class::cast)
            .toList();
    var questions =
        platform.posts(thread).stream()
            .map(FakeSurface.Post::update)
            .filter(Update.Blocked.class::isInstance)
            .map(update -> ((Update.Blocked) update).run())
            .toList();
    assertThat(new HashSet<>(questions)).as("questions, each told once").hasSameSizeAs(questions);
    if (run.state().needsPerson()) {
      assertThat(questions).as("questions").endsWith(run);
    }
    var ends =
        platform.posts(thread).stream()
            .map(FakeSurface.Post::update)
            .filter(
                update ->
                    update instanceof Update.Succeeded
                        || update instanceof Update.Failed
                        || update instanceof Update.Cancelled)
            .toList();
    assertThat(new HashSet<>(ends)).as("ends, each told once").hasSameSizeAs(ends);
    if (statuses.isEmpty()) {
      // The stop came before anybody was shown that there was a run.
      assertThat(run.state().isTerminal()).isTrue();
      assertThat(plot.nodes() > 1 || run.state() == RunState.CANCELLED).isTrue();
      assertThat(ends).isEmpty();
      assertThat(told()).anyMatch(text -> text.startsWith("Stopped"));
      return;
    }
    assertThat(statuses).as("status posts").hasSize(1);
    assertThat(statuses.getFirst().run().state())
        .as("the state that the status post shows")
        .isEqualTo(run.state());
    assertThat(run.state().isTerminal() || run.state().needsPerson())
        .as("whether the run stands still: %s", run.state())
        .isTrue();
    if (run.state().isTerminal()) {
      assertThat(ends).as("ends").isNotEmpty();
      assertThat(ends.getLast().getClass().getSimpleName())
          .as("the last end that was told")
          .isEqualToIgnoringCase(run.state().name());
      assertThat(rows.<Integer>read(Store.Bindings::countActive)).as("bindings active").isZero();
    }
    if (plot.said().getLast().intent() instanceof Intent.Cancel && kinds.contains("Cancelled")) {
      assertThat(kinds.subList(kinds.indexOf("Cancelled"), kinds.size()))
          .as("posts after the stop was told")
          .doesNotContain("Succeeded", "Failed", "Blocked");
    }
  }

  private boolean wasSaidWithAnother(String words) {
    return service.followUps().stream()
        .anyMatch(each -> List.of(each.text().split("\n\n")).contains(words));
  }

  private List<String> told() {
    return plot.conversations().stream().flatMap(each -> platform.told(each).stream()).toList();
  }

  // The ports, which let others go first and may go wrong.

  private final class Paused implements Store {
    @Override
    public <T> T commit(Function<Work, T> step) {
      stage.pause("commit");
      return stage.saw(rows.commit(step));
    }

    @Override
    public boolean accept(Delivery delivery) {
      stage.pause("accept");
      return stage.saw(rows.accept(delivery));
    }

    @Override
    public <T> T read(Function<Bindings, T> question) {
      return stage.saw(rows.read(question));
    }

    @Override
    public List<Preferences.Preference> preferences(Set<String> places) {
      return stage.saw(rows.preferences(places));
    }
  }

  private final class PausedRuns implements AgentRuns {
    private static final Outcome.Unavailable LOST =
        new Outcome.Unavailable(Optional.empty(), "Lost");

    private interface Effect {
      Outcome happens();
    }

    private Outcome change(String name, Effect effect) {
      stage.pause(name);
      return stage.saw(
          switch (stage.goesWrong(2)) {
            case 0 -> effect.happens();
            case 1 -> {
              effect.happens();
              yield LOST;
            }
            default -> LOST;
          });
    }

    private Outcome look(String name, Effect effect) {
      stage.pause(name);
      return stage.saw(stage.goesWrong(1) == 0 ? effect.happens() : LOST);
    }

    @Override
    public Outcome start(Prompt prompt, DeliveryId key) {
      return change("start " + key, () -> service.start(prompt, key));
    }

    @Override
    public Outcome findStarted(DeliveryId key, Instant since, Optional<String> words) {
      return look("startedBy " + key, () -> service.findStarted(key, since, words));
    }

    @Override
    public Outcome followUp(RunId run, String text, DeliveryId key) {
      return change("followUp " + key, () -> service.followUp(run, text, key));
    }

    @Override
    public Outcome interrupt(RunId run, String text, DeliveryId key) {
      return change("interrupt " + key, () -> service.interrupt(run, text, key));
    }

    @Override
    public Arrival followUpArrival(Run before, String text, int said) {
      stage.pause("arrived");
      return stage.saw(
          stage.goesWrong(1) == 0
              ? service.followUpArrival(before, text, said)
              : new Arrival.Unavailable(Optional.empty(), "Lost"));
    }

    @Override
    public Outcome cancel(RunId run) {
      return change("cancel", () -> service.cancel(run));
    }

    @Override
    public Outcome find(RunId run) {
      return look("find", () -> service.find(run));
    }

    @Override
    public FileContent content(RunFile file, long maxBytes) {
      return service.content(file, maxBytes);
    }

    @Override
    public RunListing changedSince(Instant since) {
      stage.pause("changedSince");
      var seen = stage.saw(service.changedSince(since));
      if (seen instanceof RunListing.Listed(var all)) {
        all.stream()
            .flatMap(run -> run.updatedAt().stream())
            .filter(at -> at.isAfter(cursor))
            .forEach(at -> cursor = at);
      }
      return seen;
    }

    @Override
    public RunListing unfinished() {
      stage.pause("unfinished");
      return stage.saw(service.unfinished());
    }
  }

  private final class PausedSurface implements Surface {
    @Override
    public SurfaceId id() {
      return platform.id();
    }

    @Override
    public WebhookResult receive(RawRequest request) {
      return platform.receive(request);
    }

    @Override
    public BackgroundReader background() {
      return platform.background();
    }

    @Override
    public ThreadOpener threads() {
      return (delivery, again) -> {
        stage.pause("open");
        return answer(platform.threads().open(delivery, again));
      };
    }

    @Override
    public Posting post(Notice notice, @Nullable PostRef status) {
      stage.pause("post " + notice.update().getClass().getSimpleName());
      return answer(platform.post(notice, status));
    }

    private Posting answer(Posting posting) {
      return stage.saw(
          stage.goesWrong(1) == 0 ? posting : new Posting.Later(Optional.empty(), "Lost"));
    }
  }
}
