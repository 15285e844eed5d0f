package dev.runnel.surface.jira;

import dev.runnel.testkit.TrackerContract;

class JiraDataCenterTest implements TrackerContract {
  private final JiraTracker tracker = new JiraTracker(false);

  @Override
  public Tracker tracker() {
    return tracker;
  }
}
