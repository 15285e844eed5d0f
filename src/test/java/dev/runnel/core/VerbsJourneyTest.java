package dev.runnel.core;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.OTHER_THREAD;
import static dev.runnel.testkit.Samples.SAM;
import static dev.runnel.testkit.Samples.SURFACE;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.ApiRuns;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.EnvironmentIds;
import dev.runnel.core.scope.Routes;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Each verb, as it is typed, through all workers over a real store.
class VerbsJourneyTest {
  @TempDir Path folder;
  private World world;
  private int count;

  @BeforeEach
  void open() {
    world = new World(folder);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Nested
  class ASecondRunInAThread {
    @BeforeEach
    void hasTwo() {
      inThread(THREAD, "fix the test");
      inThread(THREAD, "new: write the docs");
    }

    @Test
    void secondRunReceivesTheRepliesAndTheFirstContinues() {
      assertThat(texts()).containsExactly("fix the test", "write the docs");
      inThread(THREAD, "and the readme");

      assertThat(world.runs.followUps())
          .singleElement()
          .matches(it -> it.run().equals(second().id()) && it.text().equals("and the readme"));
      assertThat(first().state()).isEqualTo(RunState.QUEUED);
    }

    @Test
    void endsOfBothRunsAreReportedInTheThread() {
      world.runs.moves(first().id(), RunState.SUCCEEDED, "Fixed.");
      world.passes(Duration.ofSeconds(3));
      world.runs.moves(second().id(), RunState.SUCCEEDED, "Written.");
      world.passes(Duration.ofSeconds(3));

      assertThat(world.surface.kinds(THREAD))
          .containsExactly("Status", "Status", "Succeeded", "Succeeded");
      assertThat(world.surface.posts(THREAD).getFirst().update())
          .isInstanceOfSatisfying(
              Update.Status.class,
              it -> assertThat(it.run().state()).isEqualTo(RunState.SUCCEEDED));
    }

    @Test
    void firstRunRemainsAddressableByItsId() {
      inThread(THREAD, "say " + first().id() + " use the old API");
      assertThat(world.runs.followUps())
          .singleElement()
          .matches(it -> it.run().equals(first().id()) && it.text().equals("use the old API"));

      inThread(THREAD, "cancel " + first().id());
      world.passes(Duration.ofSeconds(3));

      assertThat(world.runs.cancels()).containsExactly(first().id());
      assertThat(first().state()).isEqualTo(RunState.CANCELLED);
      assertThat(second().state().isTerminal()).isFalse();
      assertThat(world.surface.kinds(THREAD)).contains("Cancelled");
    }

    @Test
    void stopCancelsTheSecondRunBeforeTheFirst() {
      inThread(THREAD, "stop");
      assertThat(world.runs.cancels()).containsExactly(second().id());
      inThread(THREAD, "stop");

      assertThat(world.runs.cancels()).containsExactly(second().id(), first().id());
    }

    @Test
    void firstRunCannotBeRetriedWhileTheSecondIsActive() {
      world.runs.moves(first().id(), RunState.FAILED, "No.");
      world.passes(Duration.ofSeconds(3));
      inThread(THREAD, "retry " + first().id());

      assertThat(world.runs.starts()).hasSize(2);
      assertThat(world.surface.told(THREAD)).last().asString().contains("Another run is active");
    }
  }

  @Nested
  class FromAPlace {
    @Test
    void sayVerbReachesARunOfAnotherThread() {
      inThread(THREAD, "fix the test");
      var asked = fromPlace("say " + first().id() + " and the docs");

      assertThat(world.runs.followUps()).extracting("text").containsExactly("and the docs");
      assertThat(world.surface.told(asked.conversation()))
          .containsExactly("Passed on. It continues in its thread.");
    }

    @Test
    void sayToAnUnknownRunIsAnsweredWithNotFound() {
      var asked = fromPlace("say run-404 hello");

      assertThat(text(asked)).contains("I can't find run `run-404`");
    }

    @Test
    void cancelAllMineStopsAllRunsOfTheSenderOnly() {
      inThread(THREAD, "fix the test");
      inThread(OTHER_THREAD, "fix the docs");
      says(by(SAM, delivery("sam", MessageParser.command("sam's work"), thread("3"))));
      var asked = fromPlace("cancel all mine");
      world.passes(Duration.ofSeconds(3));

      assertThat(world.runs.runs())
          .extracting(Run::state)
          .containsExactly(RunState.CANCELLED, RunState.CANCELLED, RunState.QUEUED);
      assertThat(world.surface.told(asked.conversation()))
          .containsExactly("Stopping your 2 runs. Their threads will confirm it.");
      assertThat(world.surface.kinds(OTHER_THREAD)).containsExactly("Status", "Cancelled");
    }

    @Test
    void cancelAllMineWithdrawsAWaitingStart() {
      world.surface.answersPosts(Optional.of(new Posting.Later(Optional.empty(), "429")));
      fromPlace("fix the test");
      world.surface.answersPosts(Optional.empty());
      fromPlace("cancel all mine");
      world.passes(Duration.ofMinutes(1));

      assertThat(world.runs.starts()).isEmpty();
    }

    @Test
    void linkToAThreadIdentifiesItsRun() {
      inThread(THREAD, "fix the test");
      fromPlace("stop https://fake.example/team/channel/1");

      assertThat(world.runs.cancels()).containsExactly(first().id());
    }

    @Test
    void statusOfALinkWithoutARunIsAnsweredWithNotFound() {
      var asked = fromPlace("status https://fake.example/team/channel/9");

      assertThat(text(asked))
          .contains("I can't find a run for this link", "https://fake.example/team/channel/9");
    }
  }

  @Nested
  class TheFirstCharactersOfAnId {
    @Test
    void idPrefixIdentifiesItsRun() {
      inThread(THREAD, "fix the test");
      fromPlace("stop 0190E6A1");

      assertThat(world.runs.cancels()).containsExactly(first().id());
      inThread(OTHER_THREAD, "say 0190 go on");
      assertThat(world.runs.followUps()).singleElement().matches(it -> it.text().equals("go on"));
    }

    @Test
    void ambiguousIdPrefixIdentifiesNoRun() {
      inThread(THREAD, "fix the test");
      inThread(OTHER_THREAD, "fix the docs");
      var asked = fromPlace("stop 0190e6a1");

      assertThat(world.runs.cancels()).isEmpty();
      assertThat(world.surface.told(asked.conversation()))
          .singleElement()
          .asString()
          .startsWith("Several runs begin with `0190e6a1`: `" + first().id());
      fromPlace("stop " + second().id());
      assertThat(world.runs.cancels()).containsExactly(second().id());
    }

    @Test
    void idPrefixIdentifiesNoRunOfAnotherPlace() {
      says(
          by(
              SAM,
              delivery(
                  "sam", MessageParser.command("secret"), new Conversation(SURFACE, "team/x/1"))));
      var asked = fromPlace("stop 0190e6a1");

      assertThat(world.runs.cancels()).isEmpty();
      assertThat(text(asked)).contains("I can't find run `0190e6a1`");
    }

    @Test
    void idOfAnUnknownRunInTheConsoleIsAnsweredThere() {
      world.console.hasManners(
          new ConversationPolicy(ConversationPolicy.Audience.EVERYONE, Duration.ZERO, true));
      var unknown = new Intent.Cancel(Optional.of(new RunId("run-unknown")), Optional.empty());
      says(delivery("c1", unknown).withId(DeliveryId.of(SurfaceId.CONSOLE, "c1")));

      assertThat(world.console.posts())
          .singleElement()
          .satisfies(it -> assertThat(it.conversation()).isEqualTo(THREAD.inConsole()));
    }

    @Test
    void idPrefixLinksARunStartedOutsideRunnel() {
      world.runs.addsStranger("Started in a terminal");
      fromPlace("link 0190e6a1");

      assertThat(world.surface.kinds(thread("opened-1"))).containsExactly("Status");
    }

    @Test
    void unknownIdPrefixStartsNoRun() {
      var asked = fromPlace("stop 77776d6b");

      assertThat(world.runs.starts()).isEmpty();
      assertThat(text(asked))
          .contains(
              "I can't find run `77776d6b`", "To start a run with these words run: stop 77776d6b");
      assertThat(offered(asked.conversation())).contains("stop 77776d6b");
    }
  }

  @Nested
  class WordsThatBeginLikeACommand {
    @Test
    void textLikeACommandIsAnsweredWithTheActiveRunsOfThePerson() {
      inThread(THREAD, "fix the test");
      says(by(SAM, delivery("sam", MessageParser.command("sam's work"), thread("3"))));
      var asked = fromPlace("cancel the last run");

      assertThat(card(asked.conversation()).stoppable())
          .containsExactly(new InfoCard.Stoppable(first().id(), "⏳ Queued", "fix the test"));
    }

    @Test
    void commandLikeTextReachesTheRunAndExplainsHowToStop() {
      inThread(THREAD, "fix the test");
      inThread(THREAD, "stop using log4j in the client");

      assertThat(world.runs.followUps())
          .extracting("text")
          .containsExactly("stop using log4j in the client");
      assertThat(world.runs.cancels()).isEmpty();
      assertThat(card(THREAD).title()).isEqualTo("I passed this on. To stop the run:");
      assertThat(card(THREAD).stoppable())
          .extracting(InfoCard.Stoppable::run)
          .containsExactly(first().id());
    }

    @Test
    void textLikeACommandGoesToAnEndedRunWithoutAnAnswer() {
      inThread(THREAD, "fix the test");
      world.runs.moves(first().id(), RunState.SUCCEEDED, "Fixed.");
      world.passes(Duration.ofSeconds(3));
      inThread(THREAD, "stop using log4j in the client");

      assertThat(world.runs.followUps()).hasSize(1);
      assertThat(world.surface.kinds(THREAD)).doesNotContain("Answered");
    }

    @Test
    void commandLikeTextStartsNoRunButOffersToStartOne() {
      inThread(THREAD, "stop using log4j");

      assertThat(world.runs.starts()).isEmpty();
      assertThat(offered(THREAD)).contains("stop using log4j");
      var asked = fromPlace("cancel the last run");
      assertThat(world.runs.starts()).isEmpty();
      assertThat(text(asked)).contains("`cancel the last run` looks like a command");
      inThread(THREAD, "run: stop using log4j");
      assertThat(texts()).containsExactly("stop using log4j");
    }

    @Test
    void textLikeACommandGoesToTheAgentInAThreadWithARun() {
      inThread(THREAD, "fix the test");
      inThread(THREAD, "stop using log4j");

      assertThat(world.runs.followUps())
          .singleElement()
          .matches(it -> it.text().equals("stop using log4j"));
    }
  }

  @Nested
  class Linking {
    @Test
    void linkedTerminalRunGetsAThread() {
      var run = world.runs.addsStranger("Started in a terminal");
      fromPlace("link " + run.id());
      var thread = thread("opened-1");

      assertThat(world.surface.kinds(thread)).containsExactly("Status");
      world.runs.moves(run.id(), RunState.SUCCEEDED, "Done.");
      world.passes(Duration.ofSeconds(3));
      assertThat(world.surface.kinds(thread)).containsExactly("Status", "Succeeded");
    }

    @Test
    void linkToAMissingRunOpensNoThread() {
      var asked = fromPlace("link run-404");

      assertThat(world.surface.opens()).isZero();
      assertThat(world.surface.told(asked.conversation()))
          .containsExactly("The run service has no run `run-404`.");
    }

    @Test
    void linkDoesNotMoveARunAwayFromItsThread() {
      inThread(THREAD, "fix the test");
      inThread(OTHER_THREAD, "link " + first().id());

      assertThat(world.surface.told(OTHER_THREAD))
          .singleElement()
          .asString()
          .startsWith("This run already has a thread");
      inThread(THREAD, "and the docs");
      assertThat(world.runs.followUps()).hasSize(1);
    }

    @Test
    void aRunWithAThreadOpensNoSecondOne() {
      inThread(THREAD, "fix the test");
      var asked = fromPlace("link " + first().id());

      assertThat(world.surface.opens()).isZero();
      assertThat(world.surface.told(asked.conversation())).hasSize(1);
    }

    @Test
    void linkedRunBecomesTheCurrentRunOfTheThread() {
      inThread(THREAD, "fix the test");
      var run = world.runs.addsStranger("Started in a terminal");
      inThread(THREAD, "link " + run.id());
      inThread(THREAD, "go on");

      assertThat(world.runs.followUps()).singleElement().matches(it -> it.run().equals(run.id()));
    }
  }

  @Nested
  class LinkingARunOfOtherPeople {
    @Test
    void linkToAChildRunIsAnsweredLikeAnUnknownId() {
      isUnknown(world.runs.addsChild(new RunId("run-parent"), "A part of something private"));
    }

    @Test
    void linkToARunOfAMessageIsAnsweredLikeAnUnknownId() {
      isUnknown(world.runs.addsStarted("Something private"));
    }

    @Test
    void childRunStaysUnlinkableAfterAConsoleMessage() {
      var run = world.runs.addsChild(new RunId("run-parent"), "A part of something private");
      var inConsole =
          Samples.binding(
              ApiRuns.conversation(run.id()),
              run,
              ApiRuns.REQUESTER,
              Request.of("A part of something private"),
              Origin.NONE,
              Optional.empty(),
              NINE,
              false,
              0);
      world.store().change(work -> work.bindings().save(inConsole));

      assertThat(answer("link " + run.id())).isEqualTo(unknown(run.id().value()));
      assertThat(answer("link 0190")).isEqualTo(unknown("0190"));
    }

    @Test
    void idPrefixOfARunInAnotherPlaceIsUnknown() {
      var there = new Conversation(SURFACE, "team/private/1");
      says(by(SAM, delivery("sam", MessageParser.command("sam's secret"), there)));

      assertThat(answer("link 0190")).isEqualTo(unknown("0190"));
    }

    @Test
    void hiddenRunDoesNotMakeAnIdPrefixAmbiguous() {
      world.runs.addsStarted("Something private");
      world.runs.addsStranger("Started in a terminal");
      fromPlace("link 0190");

      assertThat(world.surface.kinds(thread("opened-1"))).containsExactly("Status");
    }

    @Test
    void anAdminLinksARunThatAnotherRunStarted() {
      world.defaultsTo(new Defaults(Map.of(), Set.of("fake:" + DANA.id())));
      var run = world.runs.addsChild(new RunId("run-parent"), "A part of something private");
      fromPlace("link " + run.id());

      assertThat(world.surface.kinds(thread("opened-1"))).containsExactly("Status");
    }

    private void isUnknown(Run run) {
      assertThat(answer("link " + run.id())).isEqualTo(unknown(run.id().value()));
      assertThat(answer("link 0190")).isEqualTo(unknown("0190"));
      inThread(THREAD, "link " + run.id());

      assertThat(world.surface.kinds(THREAD)).containsExactly("Message");
      assertThat(world.surface.opens()).isZero();
      assertThat(world.store().<Optional<Binding>>read(it -> it.of(run.id()))).isEmpty();
    }

    /// The only answer, in the place.
    private String answer(String text) {
      var asked = fromPlace(text);
      assertThat(world.surface.kinds(asked.conversation())).containsExactly("Message");
      return world.surface.told(asked.conversation()).getFirst();
    }

    private String unknown(String id) {
      return "The run service has no run `" + id + "`.";
    }
  }

  @Nested
  class Lists {
    @Test
    void listsShowTheRunsOfThePlaceOfThePersonOrOfAll() {
      inThread(THREAD, "fix the test");
      says(by(SAM, delivery("sam", MessageParser.command("sam's work"), OTHER_THREAD)));
      var elsewhere = new Conversation(SURFACE, "team/elsewhere/1");
      says(by(SAM, delivery("sam2", MessageParser.command("sam's secret"), elsewhere)));

      assertThat(list("list").runs()).hasSize(2);
      assertThat(list("list mine").runs()).hasSize(1);
      assertThat(list("list failed").runs()).isEmpty();
      assertThat(list("list all").runs()).hasSize(2);
      assertThat(list("list all").listing().orElseThrow().elsewhere()).isOne();
    }

    @Test
    void longListIsShortenedAndShowsHowToSeeMore() {
      for (int i = 0; i < 12; i++) {
        inThread(thread("t" + i), "fix test " + i);
      }

      var listed = list("list");
      assertThat(listed.runs()).hasSize(10);
      assertThat(listed.listing().orElseThrow().more()).isEqualTo(2);
      assertThat(listed.listing().orElseThrow().next()).isEqualTo("list all");
      assertThat(list("list all").runs()).hasSize(12);
    }
  }

  @Nested
  class TheConfiguration {
    @Test
    void configurationOfAPersonAppliesToTheirRunsAndIsShown() {
      var asked = fromPlace("config set model fast");
      assertThat(text(asked)).contains("Model: fast (set for you)");
      fromPlace("config set prompt Be brief. here");
      inThread(THREAD, "fix the test");
      says(by(SAM, delivery("sam", MessageParser.command("sam's work"), OTHER_THREAD)));

      var starts = world.runs.starts();
      assertThat(starts.get(0).prompt().options().model()).contains("fast");
      assertThat(starts.get(0).prompt().base().orElseThrow()).startsWith("Be brief.\n");
      assertThat(starts.get(1).prompt().options().model()).isEmpty();
      assertThat(starts.get(1).prompt().base().orElseThrow()).startsWith("Be brief.\n");
    }

    @Test
    void configurationCanBeUnset() {
      fromPlace("config set model fast");
      assertThat(text(fromPlace("config unset model"))).contains("Model: not set");
      var asked = fromPlace("config unset model");

      assertThat(world.surface.told(asked.conversation()))
          .containsExactly("`model` was not set for you.");
    }

    @Test
    void configurationOfTheWorkspaceRequiresAnAdmin() {
      var asked = fromPlace("config set model fast workspace");

      assertThat(text(asked)).contains("need an admin");
    }

    @Test
    void unknownProfileInTheConfigurationIsReported() {
      var asked = fromPlace("config set profile wbe");

      assertThat(text(asked)).contains("There is no profile `wbe`. There are: web.");
    }
  }

  @Nested
  class Questions {
    @Test
    void explainDescribesTheRunWithoutStartingIt() {
      fromPlace("config set model fast here");
      var asked = fromPlace("explain: fix the test --profile web");

      assertThat(world.runs.calls()).isZero();
      assertThat(text(asked))
          .contains("Nothing was started")
          .contains("Prompt: fix the test")
          .contains("Where: a new run, in a new thread here")
          .contains("Environment (env): web-env (from the profile web)")
          .contains("Model: fast (set here)")
          .contains("run: --profile \"web\" fix the test");
    }

    @ParameterizedTest
    @CsvSource({
      "explain: fix it --profile nope, There is no profile `nope`",
      "explain: --profile Web2 fix it, There is no profile `Web2`",
      "explain --profile nope, There is no profile `nope`"
    })
    void explainNamesAProfileThatDoesNotExist(String words, String problem) {
      assertThat(text(fromPlace(words))).contains("Nothing was started", "Problem: " + problem);
      assertThat(world.runs.calls()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"nope", "Web", "web2"})
    void explainAndTheStartNameAnEnvironmentThatDoesNotExist(String name) {
      world.defaultsTo(withEnvironments("web"));
      var problem = "There is no environment `%s`. There are: web.".formatted(name);

      assertThat(text(fromPlace("explain: fix it --env " + name))).contains("Problem: " + problem);
      fromPlace("fix it --env " + name);

      assertThat(posted()).contains(problem);
      assertThat(world.runs.calls()).isZero();
    }

    @Test
    void environmentIsRefusedWhereNoneAreConfigured() {
      world.defaultsTo(withEnvironments());
      fromPlace("fix it --env nope");

      assertThat(posted()).contains("There is no environment `nope`. None are configured yet.");
      assertThat(world.runs.calls()).isZero();
    }

    private String posted() {
      return world.surface.posts().stream()
          .map(post -> post.update().toString())
          .collect(Collectors.joining("\n"));
    }

    private static Defaults withEnvironments(String... names) {
      return new Defaults(
          Map.of(),
          Set.of(),
          Routes.NONE,
          new EnvironmentIds(
              Stream.of(names).collect(Collectors.toMap(it -> it, it -> it)), Optional.empty()));
    }

    @Test
    void explainInAThreadNamesItsRun() {
      inThread(THREAD, "fix the test");
      inThread(THREAD, "explain: and the docs");

      assertThat(text(THREAD)).contains("to the run `" + first().id().brief() + "` of this thread");
      assertThat(world.runs.followUps()).isEmpty();
    }

    @Test
    void whyExplainsTheDecisionAboutAMessage() {
      says(delivery("7", MessageParser.command("fix the test")));

      assertThat(text(fromPlace("why https://fake.example/team/channel/1?said=7")))
          .contains("from you")
          .contains("Read as: a request for a new run")
          .contains("I decided to start a run.")
          .contains("Its run: `" + first().id().brief() + "`");
    }

    @Test
    void whyExplainsWhatAMessageWaitsFor() {
      world.runs.isDown(Optional.empty());
      says(delivery("7", MessageParser.command("fix the test")));

      assertThat(text(fromPlace("why https://fake.example/team/channel/1?said=7")))
          .contains("It waits: ")
          .contains("Tried 1 times");
    }

    @Test
    void whyExplainsWhyAMessageWasIgnored() {
      var said = delivery("7", MessageParser.words("lunch?", false).orElseThrow());
      says(said.withAddressed(false));

      assertThat(text(fromPlace("why https://fake.example/team/channel/1?said=7")))
          .contains("not addressed to me")
          .contains("to ignore it: it was sent in a conversation without a run");
    }

    @Test
    void whyExplainsTheRulesForAnUnknownMessage() {
      assertThat(text(fromPlace("why https://fake.example/team/channel/1?said=404")))
          .contains("I have no record of this message")
          .contains("replies in a thread that has a run");
      assertThat(text(fromPlace("why https://other.example/1")))
          .contains("I have no record of this message");
    }

    @Test
    void whyRevealsNothingAboutMessagesInOtherPlaces() {
      var elsewhere = new Conversation(SURFACE, "team/private/1");
      says(by(SAM, delivery("7", MessageParser.command("a secret"), elsewhere)));

      assertThat(text(fromPlace("why https://fake.example/team/private/1?said=7")))
          .contains("from another place")
          .doesNotContain("sam");
    }

    @Test
    void usageCountsRunsOfThePersonAndTheChannel() {
      inThread(THREAD, "fix the test");

      assertThat(text(fromPlace("usage")))
          .contains("You, last 7 days: 1 run, cost not known")
          .contains("This channel, last 30 days: 1 run");
    }

    @Test
    void whoamiAndDoctorAnswer() {
      assertThat(text(fromPlace("whoami"))).contains("Name: dana").contains("`fake:U1`");
      assertThat(text(fromPlace("doctor"))).contains("Everything works");
    }

    @Test
    void helpExplainsOneVerb() {
      assertThat(text(fromPlace("help config")))
          .contains("config [set KEY VALUE")
          .contains("Who: Anyone for themselves.")
          .contains("For example config set model opus here");
    }
  }

  private void says(Delivery delivery) {
    world.says(delivery);
    world.settle();
  }

  private void inThread(Conversation thread, String text) {
    says(delivery("t" + ++count, MessageParser.words(text).orElseThrow(), thread));
  }

  private Delivery fromPlace(String text) {
    var id = "p" + ++count;
    var said =
        new Delivery(
            new DeliveryId("fake:" + id),
            "said:" + id,
            new Conversation(SURFACE, "team/channel/~" + id),
            DANA,
            MessageParser.command(text),
            true,
            new Origin(Optional.empty(), Optional.of("reply-" + id), Optional.empty(), opens(text)),
            NINE);
    says(said);
    return said;
  }

  /// As surfaces say it: what becomes a run needs a thread.
  private static boolean opens(String text) {
    var intent = MessageParser.command(text);
    return intent instanceof Intent.Start || intent instanceof Intent.Link;
  }

  private static Delivery by(Actor actor, Delivery said) {
    return said.withActor(actor);
  }

  private static Conversation thread(String name) {
    return new Conversation(SURFACE, "team/channel/" + name);
  }

  private Update.Listed list(String text) {
    var asked = fromPlace(text);
    return (Update.Listed) world.surface.posts(asked.conversation()).getLast().update();
  }

  private String text(Delivery asked) {
    return text(asked.conversation());
  }

  /// The last answer there, a row a line.
  private String text(Conversation conversation) {
    return world.surface.posts(conversation).stream()
        .map(each -> each.update())
        .filter(Update.Answered.class::isInstance)
        .map(update -> text(((Update.Answered) update).sheet()))
        .reduce("", (_, last) -> last);
  }

  /// The words that the last answer there offers to start a run with.
  private Optional<String> offered(Conversation conversation) {
    return world.surface.posts(conversation).stream()
        .map(each -> each.update())
        .filter(Update.Answered.class::isInstance)
        .reduce((_, last) -> last)
        .flatMap(update -> ((Update.Answered) update).sheet().work());
  }

  private InfoCard card(Conversation conversation) {
    return world.surface.posts(conversation).stream()
        .map(each -> each.update())
        .filter(Update.Answered.class::isInstance)
        .map(update -> ((Update.Answered) update).sheet())
        .reduce((_, last) -> last)
        .orElseThrow();
  }

  private static String text(InfoCard infoCard) {
    var rows =
        infoCard.rows().stream()
            .map(
                it ->
                    it.label()
                        + (it.label().isEmpty() ? "" : ": ")
                        + it.text()
                        + (it.note().isEmpty() ? "" : " (" + it.note() + ")"))
            .collect(Collectors.joining("\n"));
    var next =
        infoCard.next().stream()
            .map(it -> it.words() + " " + it.command())
            .collect(Collectors.joining("\n"));
    return String.join("\n", infoCard.title(), rows, next);
  }

  private List<String> texts() {
    return world.runs.starts().stream().map(it -> it.prompt().text()).toList();
  }

  private Run first() {
    return world.runs.runs().get(0);
  }

  private Run second() {
    return world.runs.runs().get(1);
  }
}
