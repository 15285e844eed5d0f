package dev.runnel.surface.gitlab;

import dev.runnel.surface.PlatformDefinition;
import dev.runnel.surface.Setting;
import java.util.List;

/// The definition of the platform GitLab.
public final class GitLabPlatform {
  public static final PlatformDefinition DEFINITION =
      PlatformDefinition.tracker(
          GitLab.ID,
          GitLab.PATH,
          "GitLab",
          "GITLAB_WEBHOOK",
          "GITLAB_WEBHOOK_SECRET and GITLAB_TOKEN",
          List.of(
              Setting.chosenSecret(
                  GitLabConfig.SECRET, "The webhook's secret token or signing token (`whsec_…`)."),
              Setting.issuedSecret(
                  GitLabConfig.TOKEN, "The access token of the account that posts comments."),
              Setting.address(GitLabConfig.URL, "https://gitlab.com", "The address of GitLab."),
              Setting.plain(
                  GitLabConfig.ACCESS,
                  "developer",
                  "The lowest role that may start runs: `reporter`, `developer`, `maintainer` or"
                      + " `owner`.")),
          values ->
              GitLabConfig.from(values)
                  .map(
                      config ->
                          context -> GitLab.surface(config, context.http(), context.clock())));

  private GitLabPlatform() {}
}
