package dev.runnel.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/// The Slack app manifest, with this installation's address filled in.
final class Manifest {
  /// The address that stands in `manifest.yml`.
  static final String PLACEHOLDER = "https://runnel.example.com";

  private Manifest() {}

  static String of(Config config) {
    var url =
        config
            .publicUrl()
            .map(Object::toString)
            .orElseThrow(
                () ->
                    new SettingsException(
                        "Slack must know how to reach this Runnel. Set RUNNEL_PUBLIC_URL to its"
                            + " address, for example https://runnel.example.com."));
    return template().replace(PLACEHOLDER, url);
  }

  private static String template() {
    try (var file =
        Objects.requireNonNull(
            Manifest.class.getResourceAsStream("/manifest.yml"), "manifest.yml is packaged")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
