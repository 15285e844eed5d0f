package dev.runnel.surface.github;

import dev.runnel.testkit.TrackerContract;

class GitHubTrackerTest implements TrackerContract {
  private final Tracker tracker = new GitHubTracker();

  @Override
  public Tracker tracker() {
    return tracker;
  }
}
