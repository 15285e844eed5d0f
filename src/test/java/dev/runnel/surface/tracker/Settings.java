package dev.runnel.surface.tracker;

import java.util.Map;

/// Settings of trackers for tests.
public final class Settings {
  private Settings() {}

  public static TrackerSettings of(String label, String mention) {
    return TrackerSettings.from(
        Map.of(TrackerSettings.LABEL, label, TrackerSettings.MENTION, mention));
  }

  public static TrackerSettings withStateLabels() {
    return TrackerSettings.from(Map.of(TrackerSettings.STATE_LABELS, "on"));
  }
}
