package dev.runnel.surface.jira;

import dev.runnel.testkit.TrackerContract;

class JiraTrackerTest implements TrackerContract {
  private final JiraTracker tracker = new JiraTracker(true);

  @Override
  public Tracker tracker() {
    return tracker;
  }
}
