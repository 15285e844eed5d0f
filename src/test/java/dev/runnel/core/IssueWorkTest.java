package dev.runnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Labels, as work that must not get lost, done twice, or hold up other work.
class IssueWorkTest {
  @TempDir Path folder;
  private World world;

  @BeforeEach
  void open() {
    world = new World(folder);
  }

  @AfterEach
  void close() {
    world.close();
  }

  private static Conversation issue(int number) {
    return new Conversation(Samples.SURFACE, "acme/shop/" + number);
  }

  private static Delivery labelled(int issue, int time) {
    return new Delivery(
        new DeliveryId("fake:label-" + issue + "-" + time),
        "label " + issue + " " + time,
        issue(issue),
        new Actor("U1", "dana"),
        Samples.start("Work on this issue."),
        true,
        Origin.NONE,
        Samples.NINE.plusSeconds(time));
  }

  @Test
  void labelAddedAgainAfterTheEndStartsANewRun() {
    world.says(labelled(1, 0));
    world.settle();
    world.runs.moves(world.onlyRun().id(), RunState.FAILED, "It broke.");
    world.passes(Duration.ofSeconds(2));

    world.says(labelled(1, 60));
    world.settle();

    assertThat(world.runs.starts()).hasSize(2);
  }

  @Test
  void labelAddedAgainDuringTheRunStartsNoSecondOne() {
    world.says(labelled(1, 0));
    world.settle();

    world.says(labelled(1, 60));
    world.settle();

    assertThat(world.runs.starts()).hasSize(1);
  }

  @Test
  void twoHundredIssuesLabelledTogetherStartOneRunEach() {
    for (var number = 1; number <= 200; number++) {
      world.says(labelled(number, 0));
      world.says(labelled(number, 0));
    }
    world.settle();

    assertThat(world.runs.starts()).hasSize(200);
    assertThat(world.runs.starts()).extracting("key").doesNotHaveDuplicates();
  }
}
