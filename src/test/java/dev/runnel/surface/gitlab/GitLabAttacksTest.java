package dev.runnel.surface.gitlab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.testkit.AttackContract;
import dev.runnel.testkit.TrackerContract.Tracker;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class GitLabAttacksTest implements AttackContract {
  @Override
  public Tracker target() {
    return new GitLabTracker();
  }

  @Override
  public RawRequest labelled(String title, String description) {
    return GitLabRequests.golden(
        "issue-labeled",
        body ->
            ((ObjectNode) body.path("object_attributes"))
                .put("title", title)
                .put("description", description));
  }

  @Override
  public String heard() {
    return "dana";
  }

  @Override
  public String stranger() {
    return "lee";
  }
}
