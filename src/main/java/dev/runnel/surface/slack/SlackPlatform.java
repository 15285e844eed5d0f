package dev.runnel.surface.slack;

import dev.runnel.surface.PlatformDefinition;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackSettings;
import java.util.List;

/// The definition of the platform Slack.
public final class SlackPlatform {
  public static final PlatformDefinition DEFINITION =
      new PlatformDefinition(
          SlackPlace.SURFACE,
          "Slack",
          List.of(SlackConfig.EVENTS_PATH),
          SlackSettings.ALL,
          "SLACK_BOT_TOKEN and SLACK_APP_TOKEN, or SLACK_SIGNING_SECRET",
          "SLACK",
          false,
          "type /agent fix the flaky test in Slack",
          values ->
              SlackConfig.from(values).map(config -> context -> new SlackSurface(config, context)));

  private SlackPlatform() {}
}
