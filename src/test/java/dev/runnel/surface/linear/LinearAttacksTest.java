package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.testkit.AttackContract;
import dev.runnel.testkit.TrackerContract.Tracker;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class LinearAttacksTest implements AttackContract {
  @Override
  public Tracker target() {
    return new LinearTracker(false);
  }

  @Override
  public RawRequest labelled(String title, String description) {
    return LinearRequests.golden(
        "issue-label-added",
        body ->
            ((ObjectNode) body.path("data")).put("title", title).put("description", description));
  }

  @Override
  public String heard() {
    return FakeLinear.DANA;
  }

  @Override
  public String stranger() {
    return FakeLinear.GUEST;
  }
}
