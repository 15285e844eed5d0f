package dev.runnel.core.decide;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.SAM;
import static dev.runnel.testkit.Samples.SURFACE;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.run;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.scope.Defaults;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Who may name a run: by a command, by a link, by a button.
class RunAccessPolicyTest {
  private static final Conversation SAME_PLACE = new Conversation(SURFACE, "team/channel/2");
  private static final Conversation ELSEWHERE = new Conversation(SURFACE, "team/private/2");
  private static final Conversation IN_AN_ISSUE =
      new Conversation(new SurfaceId("github"), "acme/shop#7");

  @Nested
  class TheRule {
    private final RunAccessPolicy runAccessPolicy =
        new RunAccessPolicy(new Defaults(Map.of(), Set.of("fake:" + SAM.id())));
    private final Actor stranger = new Actor("U9", "kim");
    private final Binding binding =
        Samples.binding(
            THREAD,
            run("run-1", RunState.RUNNING),
            DANA,
            Request.of("fix it"),
            Origin.NONE,
            Optional.empty(),
            NINE,
            false,
            1);

    private boolean may(Actor actor, Conversation where) {
      return runAccessPolicy
          .refusal(said(actor, where, status("run-1")), Optional.of(binding))
          .isEmpty();
    }

    @Test
    void everyoneInThePlaceOfARunHasAccess() {
      assertThat(may(stranger, THREAD)).isTrue();
      assertThat(may(stranger, SAME_PLACE)).isTrue();
    }

    @Test
    void onlyTheRequesterAndAdminsHaveAccessFromElsewhere() {
      assertThat(may(DANA, ELSEWHERE)).isTrue();
      assertThat(may(SAM, ELSEWHERE)).isTrue();
      assertThat(may(stranger, ELSEWHERE)).isFalse();
    }

    @Test
    void personWithTheSameNameOnAnotherPlatformHasNoAccess() {
      assertThat(may(DANA, IN_AN_ISSUE)).isFalse();
      assertThat(may(SAM, IN_AN_ISSUE)).isFalse();
    }
  }

  @Nested
  class FromAnotherChannel {
    @TempDir Path folder;
    private World world;

    @BeforeEach
    void open() {
      world = new World(folder);
      world.says(delivery("1", start("fix the test")));
      world.settle();
    }

    @AfterEach
    void close() {
      world.close();
    }

    static Stream<Function<RunId, Intent>> intents() {
      return Stream.of(
          run -> new Intent.Cancel(Optional.of(run), Optional.empty()),
          run -> new Intent.Status(Optional.of(run)),
          run -> new Intent.Retry(Optional.of(run)),
          run -> new Intent.SayTo(run, Request.of("do something else")));
    }

    @ParameterizedTest
    @MethodSource("intents")
    void strangerIsRefusedPrivatelyWithTheNamesOfThosePermitted(Function<RunId, Intent> intent) {
      world.says(said(SAM, ELSEWHERE, intent.apply(world.onlyRun().id())));
      world.passes(Duration.ofSeconds(3));

      assertThat(world.surface.posts(ELSEWHERE))
          .singleElement()
          .satisfies(
              post ->
                  assertThat(post.update())
                      .isInstanceOfSatisfying(
                          Update.Message.class,
                          told -> {
                            assertThat(told.to()).isEqualTo(SAM);
                            assertThat(told.privately()).isTrue();
                            assertThat(told.text()).contains("the person who asked for it");
                          }));
      assertThat(world.runs.cancels()).isEmpty();
      assertThat(world.runs.followUps()).isEmpty();
      assertThat(world.runs.starts()).hasSize(1);
    }

    @Test
    void requesterCanStopTheRunFromAnotherChannel() {
      world.says(
          said(
              DANA,
              ELSEWHERE,
              new Intent.Cancel(Optional.of(world.onlyRun().id()), Optional.empty())));
      world.passes(Duration.ofSeconds(3));

      assertThat(world.runs.cancels()).containsExactly(world.onlyRun().id());
    }
  }

  private static Intent status(String run) {
    return new Intent.Status(Optional.of(new RunId(run)));
  }

  private static Delivery said(Actor actor, Conversation where, Intent intent) {
    var said = delivery("2", intent, where);
    return new Delivery(
        said.id(),
        said.meaning(),
        where,
        actor,
        intent,
        true,
        new Origin(
            Optional.empty(),
            Optional.of("https://hooks.example.com/1"),
            Optional.of(new PostRef("p")),
            false),
        said.arrivedAt());
  }
}
