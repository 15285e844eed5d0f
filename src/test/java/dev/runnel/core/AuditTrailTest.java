package dev.runnel.core;

import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditTrailTest {
  private static final ObjectMapper JSON = new ObjectMapper();

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

  private List<JsonNode> entries() {
    return world.audit().stream()
        .map(
            line -> {
              try {
                return JSON.readTree(line);
              } catch (JsonProcessingException e) {
                throw new AssertionError(line, e);
              }
            })
        .toList();
  }

  private List<String> verbs() {
    return entries().stream()
        .map(each -> each.path("verb").asText() + " " + each.path("verdict").asText())
        .toList();
  }

  @Test
  void aStartNamesThePersonTheRunAndTheEnvironment() {
    world.says(delivery("1", start("fix it")));
    world.settle();

    var entry = entries().getFirst();
    assertThat(verbs()).containsExactly("start allowed");
    assertThat(entry.path("who").path("id").asText()).startsWith("fake:");
    assertThat(entry.path("delivery").asText()).isEqualTo("fake:1");
    assertThat(entry.path("run").asText()).isEqualTo(world.onlyRun().id().value());
    assertThat(entry.path("door").asText()).isEqualTo("fake");
    assertThat(entry.toString()).doesNotContain("fix it");
  }

  @Test
  void aFollowUpAndAnAnswerAreToldApart() {
    world.says(delivery("1", start("fix it")));
    world.settle();
    world.says(delivery("2", say("quickly")));
    world.settle();
    world.passes(Duration.ofSeconds(5));
    world.runs.moves(world.onlyRun().id(), RunState.BLOCKED, "Which one?");
    world.passes(Duration.ofSeconds(5));
    world.says(delivery("3", say("the first")));
    world.settle();
    world.passes(Duration.ofSeconds(5));

    assertThat(verbs()).containsExactly("start allowed", "say allowed", "answer allowed");
  }

  @Test
  void aStopIsFollowedByItsEffect() {
    world.says(delivery("1", start("fix it")));
    world.settle();
    world.says(delivery("2", cancel()));
    world.settle();
    world.passes(Duration.ofSeconds(5));

    assertThat(verbs())
        .containsExactlyInAnyOrder("start allowed", "stop allowed", "end allowed", "stop allowed");
    var end =
        entries().stream()
            .filter(each -> each.path("verb").asText().equals("end"))
            .findFirst()
            .orElseThrow();
    assertThat(end.path("details").asText()).contains("the stop took effect");
    assertThat(end.path("who").path("id").asText()).startsWith("fake:");
  }

  @Test
  void anEndIsRunnelsOwn() {
    world.says(delivery("1", start("fix it")));
    world.settle();
    world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Done.");
    world.passes(Duration.ofSeconds(5));

    assertThat(verbs()).containsExactly("start allowed", "end allowed");
    assertThat(entries().getLast().path("who").path("id").asText()).isEqualTo("runnel");
  }

  @Test
  void aRefusalHasItsReason() {
    world.surface.admits(new Admission.Refused("a guest", "Only members may."));
    world.says(delivery("1", start("mine a coin")));
    world.settle();
    world.surface.admits(new Admission.TurnedAway("a stranger"));
    world.says(delivery("2", start("mine a coin")));
    world.settle();

    assertThat(verbs()).containsExactly("start refused", "start refused");
    assertThat(entries())
        .extracting(each -> each.path("rule").asText())
        .containsExactly("a guest", "a stranger");
  }

  @Test
  void aChangedDefaultIsNamedWithoutItsValue() {
    world.says(
        delivery(
            "1",
            new Intent.Ask(
                new Question.Configure("model", Optional.of("private-model"), Level.ME))));
    world.settle();

    assertThat(verbs()).containsExactly("configure allowed");
    assertThat(entries().getFirst().path("details").asText()).isEqualTo("set model (me)");
  }

  @Test
  void helpAndWordsBetweenPeopleAreNotAudited() {
    world.says(delivery("1", new Intent.Help()));
    world.says(delivery("2", say("hello")).withAddressed(false));
    world.settle();

    assertThat(entries()).isEmpty();
  }
}
