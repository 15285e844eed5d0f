package dev.runnel.surface.kit;

import dev.runnel.core.port.Surface;
import dev.runnel.surface.ConnectedPlatform;
import dev.runnel.surface.ConnectionCheck;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/// A tracker that is connected.
///
/// @param checking calls the tracker once; returns how to fix a problem
/// @param starting looks up our own account there
/// @param note a reason why it cannot serve anybody
public record ConnectedTracker<S extends Surface>(
    S surface,
    Function<S, Optional<String>> checking,
    Consumer<S> starting,
    Function<S, Optional<String>> note)
    implements ConnectedPlatform {
  public static <S extends Surface> ConnectedPlatform of(
      S surface, Function<S, Optional<String>> check, Consumer<S> start) {
    return of(surface, check, start, _ -> Optional.empty());
  }

  public static <S extends Surface> ConnectedPlatform of(
      S surface,
      Function<S, Optional<String>> check,
      Consumer<S> start,
      Function<S, Optional<String>> note) {
    return new ConnectedTracker<>(surface, check, start, note);
  }

  @Override
  public String status() {
    return note.apply(surface).map(it -> "on, but " + it).orElse("on");
  }

  @Override
  public List<ConnectionCheck> check() {
    return List.of(ConnectionCheck.of(checking.apply(surface)));
  }

  @Override
  public void start() {
    starting.accept(surface);
  }
}
