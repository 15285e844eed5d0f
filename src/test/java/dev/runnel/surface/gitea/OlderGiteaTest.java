package dev.runnel.surface.gitea;

import dev.runnel.testkit.TrackerContract;

class OlderGiteaTest implements TrackerContract {
  private final GiteaTracker tracker = new GiteaTracker(false);

  @Override
  public Tracker tracker() {
    return tracker;
  }
}
