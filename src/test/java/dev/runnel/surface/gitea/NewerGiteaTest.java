package dev.runnel.surface.gitea;

import dev.runnel.testkit.TrackerContract;

class NewerGiteaTest implements TrackerContract {
  private final GiteaTracker tracker = new GiteaTracker(true);

  @Override
  public Tracker tracker() {
    return tracker;
  }
}
