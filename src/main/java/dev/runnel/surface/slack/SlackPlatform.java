package dev.runnel.surface.slack;

import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.surface.ConnectedPlatform;
import dev.runnel.surface.ConnectionCheck;
import dev.runnel.surface.PlatformContext;
import dev.runnel.surface.PlatformDefinition;
import dev.runnel.surface.PlatformPage;
import dev.runnel.surface.slack.install.SlackInstaller;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackSettings;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/// Slack, as the rest of Runnel knows it.
public record SlackPlatform(SlackSurface surface) implements ConnectedPlatform {
  public static final PlatformDefinition DEFINITION =
      new PlatformDefinition(
          SlackPlace.SURFACE,
          "Slack",
          List.of(SlackConfig.EVENTS_PATH),
          SlackSettings.ALL,
          "SLACK_BOT_TOKEN and SLACK_APP_TOKEN, or SLACK_SIGNING_SECRET",
          "SLACK",
          "type /agent fix the flaky test in Slack",
          values -> SlackConfig.from(values).map(config -> context -> open(config, context)));

  private static final PlatformPage.Html NOT_INSTALLABLE =
      new PlatformPage.Html(404, Map.of(), "Slack cannot be installed from here.\n");

  private static ConnectedPlatform open(SlackConfig config, PlatformContext context) {
    return new SlackPlatform(
        config.client().isPresent()
            ? new SlackSurface(
                config,
                context.clock(),
                context.publicUrl(),
                context.database().get(),
                context.http().interceptors())
            : new SlackSurface(config, context.clock(), context.http().interceptors()));
  }

  @Override
  public Optional<Conversation> conversationIn(String place) {
    var parts = place.split("/", -1);
    return parts.length < 2
        ? Optional.empty()
        : Optional.of(new SlackPlace(parts[0], parts[1], "0").conversation());
  }

  @Override
  public String status() {
    return "on, " + surface.transport();
  }

  @Override
  public List<ConnectionCheck> check() {
    return surface.check();
  }

  @Override
  public void start() {
    surface.start();
  }

  /// Where workspaces may install the app.
  @Override
  public Map<String, PlatformPage> pages() {
    return Map.of(
        SlackInstaller.INSTALL,
        (query, cookie) -> page(surface.installer().map(SlackInstaller::install)),
        SlackInstaller.REDIRECT,
        (query, cookie) ->
            page(
                surface
                    .installer()
                    .map(it -> it.redirected(query, cookie.apply(SlackInstaller.COOKIE)))));
  }

  private static PlatformPage.Html page(Optional<PlatformPage.Html> page) {
    return page.orElse(NOT_INSTALLABLE);
  }

  @Override
  public void connect(Function<WebhookResult, Reply> door, RandomGenerator chance) {
    surface.connect(door, chance);
  }

  @Override
  public void disconnect() {
    surface.disconnect();
  }

  @Override
  public Optional<String> problem() {
    return surface.problem();
  }

  @Override
  public void close() {
    surface.close();
  }
}
