package dev.runnel.core.scope;

import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.Surface;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The enabled surfaces, by id.
public record Surfaces(Map<SurfaceId, Surface> byId) {
  /// Why work for a surface that is turned off is parked.
  public static final String NOT_CONNECTED =
      "This platform is not connected any more. Set its settings again, restart, then press Retry;"
          + " or discard this.";

  public Surfaces {
    byId = Map.copyOf(byId);
  }

  public static Surfaces of(Collection<? extends Surface> surfaces) {
    return new Surfaces(
        surfaces.stream().collect(Collectors.toMap(Surface::id, Function.identity())));
  }

  /// Empty if the surface was turned off while rows of it were queued.
  public Optional<Surface> find(SurfaceId id) {
    return Optional.ofNullable(byId.get(id));
  }
}
