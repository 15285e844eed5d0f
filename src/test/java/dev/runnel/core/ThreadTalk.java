package dev.runnel.core;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.World;
import java.time.Duration;

/// People talk in a thread that has a run: what these stories are told with.
public final class ThreadTalk {
  public static final Actor SAM = new Actor("sam", "Sam");

  private ThreadTalk() {}

  /// A message in the thread as it comes now; it mentions nobody.
  public static Delivery now(World world, String id, Actor who, Intent intent) {
    var said = delivery(id, intent, THREAD);
    return said.withActor(who)
        .withIntent(intent)
        .withAddressed(false)
        .withArrivedAt(world.clock.instant());
  }

  public static void says(World world, String id, String words) {
    world.says(now(world, id, DANA, Samples.say(words)));
  }

  /// The thread has a run, in that state, and people know it.
  public static Run begins(World world, RunState state) {
    world.says(delivery("1", Samples.start("fix the test")));
    world.settle();
    var run = world.onlyRun();
    if (state != RunState.QUEUED) {
      world.runs.moves(run.id(), state, state == RunState.BLOCKED ? "Which branch?" : "Well.");
    }
    world.passes(Duration.ofSeconds(2));
    return world.onlyRun();
  }

  public static PostRef message(String id) {
    return new PostRef("message-" + id);
  }
}
