package dev.runnel.service.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.database.Database;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ClaimLost;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.NodeIdentity;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.Usage;
import dev.runnel.service.store.ExecutionRecords.NewOutput;
import dev.runnel.service.store.TranscriptRows.Entry;
import dev.runnel.testkit.Postgres;
import dev.runnel.testkit.RunChanges;
import dev.runnel.testkit.SettableClock;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Who works on a run when several nodes share the database, and what counts of what a lost node
/// still says.
@Tag("slow")
class SeveralNodesTest {
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final String LOST = "The node that ran this was lost. Reply to continue.";

  private final SettableClock clock = new SettableClock();
  private String url;
  private Database database;
  private RunQueries queries;
  private Node a;
  private Node b;

  private record Node(Database database, NodeMembership membership, RunChanges changes) {
    RunService runs() {
      return changes.runs();
    }

    ExecutionRecords records() {
      return changes.records();
    }

    ExecutionRequest claim() {
      return records().claimNext(0).orElseThrow();
    }

    String id() {
      return membership.id();
    }
  }

  @BeforeEach
  void open() throws SQLException {
    url = Postgres.freshDatabase();
    database = ServiceTables.migrate(Database.postgres(url, ServiceTables.SCHEMA));
    queries = new RunQueries(database);
    a = node("a", OptionalInt.empty());
    b = node("b", OptionalInt.empty());
  }

  @AfterEach
  void close() {
    a.database().close();
    b.database().close();
    database.close();
  }

  private Node node(String name, OptionalInt slotsOfAll) {
    var own = Database.postgres(url, ServiceTables.SCHEMA);
    var membership = NodeMembership.join(own, clock, new NodeIdentity(name, name, name), 4, LEASE);
    return new Node(
        own,
        membership,
        RunChanges.on(
            own, clock, membership, new SlotLimits(slotsOfAll, SlotLimits.NONE.perPerson())));
  }

  @Test
  void eachRunIsClaimedByOneNode() throws Exception {
    for (int i = 0; i < 40; i++) {
      create("task " + i);
    }
    var claimed = new ConcurrentLinkedQueue<String>();
    var threads =
        List.of(a, b, a, b).stream()
            .map(
                node ->
                    Thread.ofVirtual()
                        .start(
                            () -> {
                              for (var next = node.records().claimNext(0);
                                  next.isPresent();
                                  next = node.records().claimNext(0)) {
                                claimed.add(next.get().runId());
                              }
                            }))
            .toList();
    for (var thread : threads) {
      thread.join();
    }

    assertThat(claimed).hasSize(40).doesNotHaveDuplicates();
  }

  @Test
  void changesOfAllNodesHaveTimesThatIncrease() throws Exception {
    var threads =
        List.of(a, b).stream()
            .map(
                node ->
                    Thread.ofVirtual()
                        .start(
                            () -> {
                              for (int i = 0; i < 25; i++) {
                                create(node, "x");
                              }
                            }))
            .toList();
    for (var thread : threads) {
      thread.join();
    }

    assertThat(queries.changedSince(Instant.EPOCH))
        .extracting(RunTable.Changed::at)
        .hasSize(50)
        .doesNotHaveDuplicates()
        .isSorted();
  }

  @Test
  void executionOfALostNodeEndsAndItsLateOutputHasNoEffect() {
    var run = create("task");
    var claimed = a.claim();
    assertThat(a.records().begin(claimed)).isFalse();
    clock.advance(LEASE.plusSeconds(1));
    assertThat(b.membership().renew()).isTrue();
    b.records().endLostExecutions();

    assertThat(find(run).state()).isEqualTo(ExecutionState.ERROR);
    assertThat(find(run).status().orElseThrow().message()).isEqualTo(LOST);
    assertThatThrownBy(() -> a.records().recordOutput(claimed, said("late", Optional.of("busy"))))
        .isInstanceOf(ClaimLost.class);
    assertThatThrownBy(() -> a.records().recordOutput(claimed, said("late", Optional.empty())))
        .isInstanceOf(ClaimLost.class);
    assertThatThrownBy(() -> a.records().launched(claimed, 1, Optional.empty(), false))
        .isInstanceOf(ClaimLost.class);
    assertThatThrownBy(() -> a.records().forgetSession(claimed)).isInstanceOf(ClaimLost.class);
    assertThat(a.records().finish(claimed.claim(), ExecutionResult.succeeded("done"))).isEmpty();
    assertThat(find(run).state()).isEqualTo(ExecutionState.ERROR);
    assertThat(a.membership().renew()).isFalse();
  }

  @Test
  void aLostNodeEndsNothingOfTheExecutionThatFollowed() {
    var run = create("task");
    var first = a.claim();
    a.records().begin(first);
    lose(a);
    b.records().endLostExecutions();
    b.runs().followUp(run, "go on", Caller.MAIN, Optional.empty(), false, Optional.empty());
    clock.advance(LEASE);
    b.membership().renew();
    var second = b.claim();
    b.records().begin(second);

    assertThat(a.records().finish(first.claim(), ExecutionResult.failed("no"))).isEmpty();
    assertThat(a.records().returnToQueue(first.claim(), ExecutionResult.nodeLost())).isEmpty();

    assertThat(second.execution()).isEqualTo(2);
    assertThat(second.prompt()).isEqualTo("go on");
    assertThat(find(run).state()).isEqualTo(ExecutionState.INPROGRESS);
    assertThat(b.records().finish(second.claim(), ExecutionResult.succeeded("done")))
        .contains(ExecutionState.SUCCEEDED);
  }

  @Test
  void unstartedExecutionOfALostNodeRunsOnAnotherNode() {
    var run = create("task");
    a.runs().followUp(run, "and this", Caller.MAIN, Optional.empty(), false, Optional.empty());
    var first = a.claim();
    lose(a);
    b.records().endLostExecutions();
    var second = b.claim();

    assertThat(second.runId()).isEqualTo(run);
    assertThat(second.execution()).isEqualTo(1);
    assertThat(second.prompt()).isEqualTo(first.prompt()).isEqualTo("task\n\nand this");
    assertThat(second.claim()).isNotEqualTo(first.claim());
    assertThatThrownBy(() -> a.records().begin(first)).isInstanceOf(ClaimLost.class);
    assertThat(queries.transcript(run, 0).orElseThrow().lines())
        .extracting(TranscriptLine::text)
        .containsExactly("task\n\nand this");
  }

  @Test
  void undeliveredFollowUpOfALostNodeReachesTheNextAgent() {
    var run = create("task");
    finish(a);
    a.runs().followUp(run, "and this", Caller.MAIN, Optional.empty(), false, Optional.empty());
    a.claim();
    lose(a);
    clock.advance(LEASE);
    b.membership().renew();
    b.records().endLostExecutions();
    var again = b.claim();

    assertThat(again.execution()).isEqualTo(2);
    assertThat(again.prompt()).isEqualTo("and this");
  }

  @Test
  void offeredFollowUpOfALostNodeIsRepeatedAsUncertain() {
    var run = create("task");
    var claimed = a.claim();
    a.records().begin(claimed);
    a.records().launched(claimed, 1, Optional.empty(), true);
    var answer =
        b.runs().followUp(run, "and this", Caller.MAIN, Optional.empty(), false, Optional.empty());
    var offered = a.records().offer(claimed, (_, text) -> Optional.of("> " + text));
    lose(a);
    clock.advance(LEASE);
    b.membership().renew();
    b.records().endLostExecutions();
    var again = b.claim();

    assertThat(answer).contains("live_session");
    assertThat(offered).extracting(ExecutionRecords.Offered::line).containsExactly("> and this");
    assertThat(again.prompt())
        .isEqualTo(
            "You may have read this message before you were interrupted. If so, do not do it"
                + " twice:\n\nand this");
    assertThatThrownBy(() -> a.records().markRead(claimed, offered.getFirst().id()))
        .isInstanceOf(ClaimLost.class);
    assertThatThrownBy(() -> a.records().withdrawOffers(claimed)).isInstanceOf(ClaimLost.class);
    assertThat(queries.transcript(run, 0).orElseThrow().lines())
        .extracting(TranscriptLine::text)
        .containsExactly("task", again.prompt());
  }

  @Test
  void followUpDuringTheSetupSurvivesTheLossOfTwoNodes() {
    var run = create("task");
    a.runs().followUp(run, "as I asked", Caller.MAIN, Optional.empty(), false, Optional.empty());
    var first = a.claim();
    a.runs().followUp(run, "and this", Caller.MAIN, Optional.empty(), false, Optional.empty());
    lose(a);
    b.records().endLostExecutions();
    b.claim();
    a.records().returnToQueue(first.claim(), ExecutionResult.nodeLost());
    a.membership().joinAgain();
    lose(b);
    a.records().endLostExecutions();

    assertThat(a.claim().prompt()).isEqualTo("task\n\nas I asked\n\nand this");
  }

  @Test
  void rejoinedNodeWaitsForTheEndOfEarlierProcessesOfARun() {
    var run = create("task");
    var before = a.claim();
    a.records().begin(before);
    lose(a);
    b.records().endLostExecutions();
    b.runs().followUp(run, "go on", Caller.MAIN, Optional.empty(), false, Optional.empty());
    a.membership().joinAgain();

    assertThat(a.records().claimNext(0)).isEmpty();
    a.records().returnToQueue(before.claim(), ExecutionResult.restarted());
    assertThat(a.claim().prompt()).isEqualTo("go on");
  }

  @Test
  void claimFromBeforeARejoinCannotBegin() {
    create("task");
    var before = a.claim();
    lose(a);
    database.write(rows -> rows.change("UPDATE nodes SET ended = 1 WHERE id <> ?", b.id()));
    a.membership().joinAgain();

    assertThatThrownBy(() -> a.records().begin(before)).isInstanceOf(ClaimLost.class);
    b.records().endLostExecutions();
    assertThat(b.claim().execution()).isEqualTo(1);
  }

  @Test
  void nodeStillClaimsRunsAfterItsClockIsSetBack() {
    create("task");
    clock.advance(LEASE.multipliedBy(-10));
    a.membership().renew();

    assertThat(a.records().claimNext(0)).isPresent();
  }

  @Test
  void clockSetBackMarksNoNodeAsLost() {
    var run = create("task");
    var claimed = a.claim();
    a.records().begin(claimed);
    clock.advance(LEASE.multipliedBy(-10));
    a.membership().renew();
    b.membership().renew();
    b.records().endLostExecutions();

    assertThat(find(run).state()).isEqualTo(ExecutionState.INPROGRESS);
  }

  @Test
  void runThatRepeatedlyLosesItsNodeEnds() {
    var run = create("task");
    for (int i = 0; i < 4; i++) {
      var node = node("c" + i, OptionalInt.empty());
      assertThat(node.records().claimNext(0)).isPresent();
      node.database().close();
      clock.advance(LEASE.plusSeconds(1));
      b.membership().renew();
      b.records().endLostExecutions();
    }

    assertThat(find(run).state()).isEqualTo(ExecutionState.ERROR);
  }

  @Test
  void aCancelledRunOfALostNodeIsCancelled() {
    var run = create("task");
    a.claim();
    assertThat(b.runs().cancel(run, false, clock.instant())).containsExactly(run);
    lose(a);
    b.records().endLostExecutions();

    assertThat(find(run).state()).isEqualTo(ExecutionState.CANCELLED);
  }

  @Test
  void aCancellationAtAnotherNodeIsSeenBeforeTheAgentStarts() {
    var run = create("task");
    var claimed = a.claim();
    var before = queries.newestChange();
    b.runs().cancel(run, false, clock.instant());

    assertThat(a.records().begin(claimed)).isTrue();
    assertThat(queries.changedSince(before))
        .singleElement()
        .satisfies(changed -> assertThat(changed.isCancelRequested()).isTrue());
  }

  @Test
  void nodeMarkedAsLostClaimsNothingUntilItJoinsAgain() {
    lose(a);
    b.records().endLostExecutions();
    create("task");

    assertThat(a.records().claimNext(0)).isEmpty();
    a.membership().joinAgain();
    assertThat(a.records().claimNext(0)).isPresent();
  }

  @Test
  void aNodeWhoseLeaseIsOverClaimsNothing() {
    create("task");
    clock.advance(LEASE.plusSeconds(1));

    assertThat(a.records().claimNext(0)).isEmpty();
  }

  @Test
  void nodeThatRenewsInTimeBeforeItsLossIsRecordedKeepsItsLease() {
    clock.advance(LEASE.plusSeconds(1));
    assertThat(database.<List<String>>read(rows -> NodeMembership.expired(rows, clock.instant())))
        .contains(a.id());
    a.membership().renew();

    assertThat(database.<Boolean>write(rows -> NodeMembership.end(rows, a.id(), clock.instant())))
        .isFalse();
    assertThat(a.membership().renew()).isTrue();
  }

  @Test
  void aNodeThatRenewsInTimeKeepsItsRuns() {
    var run = create("task");
    a.records().begin(a.claim());
    for (int i = 0; i < 5; i++) {
      clock.advance(LEASE.dividedBy(2));
      assertThat(a.membership().renew()).isTrue();
      b.membership().renew();
      b.records().endLostExecutions();
    }

    assertThat(find(run).state()).isEqualTo(ExecutionState.INPROGRESS);
  }

  @Test
  void followUpWaitsForTheLiveNodeWithTheWorkspace() {
    var run = create("task");
    finish(a);
    a.runs().followUp(run, "more", Caller.MAIN, Optional.empty(), false, Optional.empty());
    var other = create("other");

    assertThat(b.claim().runId()).isEqualTo(other);
    assertThat(b.records().claimNext(0)).isEmpty();
    assertThat(a.claim().runId()).isEqualTo(run);
  }

  @Test
  void followUpRunsOnAnotherNodeAfterTheLossOfItsNode() {
    var run = create("task");
    finish(a);
    a.membership().leave();
    b.runs().followUp(run, "more", Caller.MAIN, Optional.empty(), false, Optional.empty());
    assertThat(b.records().claimNext(0)).isEmpty();

    clock.advance(LEASE.plusSeconds(1));
    b.membership().renew();
    assertThat(b.claim().runId()).isEqualTo(run);
  }

  @Test
  void copiedNodeIdentityIsDetectedWhileBothRun() throws Exception {
    var copy = new NodeIdentity("a", "another host", "a");
    assertThat(NodeMembership.otherProcess(database, copy, Duration.ofSeconds(5))).isEmpty();
    var isOver = new AtomicBoolean();
    var renewing =
        Thread.ofVirtual()
            .start(
                () -> {
                  while (!isOver.get()) {
                    clock.advance(Duration.ofMillis(1));
                    a.membership().renew();
                  }
                });
    try {
      assertThat(NodeMembership.otherProcess(database, copy, LEASE)).contains("a");
    } finally {
      isOver.set(true);
      renewing.join();
    }
    assertThat(NodeMembership.otherProcess(database, new NodeIdentity("new", "x", "new"), LEASE))
        .isEmpty();
  }

  @Test
  void totalSlotLimitAppliesAcrossAllNodes() {
    var limited = node("c", OptionalInt.of(2));
    for (int i = 0; i < 3; i++) {
      create("task " + i);
    }
    a.claim();
    limited.claim();

    assertThat(limited.records().claimNext(0)).isEmpty();
    limited.database().close();
  }

  @Test
  void queueAlternatesBetweenPeopleAcrossAllNodes() {
    for (int i = 0; i < 4; i++) {
      create(a, "of ann", "ann");
    }
    create(b, "of bob", "bob");
    var served = new HashSet<String>();
    served.add(find(a.claim().runId()).title());
    served.add(find(b.claim().runId()).title());

    assertThat(served).containsExactlyInAnyOrder("of ann", "of bob");
  }

  private void lose(Node node) {
    clock.advance(LEASE.plusSeconds(1));
    (node.equals(a) ? b : a).membership().renew();
  }

  private void finish(Node node) {
    var claimed = node.claim();
    node.records().begin(claimed);
    node.records().finish(claimed.claim(), ExecutionResult.succeeded("done"));
  }

  private static NewOutput said(String text, Optional<String> status) {
    return new NewOutput(
        List.of(new Entry(TranscriptLine.Kind.SAID, text)),
        status,
        List.of(),
        Optional.empty(),
        Usage.NONE);
  }

  private RunRow find(String run) {
    return queries.find(run).orElseThrow();
  }

  private String create(String prompt) {
    return create(a, prompt);
  }

  private static String create(Node node, String prompt) {
    return create(node, prompt, "ann");
  }

  private static String create(Node node, String prompt, String person) {
    var asked =
        NewRun.parse(ServiceJson.newObject().put("prompt", prompt).put("on_behalf_of", person));
    return ServiceJson.read(
            node.runs().create(asked, Caller.MAIN, Optional.empty(), Optional.empty()))
        .path("run_id")
        .asText();
  }
}
