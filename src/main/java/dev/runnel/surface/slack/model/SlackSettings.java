package dev.runnel.surface.slack.model;

import static dev.runnel.surface.Setting.address;
import static dev.runnel.surface.Setting.chosenSecret;
import static dev.runnel.surface.Setting.issuedSecret;
import static dev.runnel.surface.Setting.plain;

import dev.runnel.surface.Setting;
import java.util.List;

/// The settings of Slack, with their documentation.
public final class SlackSettings {
  /// Names the channels whose messages start runs by themselves.
  public static final Setting WATCH =
      plain(
          SlackBehavior.WATCH,
          "off",
          "The channels in which a message that contains one of the words starts a run about it, in"
              + " its thread: `C0123456789=firing|error rate`, or `*` for all messages. Also"
              + " messages of other apps, such as alerts; of these at most 5 an hour, unless a"
              + " budget per `watch` says otherwise.");

  public static final List<Setting> ALL =
      List.of(
          chosenSecret(
              SlackConfig.SIGNING_SECRET,
              "The app's signing secret: Slack calls Runnel over HTTP."),
          issuedSecret(
              SlackConfig.APP_TOKEN,
              "An app-level token (`xapp-…`): Runnel opens a socket (Socket Mode)."),
          issuedSecret(SlackConfig.BOT_TOKEN, "The bot token (`xoxb-…`) of the workspace."),
          plain(
              SlackConfig.CLIENT_ID,
              "",
              "Instead of the bot token, for many workspaces, which install the app at"
                  + " `/slack/install`."),
          chosenSecret(
              SlackConfig.CLIENT_SECRET,
              "The app's client secret; of several, the first encrypts stored tokens."),
          plain(
              SlackBehavior.REACTIONS,
              "on",
              "Reactions that show the status of a message: `running=construction`; or `off`."),
          plain(
              SlackBehavior.STOP_REACTION,
              "octagonal_sign",
              "The reaction that stops a run; or `off`."),
          plain(
              SlackBehavior.START_REACTION,
              "off",
              "The reaction that starts a run about the message on which somebody sets it, such as"
                  + " `robot_face`."),
          plain(
              SlackBehavior.LISTEN,
              "everyone",
              "Whose messages in a run's thread the agent gets: `everyone`, `owner` or `mention`;"
                  + " by channel: `everyone,C0123456789=mention`."),
          plain(
              SlackBehavior.STYLE,
              "thread",
              "How much of a run people see: `thread`; `channel`, where questions and ends are"
                  + " shown in the channel, too; or `quiet`, where a thread that people began gets"
                  + " questions and ends only, and reactions show the state. By channel:"
                  + " `thread,C0123456789=quiet`."),
          plain(
              SlackBehavior.CONTEXT,
              "off",
              "How many of a channel's last messages, of the last day, the agent gets with a"
                  + " request that begins a thread; only in channels that are listed here:"
                  + " `C0123456789=20`."),
          WATCH,
          plain(
              SlackPrompts.SETTING,
              "four",
              "Suggested prompts in a direct message: `Fix a test = Find a failing test and fix"
                  + " it.`, one per line or separated by `|`; or `off`."),
          address(SlackConfig.API_URL, "https://slack.com/api/", "The address of Slack's Web API."),
          plain(
                  SlackConfig.INSTALLATIONS,
                  "the workspace of the bot token",
                  "The workspaces (`T012AB,T034CD`) that Runnel serves. An app that others may"
                      + " install serves nobody else.")
              .at("policy.installations.slack"));

  private SlackSettings() {}
}
