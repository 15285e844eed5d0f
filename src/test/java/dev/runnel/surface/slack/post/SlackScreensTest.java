package dev.runnel.surface.slack.post;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.slack.api.model.view.View;
import com.slack.api.util.json.GsonFactory;
import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.Screen;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.model.run.StopRequest;
import dev.runnel.surface.slack.ScriptedSlack;
import dev.runnel.surface.slack.SlackRequests;
import dev.runnel.surface.slack.SlackSurface;
import dev.runnel.surface.slack.SlackSurfaces;
import dev.runnel.surface.slack.SlackUpdates;
import dev.runnel.surface.slack.model.SlackFormNote;
import dev.runnel.surface.slack.model.SlackIdentity;
import dev.runnel.surface.slack.model.SlackPermalinks;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackPost;
import dev.runnel.surface.slack.model.SlackQuote;
import dev.runnel.surface.slack.model.SlackReplyTo;
import dev.runnel.surface.slack.render.SlackForms;
import dev.runnel.surface.slack.render.SlackHome;
import dev.runnel.surface.slack.render.SlackInfoCards;
import dev.runnel.surface.slack.render.SlackRenderer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Pages and forms: how they look, and how they get to Slack.
class SlackScreensTest {
  private static final Path FOLDER = Path.of("src/test/resources/golden/slack/rendered");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Instant NOW = SlackUpdates.SINCE.plusSeconds(200);
  private static final Conversation THREAD =
      new Conversation(SlackPlace.SURFACE, "T0ACME/C0DEV/1795240900.000100");
  private static final Conversation ASKED =
      new Conversation(SlackPlace.SURFACE, "T0ACME/C0DEV/~form-3.4.abc");
  private static final Conversation HOME =
      new Conversation(SlackPlace.SURFACE, "T0ACME/U0ANN/~home");
  private static final String ADDRESS = "https://hooks.slack.com/actions/T0ACME/1/secret";
  private static final SlackHome PAGE =
      new SlackHome(
          new SlackPermalinks(
              _ ->
                  Optional.of(
                      new SlackIdentity(
                          "T0ACME",
                          "U0RUNNEL",
                          "B0RUNNEL",
                          "runnel",
                          Optional.of(URI.create("https://acme.slack.com/"))))));

  private static Origin origin(Optional<String> message) {
    return new Origin(
        Optional.empty(),
        Optional.of(new SlackReplyTo(Optional.of("3.4.abc"), Optional.of(ADDRESS)).value()),
        message.map(ts -> new PostRef("C0DEV/" + ts)),
        false);
  }

  private static Screen.Field field(String key, String name, String value, String from) {
    return new Screen.Field(
        key,
        name,
        Optional.of(value).filter(it -> !it.isEmpty()),
        Optional.of(value).filter(it -> !it.isEmpty()),
        from,
        key.equals("profile") ? List.of("ops", "web") : List.of());
  }

  private static List<Screen.Field> fields() {
    return List.of(
        field("profile", "Profile", "web", "set for you"),
        field("env", "Environment", "staging", "from the profile web"),
        field("model", "Model", "", ""),
        field("skill", "Skill", "", ""));
  }

  private static Binding binding(SlackUpdates.Draft draft, boolean stopping) {
    var binding = SlackUpdates.binding(draft);
    return stopping
        ? binding.withStop(Optional.of(StopRequest.asked(SlackUpdates.ANN, SlackUpdates.SINCE)))
        : binding;
  }

  private static Screen.Home home() {
    return new Screen.Home(
        List.of(
            binding(
                SlackUpdates.running()
                    .in(RunState.BLOCKED, "BLOCKED")
                    .message("Which of the two <tests>?"),
                false)),
        List.of(
            binding(SlackUpdates.running(), false),
            binding(SlackUpdates.running().titled("Tidy up"), true)),
        List.of(
            binding(SlackUpdates.running().in(RunState.FAILED, "FAILED"), false),
            binding(SlackUpdates.done().titled(""), false)),
        12,
        fields().subList(0, 2),
        List.of(Level.ME, Level.WORKSPACE),
        NOW);
  }

  private static Screen.Home empty() {
    return new Screen.Home(List.of(), List.of(), List.of(), 0, List.of(), List.of(Level.ME), NOW);
  }

  private static Map<String, View> all() {
    Map<String, View> all = new LinkedHashMap<>();
    all.put("home", PAGE.render(home()));
    all.put("home-empty", PAGE.render(empty()));
    all.put(
        "form-ask",
        SlackForms.ask(
            new Screen.Ask(Optional.empty(), Optional.empty(), "", fields()),
            new Conversation(SlackPlace.SURFACE, "T0ACME/U0ANN/~form-3.4.abc"),
            origin(Optional.empty())));
    all.put(
        "form-ask-about-message",
        SlackForms.ask(
            new Screen.Ask(
                Optional.of(THREAD),
                Optional.empty(),
                "the checkout test <fails>\nsince `yesterday`",
                fields()),
            ASKED,
            origin(Optional.of("1795240910.000300"))));
    all.put(
        "form-ask-run",
        SlackForms.ask(
            new Screen.Ask(Optional.of(THREAD), Optional.of(new RunId("1")), "it fails", List.of()),
            ASKED,
            origin(Optional.of("1795240910.000300"))));
    all.put(
        "form-answer",
        SlackForms.ask(
            new Screen.Ask(
                Optional.of(THREAD),
                Optional.of(new RunId("1")),
                "",
                List.of(),
                Optional.of(AskedQuestion.of(new RunId("1"), "Which one?"))),
            ASKED,
            origin(Optional.empty())));
    all.put(
        "form-defaults",
        SlackForms.preferences(
            new Screen.Preferences(
                Level.HERE,
                List.of(
                    fields().getFirst(),
                    new Screen.Field(
                        "model",
                        "Model",
                        Optional.of("slow"),
                        Optional.of("fast"),
                        "set for you",
                        List.of()),
                    field("skill", "Skill", "", ""),
                    field("prompt", "Base prompt", "Be brief.", "set here"))),
            ASKED,
            origin(Optional.empty())));
    return all;
  }

  private static JsonNode json(View view) throws IOException {
    return JSON.readTree(GsonFactory.createSnakeCase().toJson(view));
  }

  @TestFactory
  Stream<DynamicTest> everyScreenLooksAsItsGoldenFile() {
    return all().entrySet().stream()
        .map(
            it ->
                dynamicTest(
                    it.getKey(),
                    () -> {
                      var file = FOLDER.resolve(it.getKey() + ".json");
                      var rendered =
                          JSON.writerWithDefaultPrettyPrinter()
                                  .writeValueAsString(json(it.getValue()))
                              + "\n";
                      if ("write".equals(System.getProperty("runnel.golden"))) {
                        Files.writeString(file, rendered);
                      }
                      assertThat(rendered).isEqualTo(Files.readString(file));
                    }));
  }

  @Test
  void anEmptyPageSaysInTwoLinesWhatToDo() throws IOException {
    var words = json(PAGE.render(empty())).at("/blocks/2/text/text").asText();

    assertThat(words.lines())
        .containsExactly(
            "You have no runs yet.",
            "Press *New run*, or type `/agent fix the flaky test` in a channel.");
  }

  @Test
  void homePageShowsOnlyApplicableButtons() throws IOException {
    var blocks = json(PAGE.render(home())).path("blocks");
    var buttons = new LinkedHashMap<String, List<String>>();
    for (int i = 0; i + 1 < blocks.size(); i++) {
      var words = blocks.get(i).path("text").path("text").asText();
      var labels = blocks.get(i + 1).path("elements").findValuesAsText("action_id");
      if (words.contains("\n") && !labels.isEmpty()) {
        buttons.merge(
            words.lines().toList().get(1).split(" · ", 2)[0],
            labels,
            (a, b) -> Stream.concat(a.stream(), b.stream()).toList());
      }
    }

    assertThat(buttons)
        .containsEntry("✋ Waiting for you", List.of("home_open_session", "home_cancel_run"))
        .containsEntry("⚙️ Running", List.of("home_open_session", "home_cancel_run"))
        .containsEntry("⚙️ Stopping…", List.of("home_open_session"))
        .containsEntry("❌ Failed", List.of("home_open_session", "home_retry_run"))
        .containsEntry("✅ Finished", List.of("home_open_pull_request", "home_open_session"));
  }

  @Test
  void formReturnsTheMessageItIsAbout() {
    var view = Optional.ofNullable(all().get("form-ask-about-message")).orElseThrow();

    assertThat(SlackFormNote.read(view.getPrivateMetadata()))
        .contains(
            new SlackFormNote(
                "C0DEV",
                "1795240900.000100",
                "1795240910.000300",
                "the checkout test <fails>\nsince `yesterday`",
                Optional.of(ADDRESS),
                false,
                Optional.empty(),
                Optional.empty()));
  }

  @Test
  void theAnswerToConfigHasAButtonForEachLevelThatThePersonMayChange() {
    var infoCard = InfoCard.sentence("Defaults").withChangeable(List.of(Level.ME, Level.WORKSPACE));

    var post =
        SlackRenderer.render(
            new Update.Answered(SlackUpdates.ANN, infoCard), SlackPost.Mark.of("n"));

    assertThat(GsonFactory.createSnakeCase().toJson(post.blocks().getLast()))
        .contains("edit_me", "Change mine", "edit_workspace")
        .doesNotContain("edit_here");
  }

  @Test
  void answerToUnknownTextOffersAButtonThatStartsARunWithIt() {
    var infoCard = offering("stop 7777");

    var post =
        SlackRenderer.render(
            new Update.Answered(SlackUpdates.ANN, infoCard), SlackPost.Mark.of("n"));

    assertThat(GsonFactory.createSnakeCase().toJson(post.blocks().getLast()))
        .contains("start_run", "Start it", "stop 7777");
  }

  @Test
  void aCardWithChoicesHasAButtonForEach() {
    var infoCard =
        InfoCard.sentence("This start waits for approval")
            .withChoices(
                List.of(
                    new InfoCard.Choice("Approve", "approve 1a2b3c4d"),
                    new InfoCard.Choice("Decline", "decline 1a2b3c4d")));

    var post =
        SlackRenderer.render(
            new Update.Answered(SlackUpdates.ANN, infoCard), SlackPost.Mark.of("n"));

    assertThat(GsonFactory.createSnakeCase().toJson(post.blocks().getLast()))
        .contains(
            "command_0", "Approve", "approve 1a2b3c4d", "command_1", "Decline", "decline 1a2b3c4d");
  }

  private static InfoCard offering(String words) {
    return InfoCard.sentence("No run was started").withWork(Optional.of(words));
  }

  @Test
  void textThatIsTooLongForAButtonHasNone() {
    var infoCard = offering("stop " + "x".repeat(2_000));

    assertThat(SlackInfoCards.buttons(infoCard)).isEmpty();
  }

  /// Random texts of every length in every place.
  @Nested
  class WhateverIsShown {
    private static final List<String> PARTS =
        List.of(
            "word ",
            "\n",
            "```",
            "`",
            "*",
            "&",
            "<",
            ">",
            "<@U0BOB>",
            "<!channel>",
            "\"",
            "\\",
            "\ud83d\ude80",
            "\ud83d",
            "\u202e",
            "\u0000",
            "x".repeat(90),
            "&".repeat(200));

    private static String text(RandomGenerator chance) {
      var text = new StringBuilder();
      var parts = chance.nextInt(1, 60);
      for (int i = 0; i < parts; i++) {
        text.append(PARTS.get(chance.nextInt(PARTS.size())));
      }
      return text.toString();
    }

    private static Screen.Field field(String key, RandomGenerator chance) {
      var value =
          Optional.of(key.equals("profile") ? profile(chance) : text(chance))
              .filter(_ -> chance.nextBoolean());
      return new Screen.Field(
          key,
          "Name " + text(chance),
          value,
          chance.nextBoolean() ? value : Optional.of(text(chance)),
          text(chance),
          key.equals("profile")
              ? IntStream.range(0, chance.nextInt(300)).mapToObj(_ -> profile(chance)).toList()
              : List.of());
    }

    /// From the configuration, where names are sound.
    private static String profile(RandomGenerator chance) {
      return "profile " + chance.nextInt() + "x".repeat(chance.nextInt(100));
    }

    private static List<View> views(RandomGenerator chance) {
      var fields =
          Stream.of("profile", "env", "model", "skill", "factory", "prompt")
              .map(key -> field(key, chance))
              .toList();
      var draft =
          SlackUpdates.running()
              .titled(text(chance))
              .message(text(chance))
              .at("https://example.com/" + "s".repeat(chance.nextInt(4_000)));
      List<View> views = new ArrayList<>();
      for (var state : RunState.values()) {
        var runs =
            Collections.nCopies(
                chance.nextInt(15), SlackUpdates.binding(draft.in(state, text(chance))));
        views.add(
            PAGE.render(
                new Screen.Home(
                    runs, runs, runs, chance.nextInt(5), fields, List.of(Level.values()), NOW)));
      }
      for (var thread : List.of(Optional.of(THREAD), Optional.<Conversation>empty())) {
        views.add(
            SlackForms.ask(
                new Screen.Ask(
                    thread, Optional.empty(), text(chance).repeat(3), fields.subList(0, 4)),
                ASKED,
                origin(Optional.empty())));
      }
      for (var level : Level.values()) {
        views.add(
            SlackForms.preferences(
                new Screen.Preferences(level, fields), ASKED, origin(Optional.empty())));
      }
      return views;
    }

    @Test
    void everyViewStaysWithinSlacksLimits() throws IOException {
      for (long seed = 0; seed < 40; seed++) {
        var chance = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        try {
          for (var view : views(chance)) {
            assertFits(json(view));
          }
        } catch (AssertionError failed) {
          throw new AssertionError("With seed " + seed, failed);
        }
      }
    }

    private static void assertFits(JsonNode view) throws IOException {
      assertThat(JSON.readTree(JSON.writeValueAsString(view))).isEqualTo(view);
      assertThat(view.path("blocks").size()).isBetween(1, 100);
      assertThat(view.path("private_metadata").asText()).hasSizeLessThanOrEqualTo(3_000);
      for (var part : List.of("title", "submit", "close")) {
        assertThat(view.path(part).path("text").asText()).hasSizeLessThanOrEqualTo(24);
      }
      var ids = new HashSet<String>();
      for (var block : view.path("blocks")) {
        var id = block.path("block_id").asText();
        assertThat(id.isEmpty() || ids.add(id)).as("block id " + id).isTrue();
        switch (block.path("type").asText()) {
          case "input" -> assertInput(block);
          case "section" -> assertText(block.path("text"), 3_000);
          case "context" -> block.path("elements").forEach(it -> assertText(it, 3_000));
          case "header" -> assertText(block.path("text"), 150);
          case "actions" -> {
            assertThat(block.path("elements").size()).isBetween(1, 25);
            assertThat(block.path("elements").findValuesAsText("action_id"))
                .doesNotHaveDuplicates();
          }
          case "divider" -> {}
          default -> throw new AssertionError(block.toString());
        }
      }
    }

    private static void assertInput(JsonNode block) {
      assertText(block.path("label"), 2_000);
      if (block.has("hint")) {
        assertText(block.path("hint"), 2_000);
      }
      var element = block.path("element");
      assertThat(element.path("initial_value").asText().length())
          .isLessThanOrEqualTo(element.path("max_length").asInt(0));
      assertThat(element.path("max_length").asInt(0)).isLessThanOrEqualTo(3_000);
      if (element.path("type").asText().equals("static_select")) {
        assertThat(element.path("options").size()).isBetween(1, 100);
        for (var option : element.path("options")) {
          assertText(option.path("text"), 75);
          assertThat(option.path("value").asText()).hasSizeBetween(1, 150);
        }
        if (element.has("initial_option")) {
          assertThat(element.path("options")).contains(element.path("initial_option"));
        }
      }
    }

    private static void assertText(JsonNode text, int longest) {
      var words = text.path("text").asText();
      assertThat(words).isNotBlank().hasSizeLessThanOrEqualTo(longest);
      if (text.path("type").asText().equals("mrkdwn")) {
        assertThat(words.split("```", -1).length % 2).as(words).isOne();
        assertThat(words).doesNotContain("<@", "<!channel", "<!here");
        assertThat(words).doesNotContainPattern("&(?!(?:amp|lt|gt);)");
      }
      assertThat(words.codePoints()).noneMatch(it -> Character.getType(it) == Character.SURROGATE);
    }
  }

  @Nested
  class OnTheWayToSlack {
    private final ScriptedSlack slack = new ScriptedSlack();
    private final SlackSurface surface = SlackSurfaces.of(slack.config(), InstantSource.system());

    @AfterEach
    void close() {
      surface.close();
      slack.close();
    }

    private Posting post(Conversation conversation, Screen screen, Origin origin) {
      return surface.post(
          new Notice(
              new NoticeId("n1"),
              conversation,
              new Update.Screened(SlackUpdates.ANN, screen),
              origin,
              SlackRequests.NOW,
              0),
          null);
    }

    private final Screen form = new Screen.Ask(Optional.empty(), Optional.empty(), "", fields());

    @Test
    void aFormIsOpenedByItsTrigger() {
      assertThat(post(ASKED, form, origin(Optional.empty()))).isInstanceOf(Posting.Posted.class);

      assertThat(slack.calls("views.open"))
          .singleElement()
          .satisfies(
              it -> {
                assertThat(it.field("trigger_id")).isEqualTo("3.4.abc");
                assertThat(it.field("view")).contains("\"callback_id\":\"ask\"");
                assertThat(it.token()).isEqualTo("xoxb-test-token");
              });
    }

    @Test
    void aPageIsPublishedForItsPerson() {
      assertThat(post(HOME, home(), Origin.NONE)).isInstanceOf(Posting.Posted.class);

      assertThat(slack.calls("views.publish"))
          .singleElement()
          .satisfies(
              it -> {
                assertThat(it.field("user_id")).isEqualTo("U0ANN");
                assertThat(it.field("view")).contains("\"type\":\"home\"", "Your runs");
              });
    }

    @Test
    void lateFormIsReportedToThePerson() {
      slack.refuses("views.open", "expired_trigger_id");
      var noAddress =
          new Origin(Optional.empty(), Optional.of("trigger:3.4.abc"), Optional.empty(), false);

      assertThat(post(ASKED, form, noAddress)).isInstanceOf(Posting.Posted.class);
      assertThat(slack.calls("chat.postEphemeral"))
          .singleElement()
          .satisfies(it -> assertThat(it.field("text")).isEqualTo(SlackScreens.TOO_LATE));
    }

    @Test
    void formWithALostResponseIsNotOpenedAgain() {
      slack.refuses("views.open", "exchanged_trigger_id");

      assertThat(post(ASKED, form, origin(Optional.empty()))).isInstanceOf(Posting.Posted.class);
      assertThat(slack.calls("chat.postEphemeral")).isEmpty();
    }

    @Test
    void aPageWaitsWhenSlackAsksToSlowDown() {
      slack.says("views.publish", ScriptedSlack.rateLimited("7"));

      assertThat(post(HOME, home(), Origin.NONE)).isInstanceOf(Posting.Later.class);
      assertThat(surface.limits().rateLimit(HOME)).isEqualTo("slack:T0ACME/views");
      assertThat(surface.limits().rateLimit(ASKED)).isEqualTo("slack:T0ACME/views");
      assertThat(surface.limits().rateLimit(THREAD)).isEqualTo("slack:T0ACME/C0DEV/");
      assertThat(surface.limits().editLimit(HOME)).isEqualTo("slack:T0ACME/views");
      assertThat(surface.limits().editLimit(THREAD)).isEqualTo("slack:T0ACME/edits");
    }

    @Test
    void answerAboutTheHomeTabIsADirectMessage() {
      var origin =
          new Origin(
              Optional.empty(),
              Optional.of("directly"),
              Optional.empty(),
              false,
              Optional.of(HOME));

      var posting =
          surface.post(
              new Notice(
                  new NoticeId("n1"),
                  THREAD,
                  new Update.Message(SlackUpdates.ANN, "Nothing to stop.", true),
                  origin,
                  SlackRequests.NOW,
                  0),
              null);

      assertThat(posting).isInstanceOf(Posting.Posted.class);
      assertThat(slack.calls("chat.postMessage"))
          .singleElement()
          .satisfies(it -> assertThat(it.field("channel")).isEqualTo("U0ANN"));
    }

    @Test
    void answerToAFormIsADirectMessageIfTheBotIsNotInTheChannel() {
      slack.refuses("chat.postEphemeral", "not_in_channel");
      var nowhere = new Conversation(SlackPlace.SURFACE, "T0ACME/C0DEV/~V0FORM");
      var origin = new Origin(Optional.empty(), Optional.of("directly"), Optional.empty(), false);

      surface.post(
          new Notice(
              new NoticeId("n1"),
              nowhere,
              new Update.Message(SlackUpdates.ANN, "I cannot post in this channel.", true),
              origin,
              SlackRequests.NOW,
              0),
          null);

      assertThat(slack.calls("chat.postMessage"))
          .singleElement()
          .satisfies(it -> assertThat(it.field("channel")).isEqualTo("U0ANN"));
    }

    @Test
    void formTextIsPostedWithoutTheQuotedMessage() {
      var delivery =
          new Delivery(
              new DeliveryId("slack:view:V1"),
              "view:T0ACME/V1",
              THREAD,
              SlackUpdates.ANN,
              new Intent.Say(Request.of(SlackQuote.join("why?", "it fails\nagain"))),
              true,
              Origin.NONE,
              SlackRequests.NOW);

      var posting = surface.threads().open(delivery, false);

      assertThat(posting)
          .isInstanceOfSatisfying(
              Posting.Posted.class, it -> assertThat(it.conversation()).isEqualTo(THREAD));
      assertThat(slack.calls("chat.postMessage"))
          .singleElement()
          .satisfies(
              it -> {
                assertThat(it.field("thread_ts")).isEqualTo("1795240900.000100");
                assertThat(it.field("text")).isEqualTo("<@U0ANN> asked: why?");
              });
    }
  }
}
