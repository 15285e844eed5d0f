package dev.runnel.core;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.OTHER_THREAD;
import static dev.runnel.testkit.Samples.SAM;
import static dev.runnel.testkit.Samples.SURFACE;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.dispatch.DispatchOptions;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.Screen;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Pages and forms, through all workers over a real store.
class ScreensJourneyTest {
  private static final Conversation HOME = new Conversation(SURFACE, "team/U1/~home");
  private static final Conversation SAMS = new Conversation(SURFACE, "team/U2/~home");

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
  class APage {
    @Test
    void homePageShowsThePersonsRunsGroupedByState() {
      said(THREAD, DANA, "fix the test");
      said(OTHER_THREAD, DANA, "write the docs");
      said(thread("3"), DANA, "clean up");
      said(thread("4"), SAM, "something of sam's");
      world.runs.moves(run(0).id(), RunState.BLOCKED, "Which one?");
      world.runs.moves(run(2).id(), RunState.SUCCEEDED, "Clean.");
      world.passes(Duration.ofSeconds(3));

      var home = home(HOME, DANA);

      assertThat(titles(home.blocked())).containsExactly("fix the test");
      assertThat(titles(home.running())).containsExactly("write the docs");
      assertThat(titles(home.recent())).containsExactly("clean up");
      assertThat(home.more()).isZero();
      assertThat(home(SAMS, SAM).running()).hasSize(1);
    }

    @Test
    void homePageOfAPersonWithoutRunsIsEmpty() {
      said(thread("4"), SAM, "something of sam's");

      assertThat(home(HOME, DANA).isEmpty()).isTrue();
    }

    @Test
    void homePageInAnotherWorkspaceShowsNoRunsOfThisOne() {
      said(THREAD, DANA, "fix the test");

      assertThat(home(new Conversation(SURFACE, "other/U1/~home"), DANA).isEmpty()).isTrue();
    }

    @Test
    void homePageCountsTheRunsThatDoNotFit() {
      for (int i = 0; i < 15; i++) {
        said(thread("t" + i), DANA, "task " + i);
      }

      var home = home(HOME, DANA);

      assertThat(home.running()).hasSize(12);
      assertThat(home.more()).isEqualTo(3);
    }

    @Test
    void homePageIsUpdatedWhenARunIsStoppedOnIt() {
      said(THREAD, DANA, "fix the test");
      home(HOME, DANA);

      onHome(new Intent.Cancel(Optional.of(run(0).id()), Optional.empty()));

      assertThat(world.runs.cancels()).containsExactly(run(0).id());
      assertThat(screens(HOME)).hasSize(2);
      var now = (Screen.Home) screens(HOME).getLast();
      assertThat(now.running()).isEmpty();
      assertThat(titles(now.recent())).containsExactly("fix the test");
    }

    @Test
    void retryOnTheHomePageShowsTheNewRunWithoutAMessage() {
      said(THREAD, DANA, "fix the test");
      world.runs.moves(run(0).id(), RunState.FAILED, "No.");
      world.passes(Duration.ofSeconds(3));
      home(HOME, DANA);

      onHome(new Intent.Retry(Optional.of(run(0).id())));

      assertThat(world.runs.runs()).hasSize(2);
      assertThat(((Screen.Home) screens(HOME).getLast()).running()).hasSize(1);
      assertThat(world.surface.told(HOME)).isEmpty();
    }

    @Test
    void impossibleActionOnTheHomePageIsExplained() {
      said(THREAD, DANA, "fix the test");
      world.runs.moves(run(0).id(), RunState.SUCCEEDED, "Done.");
      world.passes(Duration.ofSeconds(3));
      home(HOME, DANA);

      onHome(new Intent.Cancel(Optional.of(run(0).id()), Optional.empty()));

      assertThat(world.surface.told(HOME)).containsExactly("Nothing to stop: ✅ Finished.");
      assertThat(screens(HOME)).hasSize(2);
    }
  }

  @Nested
  class AFormToAskWith {
    @Test
    void requestFormShowsTheDefaultsAndWhereTheyComeFrom() {
      asks(new Question.Configure("model", Optional.of("fast"), Level.ME));

      var form = (Screen.Ask) screen(new Question.Compose(Optional.empty(), ""));

      assertThat(form.run()).isEmpty();
      assertThat(form.fields())
          .extracting(Screen.Field::key)
          .containsExactly("profile", "env", "model", "skill");
      assertThat(form.fields().get(0).choices()).containsExactly("web");
      assertThat(form.fields().get(2).value()).contains("fast");
      assertThat(form.fields().get(2).from()).isEqualTo("set for you");
    }

    @Test
    void requestFormListsTheConfiguredEnvironments() {
      world.dispatches(DispatchOptions.DEFAULT.withEnvironments(List.of("docs", "shop")));

      var form = (Screen.Ask) screen(new Question.Compose(Optional.empty(), ""));

      assertThat(form.fields().get(1).choices()).containsExactly("docs", "shop");
      var defaults = (Screen.Preferences) screen(new Question.Edit(Level.ME));
      assertThat(defaults.fields())
          .filteredOn(it -> it.key().equals("env"))
          .singleElement()
          .satisfies(it -> assertThat(it.choices()).isEmpty());
    }

    @Test
    void requestFormInAThreadWithARunHasOnlyAText() {
      said(THREAD, DANA, "fix the test");

      var form = (Screen.Ask) screen(new Question.Compose(Optional.of(THREAD), "it fails"));

      assertThat(form.run()).contains(run(0).id());
      assertThat(form.about()).isEqualTo("it fails");
      assertThat(form.fields()).isEmpty();
    }
  }

  @Nested
  class WordsFromAForm {
    @Test
    void formTextIsPostedInTheThreadAndStartsARun() {
      var words = fromForm(THREAD, "why?");

      assertThat(world.surface.shows(words)).isTrue();
      assertThat(world.runs.starts())
          .singleElement()
          .satisfies(it -> assertThat(it.prompt().text()).isEqualTo("why?"));
      assertThat(world.surface.kinds(THREAD)).containsExactly("Status");
    }

    @Test
    void formTextReachesTheRunOfTheThread() {
      said(THREAD, DANA, "fix the test");

      var words = fromForm(THREAD, "and add a test");

      assertThat(world.surface.shows(words)).isTrue();
      assertThat(world.runs.followUps())
          .singleElement()
          .matches(it -> it.run().equals(run(0).id()) && it.text().equals("and add a test"));
      assertThat(world.runs.runs()).hasSize(1);
    }

    @Test
    void formSubmittedTwiceStartsOneRun() {
      var words = fromForm(THREAD, "why?");

      assertThat(world.says(words)).isFalse();
      world.passes(Duration.ofSeconds(3));

      assertThat(world.runs.runs()).hasSize(1);
    }

    private Delivery fromForm(Conversation thread, String text) {
      var words =
          by(
              DANA,
              thread,
              say(text),
              new Origin(Optional.empty(), Optional.of("directly"), Optional.empty(), true));
      world.says(words);
      world.passes(Duration.ofSeconds(3));
      return words;
    }
  }

  @Nested
  class AFormForDefaults {
    @Test
    void defaultsFormShowsTheValueOfItsLevelAndTheEffectiveValue() {
      ask(new Question.Configure("model", Optional.of("slow"), Level.HERE));
      asks(new Question.Configure("model", Optional.of("fast"), Level.ME));

      var form = (Screen.Preferences) screen(new Question.Edit(Level.HERE));

      var model =
          form.fields().stream().filter(it -> it.key().equals("model")).findFirst().orElseThrow();
      assertThat(model.value()).contains("slow");
      assertThat(model.holds()).contains("fast");
      assertThat(model.from()).isEqualTo("set for you");
    }

    @Test
    void defaultsFormIsRefusedToAPersonWhoMayNotChangeThem() {
      var asked = ask(new Question.Edit(Level.WORKSPACE));

      assertThat(screens(asked)).isEmpty();
      assertThat(world.surface.told(asked))
          .singleElement()
          .satisfies(it -> assertThat(it).contains("need an admin"));
    }

    @Test
    void defaultsFormAppliesAllChangesAndShowsTheResult() {
      asks(new Question.Configure("model", Optional.of("slow"), Level.ME));

      var asked =
          ask(
              new Question.ConfigureAll(
                  List.of(
                      new Question.Configure("model", Optional.empty(), Level.ME),
                      new Question.Configure("env", Optional.of("staging"), Level.ME))));

      var infoCard = ((Update.Answered) world.surface.posts(asked).getLast().update()).sheet();
      assertThat(infoCard.rows().get(1).text()).isEqualTo("staging");
      assertThat(infoCard.rows().get(2).text()).isEqualTo("not set");
      assertThat(infoCard.changeable()).containsExactly(Level.ME, Level.HERE);
    }

    @Test
    void defaultsFormAppliesNothingIfOneChangeIsRefused() {
      var asked =
          ask(
              new Question.ConfigureAll(
                  List.of(
                      new Question.Configure("model", Optional.of("fast"), Level.ME),
                      new Question.Configure("profile", Optional.of("nobody"), Level.ME))));

      assertThat(world.surface.kinds(asked)).containsExactly("Answered");
      var form = (Screen.Preferences) screen(new Question.Edit(Level.ME));
      assertThat(form.fields()).allMatch(it -> it.value().isEmpty());
    }
  }

  private void said(Conversation conversation, Actor actor, String text) {
    world.says(by(actor, conversation, say(text), Origin.NONE));
    world.settle();
  }

  private Screen.Home home(Conversation page, Actor actor) {
    world.says(by(actor, page, new Intent.Ask(new Question.Home()), Origin.NONE));
    world.settle();
    return (Screen.Home) screens(page).getLast();
  }

  private void onHome(Intent intent) {
    var origin =
        new Origin(
            Optional.empty(), Optional.of("directly"), Optional.empty(), false, Optional.of(HOME));
    world.says(by(DANA, HOME, intent, origin));
    world.passes(Duration.ofSeconds(3));
  }

  private Delivery by(Actor actor, Conversation conversation, Intent intent, Origin origin) {
    var plain = delivery("d" + ++count, intent, conversation);
    return new Delivery(
        new DeliveryId("fake:d" + count),
        plain.meaning(),
        conversation,
        actor,
        intent,
        true,
        origin,
        NINE);
  }

  private Conversation ask(Question question) {
    var form = new Conversation(SURFACE, "team/channel/~form-" + ++count);
    var origin = new Origin(Optional.empty(), Optional.of("trigger"), Optional.empty(), false);
    world.says(by(DANA, form, new Intent.Ask(question), origin));
    world.settle();
    return form;
  }

  private void asks(Question question) {
    assertThat(world.surface.kinds(ask(question))).containsExactly("Answered");
  }

  private Screen screen(Question question) {
    return screens(ask(question)).getLast();
  }

  private List<Screen> screens(Conversation conversation) {
    return world.surface.posts(conversation).stream()
        .map(each -> each.update())
        .filter(Update.Screened.class::isInstance)
        .map(update -> ((Update.Screened) update).screen())
        .toList();
  }

  private static Conversation thread(String name) {
    return new Conversation(SURFACE, "team/channel/" + name);
  }

  private static List<String> titles(List<Binding> bindings) {
    return bindings.stream().map(it -> it.request().text()).toList();
  }

  private Run run(int number) {
    return world.runs.runs().get(number);
  }
}
