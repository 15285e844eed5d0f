package dev.runnel.surface.tracker;

import dev.runnel.surface.ConnectedPlatform;
import dev.runnel.surface.ConnectionCheck;
import java.util.List;

/// A tracker that is connected.
public record ConnectedTracker(TrackerSurface<?> surface) implements ConnectedPlatform {
  @Override
  public String status() {
    return surface.note().map(it -> "on, but " + it).orElse("on");
  }

  @Override
  public List<ConnectionCheck> check() {
    return List.of(ConnectionCheck.of(surface.check()));
  }

  @Override
  public void start() {
    surface.start();
  }
}
