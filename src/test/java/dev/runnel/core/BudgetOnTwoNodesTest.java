package dev.runnel.core;

import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.dispatch.Dispatcher;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.policy.Budget;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import dev.runnel.store.SteadyClock;
import dev.runnel.testkit.Dispatchers;
import dev.runnel.testkit.FakeAgentRuns;
import dev.runnel.testkit.FakeSurface;
import dev.runnel.testkit.Postgres;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Two nodes on one PostgreSQL that start runs of one person at the same time.
@Tag("slow")
@Timeout(60)
class BudgetOnTwoNodesTest {
  private static final int STARTS = 20;
  private static final int BUDGET = 3;

  private static final Policy POLICY =
      new Policy(
          Map.of(),
          List.of(),
          List.of(),
          List.of(
              new Budget(
                  "policy.budgets[0]",
                  Budget.Per.PERSON,
                  Budget.Period.DAY,
                  Optional.of((long) BUDGET),
                  Optional.empty(),
                  Optional.empty())));

  private final FakeAgentRuns runs = new FakeAgentRuns(InstantSource.system());
  private final FakeSurface surface = new FakeSurface();

  @Test
  void budgetAppliesAcrossBothNodes() throws Exception {
    var url = Postgres.freshDatabase();
    try (var one = Database.postgres(url);
        var other = Database.postgres(url);
        var first = store(one);
        var second = store(other);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var nodes = List.of(dispatcher(first), dispatcher(second));
      var conversations = new ArrayList<Conversation>();
      for (int i = 0; i < STARTS; i++) {
        var conversation = new Conversation(THREAD.surface(), "team/channel/" + i);
        first.accept(delivery("" + i, start("work " + i), conversation));
        conversations.add(conversation);
      }
      var now = Instant.now().plusSeconds(60);
      var steps = new ArrayList<Callable<Integer>>();
      for (int i = 0; i < STARTS; i++) {
        var node = nodes.get(i % 2);
        var conversation = conversations.get(i);
        steps.add(() -> node.step(conversation, now));
      }
      for (var step : threads.invokeAll(steps)) {
        step.get();
      }
    }

    assertThat(runs.runs()).hasSize(BUDGET);
  }

  private static SqlStore store(Database database) {
    return new SqlStore(database, new SteadyClock(database.clock(InstantSource.system())));
  }

  private Dispatcher dispatcher(SqlStore store) {
    var surfaces = Surfaces.of(List.of(surface));
    return Dispatchers.of(store, runs, surfaces, POLICY, new Random(1));
  }
}
