package dev.runnel.surface.azure;

import dev.runnel.testkit.TrackerContract;

class AzureTrackerTest implements TrackerContract {
  private final AzureTracker tracker = new AzureTracker();

  @Override
  public Tracker tracker() {
    return tracker;
  }
}
