package dev.runnel.testkit;

import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.FileContent;
import dev.runnel.core.model.run.Arrival;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.Replies;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunListing;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.AgentRuns;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/// A run service in memory. A started run stays `QUEUED` until the test moves it; a follow-up to an
/// ended run queues it again. It knows no idempotency: two starts with one key are two runs, so
/// that a test notices a start that was repeated blindly. Safe for many threads.
///
/// Every change gets a later `updatedAt` than the one before, even while the clock stands still.
public final class FakeAgentRuns implements AgentRuns {
  /// A start as it came, whether or not it was answered.
  public record Started(Prompt prompt, DeliveryId key) {}

  /// A follow-up that was accepted.
  public record Said(RunId run, String text, DeliveryId key) {}

  private final InstantSource clock;

  // All guarded by this.
  private final Map<String, String> contents = new HashMap<>();
  private final Map<RunId, Run> runs = new LinkedHashMap<>();
  private final List<Started> starts = new ArrayList<>();
  private final List<Said> followUps = new ArrayList<>();
  private final Set<RunId> hidden = new HashSet<>();
  private final List<RunId> interrupts = new ArrayList<>();
  private boolean offersReplies;
  private final List<RunId> cancels = new ArrayList<>();
  private final Deque<Outcome> nextAnswers = new ArrayDeque<>();
  private Optional<Outcome.Unavailable> down = Optional.empty();
  private Optional<Duration> contentAfter = Optional.empty();
  private boolean losesNextAnswer;
  private boolean isSilent;
  private boolean hasIdempotencyKeys;
  private boolean keepsReplies;
  private boolean tellsReplies;
  private final Map<RunId, Set<DeliveryId>> waiting = new HashMap<>();
  private final Map<RunId, Set<DeliveryId>> unread = new HashMap<>();
  private int calls;
  private int added;
  private Instant lastChange = Instant.EPOCH;

  public FakeAgentRuns(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public synchronized Outcome start(Prompt prompt, DeliveryId key) {
    calls++;
    if (down.isPresent()) {
      return down.get();
    }
    var known = hasIdempotencyKeys ? startedWith(key) : Optional.<Run>empty();
    if (known.isPresent()) {
      return new Outcome.Done(known.get());
    }
    starts.add(new Started(prompt, key));
    if (!nextAnswers.isEmpty()) {
      return nextAnswers.remove();
    }
    var run = add(prompt.title(), Optional.of(key));
    return answer(
        put(
            run.with(
                it ->
                    it.environment(prompt.options().environment())
                        .model(prompt.options().model()))));
  }

  @Override
  public synchronized Outcome findStarted(DeliveryId key, Instant since, Optional<String> words) {
    return read(
        () -> startedWith(key).<Outcome>map(Outcome.Done::new).orElseGet(Outcome.Missing::new));
  }

  private Optional<Run> startedWith(DeliveryId key) {
    return runs.values().stream()
        .filter(run -> run.delivery().equals(Optional.of(key)))
        .findFirst();
  }

  @Override
  public synchronized Outcome followUp(RunId id, String text, DeliveryId key) {
    var outcome = followedUp(id, text, key);
    if (offersReplies && outcome instanceof Outcome.Done(var run)) {
      return new Outcome.Done(run.withReplies(run.replies().map(it -> it.offering(key))));
    }
    return keepsReplies && !tellsReplies && outcome instanceof Outcome.Done(var run)
        ? new Outcome.Done(run.withReplies(Optional.of(new Replies(Set.of(key), Set.of()))))
        : outcome;
  }

  @Override
  public synchronized Outcome interrupt(RunId id, String text, DeliveryId key) {
    interrupts.add(id);
    return followUp(id, text, key);
  }

  /// From now on a working agent reads replies at its next step.
  public synchronized void offersReplies() {
    offersReplies = true;
  }

  /// The runs that were interrupted, one for each call.
  public synchronized List<RunId> interrupts() {
    return List.copyOf(interrupts);
  }

  private Outcome followedUp(RunId id, String text, DeliveryId key) {
    return change(
        id,
        run -> {
          if (hasIdempotencyKeys && followUps.stream().anyMatch(each -> each.key().equals(key))) {
            return run;
          }
          followUps.add(new Said(id, text, key));
          if (keepsReplies) {
            waiting.computeIfAbsent(id, _ -> new HashSet<>()).add(key);
            return moved(
                run, run.state().isTerminal() ? RunState.QUEUED : run.state(), run.message());
          }
          return run.state().isTerminal() || run.state() == RunState.BLOCKED
              ? moved(run, RunState.QUEUED, Optional.empty())
              : run;
        });
  }

  @Override
  public synchronized Arrival followUpArrival(Run before, String text, int said) {
    calls++;
    if (down.isPresent()) {
      return new Arrival.Unavailable(down.get().retryAfter(), down.get().why());
    }
    if (isSilent) {
      return new Arrival.Unknowable();
    }
    var prompts =
        starts.stream()
            .filter(start -> run(before.id()).delivery().equals(Optional.of(start.key())))
            .filter(start -> (start.prompt().text() + "\n\n").startsWith(text + "\n\n"));
    var followed =
        followUps.stream()
            .filter(each -> each.run().equals(before.id()))
            .filter(each -> (each.text() + "\n\n").startsWith(text + "\n\n"));
    return prompts.count() + followed.count() > said
        ? new Arrival.Arrived()
        : new Arrival.NotArrived();
  }

  @Override
  public synchronized Outcome cancel(RunId id) {
    return change(
        id,
        run -> {
          cancels.add(id);
          unread
              .computeIfAbsent(id, _ -> new HashSet<>())
              .addAll(Optional.ofNullable(waiting.remove(id)).orElse(Set.of()));
          return run.state().isTerminal()
              ? run
              : moved(run, RunState.CANCELLED, Optional.of("Cancelled"));
        });
  }

  @Override
  public synchronized Outcome find(RunId id) {
    return read(
        () -> {
          if (hidden.contains(id)) {
            return new Outcome.Refused("not_authorized", "Not for you.", Optional.empty());
          }
          return runs.containsKey(id) ? new Outcome.Done(runs.get(id)) : new Outcome.Missing();
        });
  }

  @Override
  public synchronized RunListing changedSince(Instant since) {
    return look(run -> run.updatedAt().orElseThrow().isAfter(since));
  }

  @Override
  public synchronized RunListing unfinished() {
    return look(run -> !run.state().isTerminal());
  }

  /// The agent gets on.
  public synchronized Run moves(RunId id, RunState state, String message) {
    return put(moved(run(id), state, Optional.of(message)));
  }

  /// The agent fails.
  ///
  /// @param retryable whether a new run may work
  public synchronized Run fails(RunId id, String why, boolean retryable) {
    var run = moved(run(id), RunState.FAILED, Optional.of(why));
    return put(run.withRetryable(retryable));
  }

  /// The agent works.
  ///
  /// @param time how long it has worked in all
  public synchronized Run works(RunId id, Duration time, String message) {
    var run = moved(run(id), RunState.RUNNING, Optional.of(message));
    return put(run.withRunTime(Optional.of(time)));
  }

  /// The agent shows something it made; state and message stay.
  public synchronized Run makes(RunId id, Artifact artifact) {
    var run = moved(run(id), run(id).state(), run(id).message());
    var artifacts = new ArrayList<>(run.artifacts());
    artifacts.add(artifact);
    return put(run.withArtifacts(artifacts));
  }

  /// The agent hands over a file; state and message stay.
  public synchronized Run handsOver(RunId id, RunFile file, String content) {
    contents.put(file.id(), content);
    var run = moved(run(id), run(id).state(), run(id).message());
    var files = new ArrayList<>(run.files());
    files.removeIf(each -> each.id().equals(file.id()));
    files.add(file);
    return put(run.withFiles(files));
  }

  @Override
  public synchronized FileContent content(RunFile file, long maxBytes) {
    calls++;
    if (down.isPresent()) {
      return new FileContent.Later(down.get().retryAfter(), down.get().why());
    }
    if (contentAfter.isPresent()) {
      return new FileContent.Later(contentAfter, "The files cannot be read now");
    }
    return Optional.ofNullable(contents.get(file.id()))
        .<FileContent>map(text -> new FileContent.Read(copy(text)))
        .orElseGet(() -> new FileContent.Withheld("the run service no longer has it"));
  }

  private static Path copy(String text) {
    try {
      return Files.writeString(Files.createTempFile("runnel-test-", ""), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// From now on contents of files are not given, only a time to ask again; empty ends that.
  public synchronized void withholdsContent(Optional<Duration> retryAfter) {
    contentAfter = retryAfter;
  }

  /// A run that somebody else started.
  public synchronized Run addsStranger(String title) {
    return add(title, Optional.empty());
  }

  /// The same, with this id.
  public synchronized Run addsStranger(RunId id, String title) {
    var run = add(title, Optional.empty());
    runs.remove(run.id());
    return put(run.withId(id));
  }

  /// A run that another run started.
  public synchronized Run addsChild(RunId parent, String title) {
    return put(add(title, Optional.empty()).withParent(Optional.of(parent)));
  }

  /// A run that Runnel started for a message that is not known here.
  public synchronized Run addsStarted(String title) {
    return add(title, Optional.of(new DeliveryId("slack:unknown")));
  }

  /// The run is gone, as if it never was.
  public synchronized void forgets(RunId id) {
    runs.remove(id);
  }

  /// The run may no longer be read on its own.
  public synchronized void isHidden(RunId id) {
    hidden.add(id);
  }

  /// From now on nothing is reached, and nothing happens, until [#isBack()].
  public synchronized void isDown(Optional<Duration> retryAfter) {
    down = Optional.of(new Outcome.Unavailable(retryAfter, "The run service is down"));
  }

  /// From now on a request that is repeated with its key has no second effect.
  public synchronized void hasIdempotencyKeys() {
    hasIdempotencyKeys = true;
  }

  /// From now on what is said to a run waits until the agent takes it, and a stop hands it back.
  ///
  /// @param tells whether the runs show it
  public synchronized void keepsReplies(boolean tells) {
    keepsReplies = true;
    tellsReplies = tells;
  }

  /// Whether something waits for the agent.
  public synchronized boolean hasWaiting(RunId id) {
    return !waiting.getOrDefault(id, Set.of()).isEmpty();
  }

  /// What stops handed back: the words, in the order in which they were said.
  public synchronized List<String> handedBack() {
    return followUps.stream()
        .filter(each -> unread.getOrDefault(each.run(), Set.of()).contains(each.key()))
        .map(Said::text)
        .toList();
  }

  /// The agent takes what waits, in an execution of its own.
  public synchronized Run takesReplies(RunId id) {
    waiting.remove(id);
    return put(moved(run(id), RunState.RUNNING, Optional.empty()));
  }

  /// From now on nobody can tell from a run what it was told.
  public synchronized void isSilent() {
    isSilent = true;
  }

  public synchronized void isBack() {
    down = Optional.empty();
  }

  /// The next start, follow-up or cancellation has no effect and is answered so. May be called
  /// several times for several answers.
  public synchronized void answersNext(Outcome outcome) {
    nextAnswers.add(outcome);
  }

  /// The next start, follow-up or cancellation takes effect, but its answer is lost: `Busy`.
  public synchronized void losesNextAnswer() {
    losesNextAnswer = true;
  }

  /// The run as it is now, without counting as a call.
  public synchronized Run run(RunId id) {
    var run = runs.get(id);
    if (run == null) {
      throw new NoSuchElementException("There is no run " + id);
    }
    return run;
  }

  /// All runs, oldest first.
  public synchronized List<Run> runs() {
    return List.copyOf(runs.values());
  }

  /// The starts that reached the service, refused ones included, oldest first.
  public synchronized List<Started> starts() {
    return List.copyOf(starts);
  }

  /// The follow-ups that took effect, oldest first.
  public synchronized List<Said> followUps() {
    return List.copyOf(followUps);
  }

  /// The cancellations that were accepted, oldest first.
  public synchronized List<RunId> cancels() {
    return List.copyOf(cancels);
  }

  /// All there is, in words that are the same for the same runs.
  @Override
  public synchronized String toString() {
    return runs.values()
        + "\n"
        + waiting
        + unread
        + followUps
        + "\n"
        + cancels.size()
        + " "
        + starts.size();
  }

  /// All calls of the port, answered or not.
  public synchronized int calls() {
    return calls;
  }

  private interface Reading<T> {
    T now();
  }

  private Outcome read(Reading<Outcome> reading) {
    calls++;
    return down.isPresent() ? down.get() : reading.now();
  }

  private RunListing look(Predicate<Run> wanted) {
    calls++;
    if (down.isPresent()) {
      return new RunListing.Unavailable(down.get().retryAfter(), down.get().why());
    }
    return new RunListing.Listed(runs.values().stream().filter(wanted).toList());
  }

  private Outcome change(RunId id, UnaryOperator<Run> step) {
    calls++;
    if (down.isPresent()) {
      return down.get();
    }
    if (!nextAnswers.isEmpty()) {
      return nextAnswers.remove();
    }
    var run = runs.get(id);
    return run == null ? new Outcome.Missing() : answer(put(step.apply(run)));
  }

  private Outcome answer(Run run) {
    if (losesNextAnswer) {
      losesNextAnswer = false;
      return new Outcome.Unavailable(Optional.empty(), "The answer was lost");
    }
    return new Outcome.Done(run);
  }

  private Run add(String title, Optional<DeliveryId> delivery) {
    var id = new RunId("0190e6a1-9f50-7c3e-8a43-%012d".formatted(++added));
    return put(
        Samples.run(
            id,
            title,
            RunState.QUEUED,
            RunState.QUEUED.name(),
            Optional.empty(),
            false,
            Optional.of(URI.create("https://runs.example/sessions/" + id)),
            List.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(nextChange()),
            delivery));
  }

  private Run moved(Run run, RunState state, Optional<String> message) {
    return run.with(
        it ->
            it.state(state)
                .stateName(state.name())
                .message(message)
                .retryable(false)
                .updatedAt(Optional.of(nextChange())));
  }

  private Run put(Run run) {
    var shown = tellsReplies ? run.withReplies(Optional.of(replies(run.id()))) : run;
    runs.put(run.id(), shown);
    return shown;
  }

  private Replies replies(RunId id) {
    return new Replies(waiting.getOrDefault(id, Set.of()), unread.getOrDefault(id, Set.of()));
  }

  private Instant nextChange() {
    var now = clock.instant();
    lastChange = now.isAfter(lastChange) ? now : lastChange.plusMillis(1);
    return lastChange;
  }
}
