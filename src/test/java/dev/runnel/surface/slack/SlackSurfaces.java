package dev.runnel.surface.slack;

import dev.runnel.surface.PlatformContext;
import dev.runnel.surface.slack.model.SlackBehavior;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackPrompts;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import okhttp3.OkHttpClient;

/// Opens Slack's surface as the program does, without the connections that it shares.
public final class SlackSurfaces {
  private SlackSurfaces() {}

  /// A single workspace over HTTP.
  public static SlackConfig oneWorkspace(List<String> signingSecrets, String botToken, URI apiUrl) {
    return new SlackConfig(
        signingSecrets,
        Optional.empty(),
        Optional.of(botToken),
        Optional.empty(),
        apiUrl,
        SlackBehavior.DEFAULT,
        SlackPrompts.DEFAULT,
        Set.of());
  }

  /// Serves one workspace, with the bot token from the settings.
  public static SlackSurface of(SlackConfig config, InstantSource clock) {
    return new SlackSurface(
        config,
        new PlatformContext(
            new OkHttpClient(),
            clock,
            URI.create("https://runnel.example.com"),
            () -> {
              throw new IllegalStateException("One workspace needs no database");
            }));
  }

  /// Serves every workspace that installs the app.
  public static SlackSurface of(
      SlackConfig config, InstantSource clock, URI publicUrl, DataSource database) {
    return new SlackSurface(
        config, new PlatformContext(new OkHttpClient(), clock, publicUrl, () -> database));
  }
}
