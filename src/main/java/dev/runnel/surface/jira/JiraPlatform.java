package dev.runnel.surface.jira;

import dev.runnel.surface.PlatformDefinition;
import dev.runnel.surface.Setting;
import java.util.List;

/// The definition of the platform Jira.
public final class JiraPlatform {
  public static final PlatformDefinition DEFINITION =
      PlatformDefinition.tracker(
              Jira.ID,
              Jira.PATH,
              "Jira",
              "JIRA",
              "JIRA_WEBHOOK_SECRET, JIRA_URL, JIRA_TOKEN and, on Cloud, JIRA_EMAIL",
              List.of(
                  Setting.chosenSecret(JiraConfig.SECRET, "The webhook's secret."),
                  Setting.address(JiraConfig.URL, "", "The address of Jira."),
                  Setting.plain(
                      JiraConfig.EMAIL,
                      "",
                      "The e-mail address of the token's account on Cloud; not set on Data"
                          + " Center."),
                  Setting.issuedSecret(
                      JiraConfig.TOKEN, "The token of the account that posts comments."),
                  Setting.plain(
                      JiraConfig.ACCESS,
                      "who may edit the issue",
                      "Account ids (Data Center: user names) and `group:NAME`s that may start and"
                          + " steer runs."),
                  Setting.plain(
                      JiraConfig.TRANSITIONS,
                      "",
                      "The transitions of an issue, by name: `running=Start progress, done=Send to"
                          + " review`."),
                  Setting.plain(
                      JiraConfig.COMMENTS,
                      "internal",
                      "In Jira Service Management, `internal` comments are seen and answered by the"
                          + " project's agents only; `public` ones by customers, too, and Runnel"
                          + " then reads no internal comments.")),
              values ->
                  JiraConfig.from(values)
                      .map(
                          config ->
                              context -> Jira.surface(config, context.http(), context.clock())))
          // A Jira Data Center may be unable to sign requests, so the secret is in the path, which
          // must not be logged.
          .withPath("/webhooks/jira/{secret}");

  private JiraPlatform() {}
}
