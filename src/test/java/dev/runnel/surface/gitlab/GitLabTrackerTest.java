package dev.runnel.surface.gitlab;

import dev.runnel.testkit.TrackerContract;

class GitLabTrackerTest implements TrackerContract {
  private final GitLabTracker tracker = new GitLabTracker();

  @Override
  public Tracker tracker() {
    return tracker;
  }
}
