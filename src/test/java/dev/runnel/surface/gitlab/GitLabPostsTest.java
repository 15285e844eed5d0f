package dev.runnel.surface.gitlab;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.testkit.PostsContract;
import dev.runnel.testkit.TrackerContract.Tracker;

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
}
