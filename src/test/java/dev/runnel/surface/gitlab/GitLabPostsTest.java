package dev.runnel.surface.gitlab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.PostsContract;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.TrackerContract.Tracker;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GitLabPostsTest implements PostsContract {
  @Override
  public String platform() {
    return "gitlab";
  }

  @Override
  public Tracker target() {
    return new GitLabTracker();
  }

  @Override
  public Conversation conversation() {
    return new Conversation(new SurfaceId("gitlab"), "acme/web/shop#1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"jane.doe", "_jane", "jane-doe", "j"})
  void aQuestionMentionsEachPersonWhoseNameGitLabPermits(String name) {
    assertThat(questionFor(name)).contains("✋ @" + name + ", the agent needs an answer:");
  }

  @ParameterizedTest
  @ValueSource(strings = {"jane.", "jane doe", "acme/web", ".jane"})
  void questionDoesNotMentionAnInvalidGitLabName(String name) {
    assertThat(questionFor(name)).contains("✋ Jane, the agent needs an answer:");
  }

  private static String questionFor(String name) {
    try (var tracker = new GitLabTracker()) {
      tracker
          .surface()
          .post(
              new Notice(
                  new NoticeId("n1"),
                  new Conversation(new SurfaceId("gitlab"), "acme/web/shop#1"),
                  new Update.Blocked(
                      Samples.run("1", RunState.BLOCKED), new Actor(name, "Jane"), "Which one?"),
                  Origin.NONE,
                  Samples.NINE,
                  0),
              null);
      return tracker.platform().comments().getFirst().text();
    }
  }
}
