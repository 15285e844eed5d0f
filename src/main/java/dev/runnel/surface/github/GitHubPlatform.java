package dev.runnel.surface.github;

import dev.runnel.surface.PlatformDefinition;
import dev.runnel.surface.Setting;
import java.util.List;

/// The definition of the platform GitHub.
public final class GitHubPlatform {
  public static final PlatformDefinition DEFINITION =
      PlatformDefinition.tracker(
          GitHub.ID,
          GitHub.PATH,
          "GitHub",
          "GITHUB_WEBHOOK",
          "GITHUB_WEBHOOK_SECRET and GITHUB_TOKEN, or GITHUB_APP_ID and GITHUB_PRIVATE_KEY_FILE",
          List.of(
              Setting.chosenSecret(GitHubConfig.SECRET, "The webhook's secret."),
              Setting.issuedSecret(
                  GitHubConfig.TOKEN, "The access token of the account that posts comments."),
              Setting.plain(GitHubConfig.APP_ID, "", "A GitHub App instead of the token."),
              Setting.issuedSecret(GitHubConfig.KEY, "The App's private key."),
              Setting.secretFile(GitHubConfig.KEY_FILE, "The file with the App's private key."),
              Setting.plain(
                  GitHubConfig.ACCESS,
                  "write",
                  "The lowest role that may start runs: `read`, `triage`, `write`, `maintain` or"
                      + " `admin`."),
              Setting.plain(
                  GitHubConfig.HOOKS,
                  "",
                  "Webhooks to read missed deliveries from: `acme/shop/123`, or `acme/123` for an"
                      + " organisation's. An App needs none."),
              Setting.address(
                  GitHubConfig.API_URL,
                  "https://api.github.com",
                  "The address of the API; on Enterprise Server it ends in `/api/v3`."),
              Setting.plain(
                      GitHubConfig.INSTALLATIONS,
                      "all that the token reaches",
                      "The accounts (`acme`) that Runnel serves. An App serves nobody else.")
                  .at("policy.installations.github")),
          values ->
              GitHubConfig.from(values)
                  .map(
                      config ->
                          context -> GitHub.surface(config, context.http(), context.clock())));

  private GitHubPlatform() {}
}
