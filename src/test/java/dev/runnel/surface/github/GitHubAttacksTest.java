package dev.runnel.surface.github;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.testkit.AttackContract;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.TrackerContract.Tracker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class GitHubAttacksTest implements AttackContract {
  @Override
  public Tracker target() {
    return new GitHubTracker();
  }

  @Override
  public RawRequest labelled(String title, String description) {
    return Deliveries.golden(
        "recorded-labeled",
        body ->
            ((ObjectNode) body.path("issue"))
                .put("title", title)
                .put("body", description)
                .put("updated_at", Samples.NINE.toString()));
  }

  @Override
  public String heard() {
    return "dana";
  }

  @Override
  public String stranger() {
    return FakeGitHub.STRANGER;
  }

  @Test
  void agentAnswerCannotCommandABot() {
    assertThat(posted("Done.\n\n/approve")).contains("Done.\n\n\\/approve");
  }
}
