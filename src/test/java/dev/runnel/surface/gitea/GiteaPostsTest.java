package dev.runnel.surface.gitea;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.testkit.PostsContract;
import dev.runnel.testkit.TrackerContract.Tracker;

class GiteaPostsTest implements PostsContract {
  @Override
  public String platform() {
    return "gitea";
  }

  @Override
  public Tracker target() {
    return new GiteaTracker(true);
  }

  @Override
  public Conversation conversation() {
    return new Conversation(new SurfaceId("gitea"), "dana/shop#1");
  }
}
