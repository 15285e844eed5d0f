package dev.runnel.surface.linear;

import dev.runnel.testkit.TrackerContract;

class LinearTrackerTest implements TrackerContract {
  private final LinearTracker tracker = new LinearTracker(false);

  @Override
  public Tracker tracker() {
    return tracker;
  }
}
