package dev.runnel.surface.gitea;

import dev.runnel.surface.PlatformDefinition;
import dev.runnel.surface.Setting;
import java.util.List;

/// The definition of the platform Gitea and Forgejo.
public final class GiteaPlatform {
  public static final PlatformDefinition DEFINITION =
      PlatformDefinition.tracker(
          Gitea.ID,
          Gitea.PATH,
          "Gitea",
          "CUSTOM_WEBHOOK",
          "GITEA_WEBHOOK_SECRET, GITEA_TOKEN and GITEA_URL",
          List.of(
              Setting.chosenSecret(GiteaConfig.SECRET, "The webhook's secret."),
              Setting.issuedSecret(
                  GiteaConfig.TOKEN, "The access token of the account that posts comments."),
              Setting.address(GiteaConfig.URL, "", "The address of Gitea or Forgejo.")),
          values ->
              GiteaConfig.from(values)
                  .map(
                      config -> context -> Gitea.surface(config, context.http(), context.clock())));

  private GiteaPlatform() {}
}
