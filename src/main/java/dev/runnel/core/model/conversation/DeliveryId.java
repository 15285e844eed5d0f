package dev.runnel.core.model.conversation;

/// The transport's own id of a delivery, made unique over all surfaces: `github:72d3162e-…`.
///
/// The run that it starts carries it as `runnel.delivery` metadata, whose values have at most 256
/// bytes.
public record DeliveryId(String value) {
  /// The longest id the run service's metadata can carry, in bytes and, as ids are ASCII,
  /// characters.
  public static final int MAX_LENGTH = 256;

  public DeliveryId {
    NameCheck.require("delivery id", value);
    if (value.length() > MAX_LENGTH) {
      throw new IllegalArgumentException("A delivery id has at most " + MAX_LENGTH + " characters");
    }
  }

  public static DeliveryId of(SurfaceId surface, String transportId) {
    return new DeliveryId(surface + ":" + transportId);
  }

  /// The surface that received it.
  public SurfaceId surface() {
    int end = value.indexOf(':');
    return new SurfaceId(end > 0 ? value.substring(0, end) : value);
  }

  @Override
  public String toString() {
    return value;
  }
}
