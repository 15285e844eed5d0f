package dev.runnel.surface.linear;

import dev.runnel.surface.PlatformDefinition;
import dev.runnel.surface.Setting;
import java.util.List;

/// The definition of the platform Linear.
public final class LinearPlatform {
  public static final PlatformDefinition DEFINITION =
      PlatformDefinition.tracker(
          Linear.ID,
          Linear.PATH,
          "Linear",
          "LINEAR",
          "LINEAR_WEBHOOK_SECRET and LINEAR_TOKEN",
          List.of(
              Setting.chosenSecret(LinearConfig.SECRET, "The webhook's signing secret."),
              Setting.issuedSecret(
                  LinearConfig.TOKEN, "The API key or token of the account that posts comments."),
              Setting.address(
                  LinearConfig.URL, "https://api.linear.app/graphql", "The address of the API."),
              Setting.plain(
                  LinearConfig.ACCESS,
                  "member",
                  "Who may start runs: `admin`, `member` or `guest`."),
              Setting.plain(
                  LinearConfig.STATES,
                  "",
                  "The workflow states into which a run moves its issue, by name: `running=In"
                      + " Progress, done=In Review`.")),
          values ->
              LinearConfig.from(values)
                  .map(
                      config ->
                          context -> Linear.surface(config, context.http(), context.clock())));

  private LinearPlatform() {}
}
