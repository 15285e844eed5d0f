package dev.runnel.surface.slack.install;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;

/// The OAuth scopes that the app requests, as in its manifest.
public final class SlackScopes {
  private SlackScopes() {}

  public static List<String> needed() {
    try (var manifest =
        Objects.requireNonNull(
            SlackScopes.class.getResourceAsStream("/manifest.yml"), "manifest.yml is packaged")) {
      return new YAMLMapper()
          .readTree(manifest)
          .at("/oauth_config/scopes/bot")
          .valueStream()
          .map(JsonNode::asText)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
