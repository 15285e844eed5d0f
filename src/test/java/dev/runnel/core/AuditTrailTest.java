package dev.runnel.core;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.SAM;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.DeliveryTrace;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.policy.ApprovalRule;
import dev.runnel.core.policy.Policy;
import dev.runnel.testkit.World;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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

  private List<String> verdicts() {
    return entries().stream()
        .map(each -> each.path("verb").asText() + " " + each.path("verdict").asText())
        .toList();
  }

  @Test
  void aStartNamesThePersonTheRunAndTheEnvironment() {
    world.says(delivery("1", start("fix it")));
    world.settle();

    var entry = entries().getFirst();
    assertThat(verdicts()).containsExactly("start allowed");
    assertThat(entry.path("who").path("id").asText()).startsWith("fake:");
    assertThat(entry.path("delivery").asText()).isEqualTo("fake:1");
    assertThat(entry.path("run").asText()).isEqualTo(world.onlyRun().id().value());
    assertThat(entry.path("door").asText()).isEqualTo("fake");
    assertThat(entry.toString()).doesNotContain("fix it");
  }

  @Test
  void followUpAndAnswerAreAuditedAsDifferentActions() {
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

    assertThat(verdicts()).containsExactly("start allowed", "say allowed", "answer allowed");
  }

  @Test
  void stopAndItsEffectAreBothAudited() {
    world.says(delivery("1", start("fix it")));
    world.settle();
    world.says(delivery("2", cancel()));
    world.settle();
    world.passes(Duration.ofSeconds(5));

    assertThat(verdicts())
        .containsExactlyInAnyOrder("start allowed", "stop allowed", "end allowed", "stop allowed");
    var end =
        entries().stream()
            .filter(each -> each.path("verb").asText().equals("end"))
            .findFirst()
            .orElseThrow();
    assertThat(end.path("details").asText()).contains("the stop took effect");
    assertThat(entries())
        .extracting(each -> each.path("who").path("id").asText())
        .containsOnly("fake:" + DANA.id());
  }

  @Test
  void endOfARunIsAuditedAsRunnel() {
    world.says(delivery("1", start("fix it")));
    world.settle();
    world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Done.");
    world.passes(Duration.ofSeconds(5));

    assertThat(verdicts()).containsExactly("start allowed", "end allowed");
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

    assertThat(verdicts()).containsExactly("start refused", "start refused");
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

    assertThat(verdicts()).containsExactly("configure allowed");
    assertThat(entries().getFirst().path("details").asText()).isEqualTo("set model (me)");
  }

  @Test
  void theDefaultsThatAFormChangesAreNamed() {
    world.says(
        delivery(
            "1",
            new Intent.Ask(
                new Question.ConfigureAll(
                    List.of(
                        new Question.Configure("model", Optional.of("private-model"), Level.ME),
                        new Question.Configure("prompt", Optional.empty(), Level.HERE))))));
    world.settle();

    assertThat(entries().getFirst().path("details").asText())
        .isEqualTo("set model (me), unset prompt (here)");
  }

  @Test
  void anAnswerByAButtonIsAnAnswer() {
    world.says(delivery("1", start("fix it")));
    world.settle();
    world.runs.moves(world.onlyRun().id(), RunState.BLOCKED, "Which one?");
    world.passes(Duration.ofSeconds(5));
    var asked = AskedQuestion.of(world.onlyRun());
    world.says(
        delivery("2", new Intent.SayTo(world.onlyRun().id(), Request.of("the first"), asked)));
    world.settle();

    assertThat(verdicts()).containsExactly("start allowed", "answer allowed");
  }

  @Test
  void aDefaultThatOnlyAdminsMaySetIsRefused() {
    world.says(
        delivery(
            "1",
            new Intent.Ask(new Question.Configure("model", Optional.of("opus"), Level.WORKSPACE))));
    world.settle();

    assertThat(verdicts()).containsExactly("configure refused");
    assertThat(note("1")).startsWith("to refuse it: Workspace defaults need an admin");
  }

  @Test
  void aLinkToARunThatAnotherMessageStartedIsRefused() {
    var run = world.runs.addsStarted("fix it");
    world.says(delivery("1", new Intent.Link(run.id())));
    world.settle();

    assertThat(verdicts()).containsExactly("link refused");
    assertThat(note("1")).isEqualTo("to refuse it: the run belongs to another place");
  }

  private String note(String id) {
    var meaning = delivery(id, new Intent.Help()).meaning();
    return world
        .store()
        .<List<DeliveryTrace>>commit(work -> work.inbox().traces(THREAD, Optional.of(meaning), 1))
        .getFirst()
        .note()
        .orElse("");
  }

  static List<Arguments> verbs() {
    return List.of(
        arguments("freeze", new Intent.Ask(new Question.Freeze(true, Optional.empty()))),
        arguments("approve", new Intent.Ask(new Question.Decide(Optional.of("12345678"), true))),
        arguments("link", new Intent.Link(new RunId("run-of-another-place"))),
        arguments("stop", throughALink(new Intent.Cancel(Optional.empty(), Optional.empty()))),
        arguments("read", throughALink(new Intent.Status(Optional.empty()))),
        arguments("retry", new Intent.Retry(Optional.empty())),
        arguments("read", new Intent.Status(Optional.empty())),
        arguments("read", new Intent.ListRuns(Optional.empty(), List.of())),
        arguments("read", new Intent.Ask(new Question.Usage())),
        arguments("read", new Intent.Ask(new Question.Schedules())));
  }

  /// A command about a linked conversation, which has no run.
  private static Intent throughALink(Intent command) {
    return new Intent.Linked(URI.create("https://chat.test/other"), command);
  }

  @ParameterizedTest
  @MethodSource("verbs")
  void everyOtherVerbNamesThePerson(String verb, Intent intent) {
    world.says(delivery("1", intent));
    world.settle();

    var entry = entries().getFirst();
    assertThat(entry.path("verb").asText()).isEqualTo(verb);
    assertThat(entry.path("who").path("id").asText()).isEqualTo("fake:" + DANA.id());
    assertThat(entry.path("delivery").asText()).isEqualTo("fake:1");
  }

  @Test
  void anApprovalNamesThePersonWhoGivesIt() {
    world.obeys(
        new Policy(
            Map.of(),
            List.of(),
            List.of(
                new ApprovalRule(
                    "policy.approve[0]",
                    List.of(),
                    Set.of(),
                    Set.of(),
                    false,
                    List.of("fake:" + SAM.id()),
                    true,
                    Duration.ofMinutes(30))),
            List.of()));
    world.says(delivery("1", start("fix it")));
    world.settle();
    assertThat(entries().getFirst().path("rule").asText()).isEqualTo("policy.approve[0]");

    world.says(
        delivery("2", new Intent.Ask(new Question.Decide(Optional.empty(), true))).withActor(SAM));
    world.settle();

    assertThat(entries())
        .extracting(
            each -> each.path("verb").asText(),
            each -> each.path("verdict").asText(),
            each -> each.path("who").path("id").asText())
        .containsExactly(
            tuple("start", "waits", "fake:" + DANA.id()),
            tuple("approve", "allowed", "fake:" + SAM.id()),
            tuple("start", "allowed", "fake:" + DANA.id()));
  }

  @Test
  void helpAndMessagesBetweenPeopleAreNotAudited() {
    world.says(delivery("1", new Intent.Help()));
    world.says(delivery("2", say("hello")).withAddressed(false));
    world.settle();

    assertThat(entries()).isEmpty();
  }
}
