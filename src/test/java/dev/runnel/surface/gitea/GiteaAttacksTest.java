package dev.runnel.surface.gitea;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.testkit.AttackContract;
import dev.runnel.testkit.TrackerContract.Tracker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class GiteaAttacksTest implements AttackContract {
  @Override
  public Tracker target() {
    return new GiteaTracker(true);
  }

  @Override
  public RawRequest labelled(String title, String description) {
    return GiteaRequests.golden(
        "issue-label-with-changes",
        body -> ((ObjectNode) body.path("issue")).put("title", title).put("body", description));
  }

  @Override
  public String heard() {
    return "lee";
  }

  @Override
  public String stranger() {
    return "stranger";
  }

  @Test
  void agentAnswerCannotCommandABot() {
    assertThat(posted("Done.\n\n/approve")).contains("Done.\n\n\\/approve");
  }
}
