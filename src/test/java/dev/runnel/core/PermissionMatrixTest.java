package dev.runnel.core;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.SAM;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Rule;
import dev.runnel.testkit.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What each kind of person may do, verb by verb, in a thread with Dana's run.
///
/// Which people are members, outsiders or not served is each platform's own rule:
/// [SendersContract][dev.runnel.testkit.SendersContract] has the table of all platforms.
class PermissionMatrixTest {
  private static final Actor EVE = new Actor("E1", "eve");

  /// Dana is platform; Sam is staff: may start and write, and read; everybody may stop their own.
  private static final Policy POLICY =
      new Policy(
          Map.of(
              "platform", List.of("fake:" + DANA.id()),
              "staff", List.of("fake:" + SAM.id())),
          List.of(
              rule("platform", EnumSet.allOf(Permission.class)),
              rule("staff", EnumSet.of(Permission.START, Permission.SAY, Permission.READ)),
              rule("any", EnumSet.of(Permission.STOP_OWN))),
          List.of(),
          List.of());

  @TempDir Path folder;
  private World world;

  private static Rule rule(String who, Set<Permission> permissions) {
    return new Rule(
        "policy.rules[" + who + "]",
        List.of(who),
        List.of("any"),
        permissions,
        true,
        Set.of(),
        Set.of());
  }

  @BeforeEach
  void open() {
    world = new World(folder);
    world.surface.hasManners(
        new ConversationPolicy(ConversationPolicy.Audience.EVERYONE, Duration.ZERO, true));
  }

  @AfterEach
  void close() {
    world.close();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # what                  | in which state | member | outsider | not served
          fix it                  | no run         | yes    | no       | no
          and the docs            | working        | yes    | no       | no
          use the second one      | waiting        | yes    | no       | no
          stop                    | working        | yes    | no       | no
          cancel RUN              | working        | yes    | no       | no
          (closes the issue)      | working        | yes    | no       | no
          retry                   | failed         | yes    | no       | no
          new: fix that           | failed         | yes    | no       | no
          status                  | working        | yes    | no       | no
          list                    | working        | yes    | no       | no
          usage                   | working        | yes    | no       | no
          whoami                  | working        | yes    | no       | no
          explain: fix it          | working        | yes    | no       | no
          help                    | working        | yes    | no       | no
          config show             | working        | yes    | no       | no
          config set model m here | working        | yes    | no       | no
          config set prompt p here | working       | yes    | no       | no
          config set env e here   | working        | yes    | no       | no
          config unset model here | working        | yes    | no       | no
          schedule every day at 9:00 look | no run | yes    | no       | no
          config set model m me   | working        | yes    | no       | no
          (a form for me and here) | working       | yes    | no       | no
          link RUN                | working        | yes    | no       | no
          freeze: a deployment    | working        | no     | no       | no
          """)
  void commandHasAnEffectOnlyIfThePlatformAdmitsTheSender(
      String words, String state, String member, String outsider, String unserved) {
    for (var each :
        Map.of(
                Admission.ADMITTED,
                member,
                new Admission.Outsider("a guest", Optional.empty()),
                outsider,
                new Admission.TurnedAway("an unknown workspace"),
                unserved)
            .entrySet()) {
      reopen();
      assertThat(hasEffect(words, state, EVE, each.getKey(), Policy.NONE))
          .as("%s, %s", words, each.getKey())
          .isEqualTo(each.getValue().equals("yes"));
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # what                  | in which state | platform | staff | other member | outsider
          fix it                  | no run         | yes      | yes   | no           | no
          and the docs            | working        | yes      | yes   | no           | no
          use the second one      | waiting        | yes      | no    | no           | no
          stop                    | working        | yes      | no    | no           | no
          cancel RUN              | working        | yes      | no    | no           | no
          (closes the issue)      | working        | yes      | no    | no           | no
          retry                   | failed         | yes      | no    | no           | no
          new: fix that           | failed         | yes      | yes   | no           | no
          status                  | working        | yes      | yes   | no           | no
          list                    | working        | yes      | yes   | no           | no
          usage                   | working        | yes      | yes   | no           | no
          whoami                  | working        | yes      | yes   | yes          | no
          explain: fix it          | working        | yes      | yes   | yes          | no
          help                    | working        | yes      | yes   | yes          | no
          config show             | working        | yes      | yes   | yes          | no
          config set model m here | working        | yes      | no    | no           | no
          config set prompt p here | working       | yes      | no    | no           | no
          config set env e here   | working        | yes      | no    | no           | no
          config unset model here | working        | yes      | no    | no           | no
          schedule every day at 9:00 look | no run | yes      | no    | no           | no
          config set model m me   | working        | yes      | yes   | no           | no
          (a form for me and here) | working       | yes      | no    | no           | no
          link RUN                | working        | yes      | no    | no           | no
          freeze: a deployment    | working        | yes      | no    | no           | no
          """)
  void commandHasAnEffectOnlyIfThePolicyPermitsIt(
      String words, String state, String platform, String staff, String member, String outsider) {
    var people = List.of(DANA, SAM, EVE, EVE);
    var expected = List.of(platform, staff, member, outsider);
    for (int i = 0; i < people.size(); i++) {
      reopen();
      var admission =
          i < 3 ? Admission.ADMITTED : new Admission.Outsider("a guest", Optional.empty());
      assertThat(hasEffect(words, state, people.get(i), admission, POLICY))
          .as("%s, column %s", words, i)
          .isEqualTo(expected.get(i).equals("yes"));
    }
  }

  private void reopen() {
    world.close();
    try (var files = Files.list(folder)) {
      files.forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    open();
  }

  /// Whether the service or the thread shows anything of it, beside a private refusal.
  private boolean hasEffect(
      String words, String state, Actor who, Admission admission, Policy policy) {
    prepare(state);
    world.obeys(policy);
    world.surface.admits(admission);
    var before = effects();
    says(
        (words.equals("(closes the issue)") ? closing() : delivery("2", intent(words)))
            .withActor(who));
    return !effects().equals(before);
  }

  private Intent intent(String words) {
    if (words.equals("(a form for me and here)")) {
      return new Intent.Ask(
          new Question.ConfigureAll(
              List.of(
                  new Question.Configure("model", Optional.of("m"), Level.ME),
                  new Question.Configure("env", Optional.of("e"), Level.HERE))));
    }
    var run = world.runs.runs().isEmpty() ? "" : runId();
    return MessageParser.words(words.replace("RUN", run), true).orElseThrow();
  }

  private static Delivery closing() {
    return delivery("2", new Intent.Cancel(Optional.empty(), Optional.of("closed the issue")))
        .withAddressed(false);
  }

  private String runId() {
    return world.onlyRun().id().value();
  }

  private void prepare(String state) {
    if (state.equals("no run")) {
      return;
    }
    says(delivery("1", start("fix it")));
    var id = world.onlyRun().id();
    switch (state) {
      case "working" -> world.runs.moves(id, RunState.RUNNING, "on it");
      case "waiting" -> world.runs.moves(id, RunState.BLOCKED, "which one?");
      case "failed" -> world.runs.fails(id, "it broke", true);
      default -> throw new IllegalArgumentException(state);
    }
    world.settle();
  }

  private List<Object> effects() {
    return Arrays.asList(
        world.runs.starts().size(),
        world.runs.followUps().size(),
        world.runs.cancels().size(),
        world.surface.posts().stream()
            .map(post -> post.update())
            .filter(
                update ->
                    !(update instanceof Update.Message(_, var text, var privately)
                        && privately
                        && text.matches("(You may|Only admins|No rule).*")))
            .filter(update -> !(update instanceof Update.Received))
            .toList());
  }

  private void says(Delivery delivery) {
    world.says(delivery);
    world.settle();
  }
}
