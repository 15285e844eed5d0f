package dev.runnel.surface.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Evidence;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.surface.tracker.MarkdownPosts;
import dev.runnel.surface.tracker.Settings;
import dev.runnel.testkit.Samples;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class GitHubRendererTest {
  private static final Path FOLDER = Path.of("src/test/resources/golden/github/posts");

  private static final NoticeId ID = new NoticeId("notice-1");

  private static final int MAX = 65_536;

  private final MarkdownPosts renderer =
      new MarkdownPosts(Settings.of("agent", "agent"), new MarkdownPosts.Dialect(MAX, false));

  /// Each in the file of its name under `golden/github/posts`.
  private static Map<String, Update> golden() {
    var updates = new LinkedHashMap<String, Update>();
    for (var state : RunState.values()) {
      updates.put(
          "status-" + state.name().toLowerCase(Locale.ROOT),
          Updates.status(state, "Running `mvn verify`\nfor @everyone"));
    }
    var run = Updates.run(RunState.BLOCKED, "");
    updates.put(
        "blocked",
        new Update.Blocked(run, Updates.DANA, "Which of the two tax tables is right, @dana?"));
    var choices = "Which table is right?\n\n- The one of @lee\n- `taxes`";
    updates.put("blocked-choices", new Update.Blocked(run, Updates.DANA, choices));
    updates.put(
        "question-closed",
        new Update.QuestionClosed(
            run, choices, Optional.of("The one of @lee"), Optional.of(Updates.DANA)));
    updates.put(
        "succeeded", Updates.succeeded("The total no longer divides by zero.\n\n@lee, look!"));
    updates.put("succeeded-in-silence", Updates.succeeded(""));
    updates.put(
        "failed", new Update.Failed(run, Updates.DANA, "The build does not compile.", false));
    updates.put(
        "failed-retryable", new Update.Failed(run, Updates.DANA, "The machine went away.", true));
    updates.put(
        "failed-over-budget",
        new Update.Failed(
            run.withIsOverBudget(true), Updates.DANA, "One run may cost $5.00.", false));
    updates.put("cancelled", new Update.Cancelled(run, Updates.DANA));
    updates.put("told", Updates.TOLD);
    updates.put(
        "listed",
        new Update.Listed(
            Updates.DANA,
            List.of(Updates.binding(RunState.RUNNING, 1), Updates.binding(RunState.SUCCEEDED, 2))));
    updates.put("listed-none", new Update.Listed(Updates.DANA, List.of()));
    updates.put(
        "listed-none-such",
        new Update.Listed(
            Updates.DANA,
            List.of(),
            Optional.of(new Update.Listing("github:acme/shop", true, 0, "list all", 0))));
    updates.put(
        "listed-more",
        new Update.Listed(
            Updates.DANA,
            List.of(Updates.binding(RunState.RUNNING, 1)),
            Optional.of(new Update.Listing("github:acme/shop", false, 12, "list all", 3))));
    updates.put(
        "answered",
        new Update.Answered(
            Updates.DANA,
            new InfoCard(
                "Defaults for @dana",
                List.of(
                    InfoCard.Row.of("Model", "fast", "set here"),
                    InfoCard.Row.sentence("Ask @lee <!-- hidden --> or read `docs`.")),
                List.of(new InfoCard.Next("Set one", "config set model fast")))));
    updates.put(
        "answered-stoppable",
        new Update.Answered(
            Updates.DANA,
            InfoCard.sentence("I passed this on. To stop the run:")
                .withStoppable(
                    List.of(
                        new InfoCard.Stoppable(
                            new RunId("7b3f0c1e-1111-4222-8333-444455556666"),
                            "⚙️ Running",
                            "Fix <the> `test`")))));
    updates.put("helped", new Update.Helped(Updates.DANA));
    return updates;
  }

  @TestFactory
  Stream<DynamicTest> anUpdateReadsAsItsGoldenFile() {
    return golden().entrySet().stream()
        .map(
            each ->
                dynamicTest(
                    each.getKey(),
                    () -> {
                      var file = FOLDER.resolve(each.getKey() + ".md");
                      var rendered = renderer.render(each.getValue(), ID) + "\n";
                      if ("write".equals(System.getProperty("runnel.golden"))) {
                        Files.writeString(file, rendered);
                      }
                      assertThat(rendered).isEqualTo(Files.readString(file));
                    }));
  }

  @TestFactory
  Stream<DynamicTest> everyPostEndsWithItsMarker() {
    return golden().entrySet().stream()
        .map(
            each ->
                dynamicTest(
                    each.getKey(),
                    () ->
                        assertThat(renderer.render(each.getValue(), ID))
                            .endsWith("\n\n<!-- runnel:notice=notice-1 -->")));
  }

  @Test
  void choiceKeepsItsBackticks() {
    var run = Updates.run(RunState.BLOCKED, "");
    var question = "Which element?\n1. `<Suspense>`\n2. `a/__init__.py`";

    assertThat(renderer.render(new Update.Blocked(run, Updates.DANA, question), ID))
        .contains("\n1. `<Suspense>`\n2. `a/__init__.py`\n");
  }

  @Test
  void onlyThePersonWhoMustAnswerIsMentioned() {
    for (var update : golden().values()) {
      var mentions = renderer.render(update, ID).replace("`@agent", "").replace("@\u200B", "");
      if (update instanceof Update.Blocked) {
        assertThat(mentions).containsOnlyOnce("@").contains("@dana");
      } else {
        assertThat(mentions).doesNotContain("@");
      }
    }
  }

  @Test
  void longAnswerIsTruncatedWithANote() {
    var answer = "```\n" + "An answer with @dana in it. 😀\n".repeat(5_000);

    var post = renderer.render(Updates.succeeded(answer), ID);

    assertThat(post.length()).isBetween(65_000, MAX);
    assertThat(post)
        .contains("\n```\n\n*The rest was cut off here: a comment has at most 65,536 characters.*")
        .contains("Comment `@agent …` to continue.")
        .endsWith("<!-- runnel:notice=notice-1 -->");
  }

  @Test
  void answerThatGrowsByEscapingStillFits() {
    var post = renderer.render(Updates.succeeded("@a ".repeat(21_800)), ID);

    assertThat(post.length()).isLessThanOrEqualTo(MAX);
    assertThat(post).contains("cut off here");
  }

  @Test
  void longContentStillFitsIntoOneComment() {
    var run = Updates.run(RunState.RUNNING, "x".repeat(100_000));
    var much =
        Samples.run(
            run.id(),
            "[title](".repeat(10_000),
            run.state(),
            run.stateName(),
            run.message(),
            run.retryable(),
            run.session(),
            Collections.nCopies(
                500,
                new Artifact(
                    "label".repeat(1_000),
                    URI.create("https://x.example/" + "y".repeat(1_900)),
                    true)),
            Optional.of("9".repeat(10_000)),
            run.runTime(),
            run.updatedAt(),
            run.delivery());
    var dana = new Actor("dana", "dana".repeat(10_000));
    var bindings = Collections.nCopies(500, Updates.binding(RunState.RUNNING, 1));

    for (var update :
        List.of(
            new Update.Status(much, dana, Updates.REQUEST, Updates.SINCE, Updates.NOW),
            new Update.Succeeded(much, dana, Updates.SINCE, Updates.NOW),
            new Update.Blocked(much, dana, "?".repeat(100_000)),
            new Update.Failed(much, dana, "?".repeat(100_000), true),
            new Update.Cancelled(much, dana),
            new Update.Message(dana, "?".repeat(100_000), false),
            new Update.Listed(dana, bindings))) {
      assertThat(renderer.render(update, ID).length()).isLessThanOrEqualTo(MAX);
    }
  }

  @Test
  void aRunWithoutATitleIsNamedByItsRequest() {
    var run = Updates.run(RunState.QUEUED, "");
    var untitled =
        Samples.run(
            run.id(),
            "",
            run.state(),
            run.stateName(),
            run.message(),
            false,
            Optional.empty(),
            List.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    assertThat(
            renderer.render(
                new Update.Status(
                    untitled, Updates.DANA, Updates.REQUEST, Updates.SINCE, Updates.NOW),
                ID))
        .startsWith("⏳ **Queued** · Work on this issue: Checkout fails\n");
  }

  @Test
  void endOfAStoppedRunListsUnreadMessages() {
    var words = List.of("run the linter", "@everyone look", "3", "4", "5", "6");
    var stopped =
        new Update.Cancelled(
            Updates.run(RunState.CANCELLED, ""), Updates.DANA, Optional.empty(), words);

    assertThat(renderer.render(stopped, ID))
        .contains("6 replies were not read: \u201crun the linter\u201d", ", and 1 more.")
        .doesNotContain(" @everyone", "\u201c@everyone");
  }

  @Test
  void onlyWebAddressesBecomeLinks() {
    var run = Updates.run(RunState.RUNNING, "");
    var odd =
        new Update.Cancelled(
            Samples.run(
                run.id(),
                "t",
                run.state(),
                run.stateName(),
                Optional.empty(),
                false,
                Optional.empty(),
                List.of(new Artifact("click", URI.create("javascript:alert(1)"), false)),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty()),
            Updates.DANA);

    assertThat(renderer.render(odd, ID)).doesNotContain("javascript", "click");
  }

  @Test
  void aFileOfTheAgentIsALinkToTheRun() {
    var run = Updates.run(RunState.SUCCEEDED, "Done");
    var file = new RunFile("f1", "shot [1].png", "image/png", 3, "", false);
    var end =
        new Update.Succeeded(
            run.withFiles(List.of(file)), Updates.DANA, Updates.SINCE, Updates.SINCE);

    assertThat(renderer.render(end, ID))
        .contains("- File: [shot", "](<" + run.session().orElseThrow() + ">)");
  }

  @Test
  void resultShowsTheEvidenceBesideTheAgentsAnswer() {
    var seen = new Evidence(2, 1, Optional.of(List.of()), Optional.of(Evidence.Mismatch.NONE_RAN));
    var run = Updates.run(RunState.SUCCEEDED, "All tests pass.").withEvidence(Optional.of(seen));
    var end = new Update.Succeeded(run, Updates.DANA, Updates.SINCE, Updates.SINCE);

    assertThat(renderer.render(end, ID))
        .contains(
            "Seen by Runnel: 2 files changed, 1 commit. Told by the agent program: no tests ran")
        .contains(
            "The agent says that tests pass, but its program reports no command that ran tests.");
  }

  @Test
  void receiptCannotBeRenderedAsAComment() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> renderer.render(new Update.Received(new PostRef("x")), ID));
  }
}
