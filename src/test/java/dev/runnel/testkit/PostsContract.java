package dev.runnel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.TrackerContract.Tracker;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// What people read of Runnel on a tracker, word for word: one file a post, under
/// `golden/PLATFORM/posts`.
public interface PostsContract {
  /// The folder below `golden`.
  String platform();

  /// One of its own for each post.
  Tracker target();

  Conversation conversation();

  @TestFactory
  default Stream<DynamicTest> whatPeopleReadIsWhatStandsInTheFile() {
    return updates().entrySet().stream()
        .map(
            each ->
                dynamicTest(
                    each.getKey(),
                    () -> {
                      var posted = posted(each.getValue());
                      var file =
                          Path.of(
                              "src/test/resources/golden/%s/posts/%s.md"
                                  .formatted(platform(), each.getKey()));
                      if ("write".equals(System.getProperty("runnel.golden"))) {
                        Files.writeString(file, posted);
                      }
                      assertThat(posted).isEqualTo(Files.readString(file));
                    }));
  }

  private String posted(Update update) {
    try (var tracker = target()) {
      var notice =
          new Notice(
              new NoticeId("notice-1"), conversation(), update, Origin.NONE, Samples.NINE, 0);
      assertThat(tracker.surface().post(notice, null)).isInstanceOf(Posting.Posted.class);
      return tracker.platform().comments().getFirst().text() + "\n";
    }
  }

  private static Map<String, Update> updates() {
    var dana = new Actor("dana", "Dana");
    var since = Samples.NINE.minusSeconds(190);
    var updates = new LinkedHashMap<String, Update>();
    for (var state : RunState.values()) {
      updates.put(
          "status-" + state.name().toLowerCase(Locale.ROOT),
          new Update.Status(
              run(state, "Running `mvn verify`\n/close for @everyone"),
              dana,
              Request.of("Work on this issue."),
              since,
              Samples.NINE));
    }
    updates.put(
        "blocked",
        new Update.Blocked(
            run(RunState.BLOCKED, ""), dana, "Which of the two tax tables is right, @lee?"));
    updates.put(
        "reminder",
        new Update.Reminder(
            run(RunState.BLOCKED, ""),
            dana,
            "Which of the two tax tables is right, @lee?",
            1,
            since.minusSeconds(3_600),
            Samples.NINE));
    updates.put(
        "succeeded",
        new Update.Succeeded(
            run(
                RunState.SUCCEEDED,
                "The total no longer divides by zero.\n\n@lee, look!\n/close\n"
                    + "![x](https://example.org/?words=secret)"),
            dana,
            since,
            Samples.NINE));
    updates.put(
        "failed",
        new Update.Failed(run(RunState.FAILED, ""), dana, "The build does not compile.", false));
    updates.put(
        "failed-retryable",
        new Update.Failed(run(RunState.FAILED, ""), dana, "The machine went away.", true));
    updates.put("cancelled", new Update.Cancelled(run(RunState.CANCELLED, ""), dana));
    updates.put("told", new Update.Message(dana, "There is no run here to stop.", true));
    return updates;
  }

  private static Run run(RunState state, String message) {
    return Samples.run(
        new RunId("run-1"),
        "Fix the checkout",
        state,
        state.name(),
        Optional.of(message).filter(text -> !text.isEmpty()),
        false,
        Optional.of(URI.create("https://runs.example/sessions/1")),
        List.of(
            new Artifact(
                "Pull request (fix-checkout)", URI.create("https://git.example/shop/2"), true)),
        Optional.of("0.42 USD"),
        Optional.of(Duration.ofSeconds(190)),
        Optional.of(Samples.NINE),
        Optional.empty());
  }
}
