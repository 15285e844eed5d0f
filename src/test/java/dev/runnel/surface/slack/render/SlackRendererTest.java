package dev.runnel.surface.slack.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.slack.api.util.json.GsonFactory;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Evidence;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunState;
import dev.runnel.surface.slack.SlackUpdates;
import dev.runnel.surface.slack.model.AnswerFile;
import dev.runnel.surface.slack.model.SlackPost;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlackRendererTest {
  private static final Path FOLDER = Path.of("src/test/resources/golden/slack/rendered");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final SlackPost.Mark MARK = SlackPost.Mark.of("notice");

  private static ObjectNode json(SlackPost post) throws IOException {
    var json = JSON.createObjectNode().put("text", post.text());
    json.set("blocks", JSON.readTree(GsonFactory.createSnakeCase().toJson(post.blocks())));
    return json;
  }

  private static String blocks(SlackPost post) {
    return GsonFactory.createSnakeCase().toJson(post.blocks());
  }

  @TestFactory
  Stream<DynamicTest> everyUpdateLooksAsItsGoldenFile() {
    return Stream.concat(
        SlackUpdates.all().entrySet().stream()
            .map(it -> golden(it.getKey(), SlackRenderer.render(it.getValue(), MARK))),
        Stream.of(
            golden(
                "request",
                SlackRenderer.request(
                    SlackUpdates.ANN,
                    Request.of("ask <@U0BOB> & <!here>\nto fix `a < b`"),
                    MARK))));
  }

  private static DynamicTest golden(String name, SlackPost post) {
    return dynamicTest(
        name,
        () -> {
          var file = FOLDER.resolve(name + ".json");
          var rendered =
              JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json(post)) + "\n";
          if ("write".equals(System.getProperty("runnel.golden"))) {
            Files.createDirectories(FOLDER);
            Files.writeString(file, rendered);
          }
          assertThat(rendered).isEqualTo(Files.readString(file));
        });
  }

  @Test
  void cardOfARunShowsItsStateAndItsRequest() throws IOException {
    var status = (Update.Status) Objects.requireNonNull(SlackUpdates.all().get("status-running"));
    var card = SlackRenderer.card(status, MARK);

    assertThat(card.text())
        .startsWith(SlackRenderer.render(status, MARK).text())
        .endsWith("asked: " + status.request().text());
    assertThat(json(card).at("/blocks/1/text/text").asText())
        .isEqualTo("> " + status.request().text());
  }

  @Test
  void onlyTheApproversOfAStartAreMentioned() {
    var card =
        new InfoCard(
            "This start waits for approval",
            List.of(
                InfoCard.Row.of("Request", "ask slack:U0BOB"),
                InfoCard.Row.of(
                        "Who may approve", "slack:U0ANN, slack:group:S0PLAT, the group `platform`")
                    .mentioning()),
            List.of());

    assertThat(SlackRenderer.render(new Update.Answered(SlackUpdates.ANN, card), MARK).text())
        .contains(
            "*Request:* ask slack:U0BOB",
            "*Who may approve:* <@U0ANN>, <!subteam^S0PLAT>, the group `platform`");
  }

  @ParameterizedTest
  @CsvSource({"true, <@U0BOB>", "false, slack:U0BOB"})
  void onlyAPrivateMessageMentionsTheNamedPeople(boolean privately, String shown) {
    var told = new Update.Message(SlackUpdates.ANN, "These may: slack:U0BOB.", privately);

    assertThat(SlackRenderer.render(told, MARK).text()).isEqualTo("These may: " + shown + ".");
  }

  @Test
  void aPullRequestOfTheCardIsAButton() throws IOException {
    var status = (Update.Status) Objects.requireNonNull(SlackUpdates.all().get("status-succeeded"));
    var card = json(SlackRenderer.card(status, MARK));

    assertThat(card.toString()).contains("View PR #7").doesNotContain("•");
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST"})
  void aLinkThatOnlyThisMachineOpensIsNotShown(String host) throws IOException {
    var run = SlackUpdates.running().at("http://" + host + "/runs/1");

    for (var update :
        List.of(
            SlackUpdates.status(run, Duration.ZERO),
            new Update.Blocked(run.run(), SlackUpdates.ANN, "Which?"),
            new Update.Succeeded(run.run(), SlackUpdates.ANN, Instant.EPOCH, Instant.EPOCH),
            new Update.Failed(run.run(), SlackUpdates.ANN, "No.", true))) {
      assertThat(json(SlackRenderer.render(update, MARK)).toString())
          .doesNotContain("Open")
          .doesNotContainIgnoringCase(host);
    }
  }

  @Test
  void noPostContainsExceptionNamesLocalUrlsOrHeaders() throws IOException {
    for (var update : SlackUpdates.all().values()) {
      assertThat(json(SlackRenderer.render(update, MARK)).toString())
          .doesNotContainPattern("\\w(?:Exception|Error)\\b")
          .doesNotContainPattern("http://localhost|http://127")
          .doesNotContainPattern("(?i)authorization:|bearer |x-[a-z]+-[a-z]+:");
    }
  }

  @Test
  void receiptCannotBeRenderedAsAPost() {
    assertThatThrownBy(() -> SlackRenderer.render(SlackUpdates.received(), MARK))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "QUEUED,    true,  false",
    "RUNNING,   true,  false",
    "BLOCKED,   true,  false",
    "UNKNOWN,   true,  false",
    "SUCCEEDED, false, false",
    "FAILED,    false, true",
    "CANCELLED, false, true",
  })
  void statusShowsOnlyApplicableButtons(RunState state, boolean stop, boolean retry) {
    var blocks =
        blocks(
            SlackRenderer.render(
                SlackUpdates.status(SlackUpdates.running().in(state, "X"), Duration.ZERO), MARK));

    assertThat(blocks.contains("cancel_run")).isEqualTo(stop);
    assertThat(blocks.contains("retry_run")).isEqualTo(retry);
    assertThat(blocks).contains("open_session");
  }

  @Test
  void tooLongAnswerEndsWithALinkToTheRun() {
    var answer = "a long line of an answer\n".repeat(2_000);

    var post =
        SlackRenderer.render(
            new Update.Succeeded(
                SlackUpdates.done().message(answer).run(),
                SlackUpdates.ANN,
                SlackUpdates.SINCE,
                SlackUpdates.SINCE),
            MARK);

    assertThat(blocks(post)).contains("Read the rest in the run");
  }

  @Test
  void pullRequestButtonShowsItsState() {
    var link = URI.create("https://github.com/acme/shop/pull/7");
    var merged = new Artifact("acme/shop#7", link, true).in(PullRequestState.MERGED);
    var run = SlackUpdates.done().run().withArtifacts(List.of(merged));
    var status =
        new Update.Status(
            run, SlackUpdates.ANN, Request.of("fix it"), SlackUpdates.SINCE, SlackUpdates.SINCE);

    assertThat(blocks(SlackRenderer.render(status, MARK))).contains("View PR #7 (merged)");
  }

  @Test
  void statusOfAnEndedRunShowsItsRunTimeEvenAfterALaterEdit() {
    var run = SlackUpdates.done().run().withRunTime(Optional.of(Duration.ofSeconds(14)));
    var aDayLater = SlackUpdates.SINCE.plus(Duration.ofDays(1));
    var status =
        new Update.Status(
            run, SlackUpdates.ANN, Request.of("fix it"), SlackUpdates.SINCE, aDayLater);

    assertThat(blocks(SlackRenderer.render(status, MARK))).contains("14 s");
  }

  @Test
  void resultShowsTheEvidenceBesideTheAgentsAnswer() {
    var seen = new Evidence(2, 1, Optional.of(List.of()), Optional.of(Evidence.Mismatch.NONE_RAN));
    var run = SlackUpdates.done().message("All tests pass.").run().withEvidence(Optional.of(seen));
    var end = new Update.Succeeded(run, SlackUpdates.ANN, SlackUpdates.SINCE, SlackUpdates.SINCE);

    assertThat(blocks(SlackRenderer.render(end, MARK)))
        .contains(
            "Seen by Runnel: 2 files changed, 1 commit. Told by the agent program: no tests ran")
        .contains(
            "The agent says that tests pass, but its program reports no command that ran tests.");
  }

  @Test
  void answerWithAFileDoesNotPointToTheSession() {
    var update = SlackUpdates.succeeded("a long line of an answer\n".repeat(2_000));

    assertThat(SlackRenderer.tooLong(update, MARK))
        .hasValueSatisfying(
            it -> {
              assertThat(it.text()).hasSize(50_000);
              assertThat(it.name()).matches(AnswerFile::isNameOfOne);
            });
    assertThat(blocks(SlackRenderer.render(update, MARK, true)))
        .contains("The whole answer is in the file below.")
        .doesNotContain("Read the rest");
    assertThat(SlackRenderer.tooLong(SlackUpdates.succeeded("short"), MARK)).isEmpty();
  }

  /// Random texts of nasty parts, in every place where words of others are shown.
  @Nested
  class WhateverIsSaid {
    private static final List<String> PARTS =
        List.of(
            "word ",
            "\n",
            "\n\n",
            "```",
            "```\n",
            "~~~\n",
            "`",
            "``",
            "**",
            "*",
            "_",
            "__",
            "~~",
            "&",
            "<",
            ">",
            "&amp;",
            "<@U0BOB>",
            "<!channel>",
            "<!subteam^S1>",
            "<#C0DEV>",
            "|",
            "\n| a | b |\n",
            "\n# ",
            "\n- ",
            "\n> ",
            "\n---\n",
            "[",
            "](",
            ")",
            "[x](https://e.x/?a&b)",
            "https://example.com/a|b&c_d*e",
            "\ud83d\ude80",
            "\u05e9\u05dc\u05d5\u05dd",
            "\t",
            "\ud83d",
            "\ude80",
            "\u202e",
            "&lt;!channel&gt;",
            "<!here|x>",
            "@channel",
            "\n````md\n",
            "\n    ```\n",
            "\n  - [x] ",
            "\n1. ",
            "\n| a | b |\n|---|--:|\n| 1 | [x](https://e.x) |\n",
            "\n> > ",
            "![i](https://e.x/i.png)",
            "[a [b](https://e.x/(c))",
            "mailto:a@e.x",
            "<br>",
            "x".repeat(700),
            "&".repeat(900),
            "https://e.x/" + "y".repeat(1_500),
            "\\*",
            "\u0000");

    private static String text(Random random) {
      var text = new StringBuilder();
      var parts = random.nextInt(1, 400);
      for (var i = 0; i < parts; i++) {
        text.append(PARTS.get(random.nextInt(PARTS.size())));
      }
      return text.toString();
    }

    private static List<Update> updates(Random random) {
      var draft =
          SlackUpdates.running()
              .titled(text(random))
              .message(text(random))
              .costs(text(random))
              .at("https://example.com/" + "s".repeat(random.nextInt(4_000)))
              .made(
                  Collections.nCopies(
                          random.nextInt(30),
                          new Artifact(
                              text(random),
                              URI.create(
                                  "https://example.com/?a=1&b="
                                      + "p".repeat(random.nextInt(3_000))),
                              true))
                      .toArray(Artifact[]::new));
      var ann = SlackUpdates.ANN;
      var since = SlackUpdates.SINCE;
      List<Update> updates = new ArrayList<>();
      for (var state : RunState.values()) {
        updates.add(SlackUpdates.status(draft.in(state, text(random)), Duration.ofDays(3)));
      }
      updates.add(new Update.Blocked(draft.run(), ann, text(random)));
      updates.add(new Update.Succeeded(draft.run(), ann, since, since));
      updates.add(new Update.Failed(draft.run(), ann, text(random), random.nextBoolean()));
      updates.add(new Update.Cancelled(draft.run(), ann));
      updates.add(new Update.Message(ann, text(random), true));
      updates.add(
          new Update.Listed(
              ann, Collections.nCopies(random.nextInt(60), SlackUpdates.binding(draft))));
      return updates;
    }

    @Test
    void everyPostStaysWithinSlacksLimitsAndMentionsNobody() throws IOException {
      for (var seed = 0; seed < 60; seed++) {
        var random = new Random(seed);
        try {
          for (var update : updates(random)) {
            assertFits(json(SlackRenderer.render(update, MARK)));
            assertFits(json(SlackRenderer.render(update, MARK, true)));
          }
          assertFits(json(SlackRenderer.request(SlackUpdates.ANN, Request.of(text(random)), MARK)));
        } catch (AssertionError failed) {
          throw new AssertionError("With seed " + seed, failed);
        }
      }
    }

    private static void assertFits(JsonNode post) throws IOException {
      assertThat(JSON.readTree(JSON.writeValueAsString(post))).isEqualTo(post);
      assertThat(post.get("text").asText()).hasSizeBetween(1, 4_000);
      assertThat(post.get("blocks").size()).isBetween(1, 50);
      assertThat(post.get("blocks").get(0).get("block_id").asText()).hasSizeBetween(1, 255);
      var texts = post.findValues("text").stream().filter(it -> it.isObject()).toList();
      for (var block : post.get("blocks")) {
        block.path("elements").forEach(it -> assertElement(it));
      }
      var all = post.get("text").asText();
      var size = 0;
      for (var each : texts) {
        if (each.get("type").asText().equals("mrkdwn")) {
          assertThat(each.get("text").asText()).isNotBlank().hasSizeLessThanOrEqualTo(3_000);
          size += each.get("text").asText().length();
          assertWellFormed(each.get("text").asText());
        }
      }
      assertThat(size).isLessThanOrEqualTo(13_000);
      assertWellFormed(all);
    }

    private static void assertElement(JsonNode element) {
      if (element.get("type").asText().equals("button")) {
        assertThat(element.get("text").get("text").asText()).hasSizeLessThanOrEqualTo(75);
        assertThat(element.path("value").asText()).hasSizeLessThanOrEqualTo(2_000);
        assertThat(element.path("url").asText()).hasSizeLessThanOrEqualTo(3_000);
      } else {
        assertThat(element.get("text").asText()).isNotBlank().hasSizeLessThanOrEqualTo(2_000);
        assertWellFormed(element.get("text").asText());
      }
    }

    private static void assertWellFormed(String mrkdwn) {
      assertThat(mrkdwn.split("```", -1).length % 2).as(mrkdwn).isOne();
      assertThat(mrkdwn.replace("<@U0ANN>", "")).doesNotContain("<@", "<!", "<#");
      assertThat(mrkdwn.replace("<@U0ANN>", ""))
          .as("marks are links")
          .doesNotContainPattern("<(?!(?:https?|mailto):[^<>\\s]*[|>])");
      assertThat(mrkdwn).doesNotContainPattern("&(?!(?:amp|lt|gt);)");
      assertThat(mrkdwn.codePoints()).noneMatch(it -> Character.getType(it) == Character.SURROGATE);
      assertThat(mrkdwn.codePoints())
          .noneMatch(it -> Character.isISOControl(it) && it != '\n' && it != '\t');
    }
  }
}
