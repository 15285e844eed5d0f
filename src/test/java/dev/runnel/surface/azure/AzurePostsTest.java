package dev.runnel.surface.azure;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.testkit.PostsContract;
import dev.runnel.testkit.TrackerContract.Tracker;

class AzurePostsTest implements PostsContract {
  @Override
  public String platform() {
    return "azure";
  }

  @Override
  public Tracker target() {
    return new AzureTracker();
  }

  @Override
  public Conversation conversation() {
    return new Conversation(new SurfaceId("azure"), "Fabrikam Fiber#13");
  }
}
