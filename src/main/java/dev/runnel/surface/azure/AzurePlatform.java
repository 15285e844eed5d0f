package dev.runnel.surface.azure;

import dev.runnel.surface.PlatformDefinition;
import dev.runnel.surface.Setting;
import java.util.List;

/// The definition of the platform Azure DevOps.
public final class AzurePlatform {
  public static final PlatformDefinition DEFINITION =
      PlatformDefinition.tracker(
          AzureDevOps.ID,
          AzureDevOps.PATH,
          AzureDevOps.NAME,
          "AZURE_DEVOPS_WEBHOOK",
          "AZURE_DEVOPS_WEBHOOK_SECRET, AZURE_DEVOPS_TOKEN and AZURE_DEVOPS_URL",
          List.of(
              Setting.chosenSecret(AzureConfig.SECRET, "The password of the service hooks.")
                  .at("azure.webhook_secret"),
              Setting.issuedSecret(
                      AzureConfig.TOKEN,
                      "The personal access token of the account that posts comments.")
                  .at("azure.token"),
              Setting.address(
                      AzureConfig.URL,
                      "",
                      "The address of the organization, such as `https://dev.azure.com/fabrikam`.")
                  .at("azure.url"),
              Setting.plain(
                      AzureConfig.ACCESS,
                      "the members of the project's teams",
                      "Who may start and steer runs, by sign-in name.")
                  .at("azure.access"),
              Setting.plain(
                      AzureConfig.CLOSED_STATES,
                      String.join(", ", AzureConfig.CLOSED),
                      "The states of a work item that stop its run, and in which none starts.")
                  .at("azure.closed_states")),
          values ->
              AzureConfig.from(values)
                  .map(
                      config ->
                          context -> AzureDevOps.surface(config, context.http(), context.clock())));

  private AzurePlatform() {}
}
