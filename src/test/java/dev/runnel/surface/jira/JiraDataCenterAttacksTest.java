package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.testkit.AttackContract;
import dev.runnel.testkit.TrackerContract.Tracker;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class JiraDataCenterAttacksTest implements AttackContract {
  @Override
  public Tracker target() {
    return new JiraTracker(false);
  }

  @Override
  public RawRequest labelled(String title, String description) {
    try (var tracker = new JiraTracker(false)) {
      return tracker.golden(
          "issue-labeled",
          body ->
              ((ObjectNode) body.path("issue").path("fields"))
                  .put("summary", title)
                  .put("description", description));
    }
  }

  @Override
  public String heard() {
    return "dana";
  }

  @Override
  public String stranger() {
    return "somebody";
  }
}
