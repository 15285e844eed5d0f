package dev.runnel.core;

import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.Store;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Another node writes the binding between our read and our write.
class LostCompareTest {
  @TempDir Path folder;
  private World world;

  @BeforeEach
  void begin() {
    world = new World(folder);
    world.says(delivery("1", start("fix the test")));
    world.settle();
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void endCausedByAStopIsReportedOnce() {
    world.restart(OneLost::new);
    world.says(delivery("2", cancel()));
    world.passes(Duration.ofSeconds(5));

    assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Cancelled");
  }

  @Test
  void endOfAReopenedRunIsReported() {
    world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Fixed.");
    world.passes(Duration.ofSeconds(2));
    world.restart(OneLost::new);
    world.says(delivery("2", say("add a test")));
    world.settle();
    world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Added.");
    world.passes(Duration.ofSeconds(2));

    assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Succeeded", "Succeeded");
  }

  /// The first compare is lost.
  private static final class OneLost implements Store {
    private final Store store;
    private boolean lost;

    OneLost(Store store) {
      this.store = store;
    }

    @Override
    public <T> T commit(Function<Work, T> step) {
      return store.commit(work -> step.apply(new Losing(work)));
    }

    @Override
    public boolean accept(Delivery delivery) {
      return store.accept(delivery);
    }

    @Override
    public <T> T read(Function<Bindings, T> question) {
      return store.read(question);
    }

    private final class Losing implements Work, Bindings {
      private final Work work;

      Losing(Work work) {
        this.work = work;
      }

      @Override
      public boolean save(Binding binding) {
        if (!lost) {
          lost = true;
          return false;
        }
        return work.bindings().save(binding);
      }

      @Override
      public Inbox inbox() {
        return work.inbox();
      }

      @Override
      public Bindings bindings() {
        return this;
      }

      @Override
      public Outbox outbox() {
        return work.outbox();
      }

      @Override
      public Store.PullRequests pullRequests() {
        return work.pullRequests();
      }

      @Override
      public Store.Issues issues() {
        return work.issues();
      }

      @Override
      public Store.Schedules schedules() {
        return work.schedules();
      }

      @Override
      public Store.Approvals approvals() {
        return work.approvals();
      }

      @Override
      public Store.Starts starts() {
        return work.starts();
      }

      @Override
      public Store.Audit audit() {
        return work.audit();
      }

      @Override
      public Store.Limits limits() {
        return work.limits();
      }

      @Override
      public Store.Holds holds() {
        return work.holds();
      }

      @Override
      public void wake(String service) {
        work.wake(service);
      }

      @Override
      public Optional<Binding> of(Conversation conversation) {
        return work.bindings().of(conversation);
      }

      @Override
      public List<Binding> startingWith(String id, int limit) {
        return work.bindings().startingWith(id, limit);
      }

      @Override
      public Optional<Binding> of(RunId run) {
        return work.bindings().of(run);
      }

      @Override
      public List<Binding> active() {
        return work.bindings().active();
      }

      @Override
      public int countActive() {
        return work.bindings().countActive();
      }

      @Override
      public boolean hasActive() {
        return work.bindings().hasActive();
      }

      @Override
      public List<Binding> recent(Optional<SurfaceId> surface, String place, int limit) {
        return work.bindings().recent(surface, place, limit);
      }

      @Override
      public Store.Preferences preferences() {
        return work.preferences();
      }

      @Override
      public void release(Conversation conversation, RunId run) {
        work.bindings().release(conversation, run);
      }

      @Override
      public void statusPosted(Conversation conversation, RunId run, PostRef status) {
        work.bindings().statusPosted(conversation, run, status);
      }
    }
  }
}
