package dev.runnel.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.Collectors;

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
    return template()
        .lines()
        .dropWhile(line -> line.startsWith("#")) // It says how to fill in the address.
        .map(line -> line.replace(PLACEHOLDER, url) + "\n")
        .collect(Collectors.joining());
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
