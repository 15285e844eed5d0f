package dev.runnel.console;

import static java.util.stream.Collectors.toMap;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32;

/// Style sheet, script and icon, loaded once. Their URLs contain a hash of their content, so that
/// browsers may cache them permanently.
final class Assets {
  @SuppressWarnings("ArrayRecordComponent") // sent, never compared
  record Asset(String contentType, byte[] bytes) {}

  private static final Map<String, String> TYPES =
      Map.of(
          "console.css", "text/css; charset=utf-8",
          "console.js", "text/javascript; charset=utf-8",
          "icon.svg", "image/svg+xml");

  private final Map<String, Asset> byName;
  private final String version;

  Assets() {
    byName =
        TYPES.entrySet().stream()
            .collect(
                toMap(Map.Entry::getKey, type -> new Asset(type.getValue(), read(type.getKey()))));
    version = version(byName);
  }

  private static byte[] read(String name) {
    try (var resource = Assets.class.getResourceAsStream("/console/" + name)) {
      if (resource == null) {
        throw new IllegalStateException("The jar lacks console/" + name);
      }
      return resource.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read console/" + name, e);
    }
  }

  private static String version(Map<String, Asset> assets) {
    var sum = new CRC32();
    new TreeMap<>(assets).values().forEach(asset -> sum.update(asset.bytes()));
    return HexFormat.of().toHexDigits(sum.getValue(), 8);
  }

  Optional<Asset> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /// The hash of all assets, for their URLs.
  String version() {
    return version;
  }
}
