package dev.runnel.core;

import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.deliver.Courier;
import dev.runnel.core.deliver.FileDelivery;
import dev.runnel.core.deliver.FileLimits;
import dev.runnel.core.deliver.Reminders;
import dev.runnel.core.dispatch.Dispatcher;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.Store;
import dev.runnel.core.recovery.OutageRecovery;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.testkit.Dispatchers;
import dev.runnel.testkit.FakeAgentRuns;
import dev.runnel.testkit.FakeSurface;
import dev.runnel.testkit.MemoryStore;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.SettableClock;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A step stands still before one of its commits, so long that another one takes its row over and
/// does all of it. When the first goes on, each effect has happened once.
class StalledStepTest {
  private static final Conversation PLACE = new Conversation(Samples.SURFACE, "team/channel/~1");

  private final SettableClock clock = new SettableClock();
  private final MemoryStore rows = new MemoryStore();
  private final FakeAgentRuns service = new FakeAgentRuns(clock);
  private final FakeSurface platform = new FakeSurface();
  private final Surfaces surfaces = Surfaces.of(List.of(platform));

  /// A store before whose n-th commit something else happens.
  private static final class StallingStore implements Store {
    private final Store store;
    private final int commit;
    private final Runnable meanwhile;
    private int count;

    StallingStore(Store store, int commit, Runnable meanwhile) {
      this.store = store;
      this.commit = commit;
      this.meanwhile = meanwhile;
    }

    @Override
    public <T> T commit(Function<Work, T> step) {
      if (++count == commit) {
        meanwhile.run();
      }
      return store.commit(step);
    }

    @Override
    public boolean accept(Delivery delivery) {
      return store.accept(delivery);
    }

    @Override
    public <T> T read(Function<Bindings, T> question) {
      return store.read(question);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void threadIsOpenedOnce(int commit) {
    assertThat(rows.accept(commandWithoutThread())).isTrue();

    dispatcher(stalling(commit, () -> dispatcher(rows).step(PLACE, clock.instant())))
        .step(PLACE, clock.instant());

    assertThat(platform.opens()).isOne();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void runIsStartedOnce(int commit) {
    assertThat(rows.accept(delivery("1", start("fix it")))).isTrue();

    dispatcher(stalling(commit, () -> dispatcher(rows).step(THREAD, clock.instant())))
        .step(THREAD, clock.instant());

    assertThat(service.runs().stream().filter(run -> !run.state().isTerminal())).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void statusIsPostedOnce(int commit) {
    assertThat(rows.accept(delivery("1", start("fix it")))).isTrue();
    dispatcher(rows).step(THREAD, clock.instant());

    courier(stalling(commit, () -> courier(rows).step(THREAD, clock.instant())))
        .step(THREAD, clock.instant());

    assertThat(platform.kinds(THREAD)).containsExactly("Status");
  }

  private Store stalling(int commit, Runnable meanwhile) {
    return new StallingStore(rows, commit, meanwhile);
  }

  private Dispatcher dispatcher(Store store) {
    return Dispatchers.of(store, service, surfaces, Policy.NONE, () -> 0);
  }

  private Courier courier(Store store) {
    return new Courier(
        store,
        surfaces,
        () -> 0,
        Reminders.NONE,
        new OutageRecovery(store, service, surfaces),
        new FileDelivery(service, FileLimits.DEFAULT));
  }

  private static Delivery commandWithoutThread() {
    return new Delivery(
        new DeliveryId("fake:1"),
        "said:1",
        PLACE,
        Samples.DANA,
        start("fix it"),
        true,
        new Origin(Optional.empty(), Optional.of("reply"), Optional.empty(), true),
        Samples.NINE);
  }
}
