package dev.runnel.surface.slack.render;

import dev.runnel.surface.slack.model.SlackConfig;
import java.util.Optional;

/// Runnel's texts in Slack that do not concern one run.
public final class SlackTexts {
  private SlackTexts() {}

  /// @param command as people type it: `/agent`
  public static String help(String command) {
    return """
    *What you can do*
    `%1$s fix the flaky test` starts a run, in a thread of its own.
    `@mention` me in a channel or thread, or write me a direct message: that starts a run too.
    In a run's thread, every reply goes to the agent. Start with `aside`, or mention only other people, to talk without the agent.
    *Ask the agent about this*, in a message's menu, opens a form. My *Home* tab shows your runs.
    `stop`, `status`, `retry` or `help`, alone in a message, do what they say; `new: …` starts a second run there.
    `plan: …` starts a run that shows a plan and waits for your approval; `interrupt: …` reaches a working agent at once; `mute` limits it to messages that mention me.
    *Manage runs* from anywhere
    `%1$s list [mine|channel|all] [STATE]` `status [RUN]` `cancel [RUN|all mine]` `retry [RUN]` `say RUN TEXT` `link RUN`
    `%1$s schedule every monday at 9:00 update the dependencies` starts runs at these times; `again in 2 weeks`, in a run's thread, repeats its request.
    *Settings and questions*
    `%1$s config` `explain: PROMPT` `why LINK` `usage` `whoami` `doctor` `help VERB`
    *Options*, before or after the prompt
    `--profile` `--env` `--model` `--skill` `--name` `--title` `--factory`, each with a value: `--title "Fix the test"` or `model=fast`\
    """
        .formatted(command.isBlank() ? SlackConfig.COMMAND : Mrkdwn.escape(command));
  }

  /// The message for an error code, with what to do about it.
  ///
  /// @param bot the bot's user name, once known
  public static String refusal(String error, Optional<String> bot) {
    return switch (error) {
      case "not_in_channel", "channel_not_found" ->
          "I cannot post in this channel. Invite me with /invite @%s and try again."
              .formatted(bot.orElse("your bot's name"));
      case "is_archived" -> "This channel is archived, so I cannot post here.";
      case "thread_not_found", "message_not_found" ->
          "The thread is gone, so there is no place to answer. Start a new one.";
      case "restricted_action",
          "restricted_action_read_only_channel",
          "restricted_action_thread_only_channel",
          "restricted_action_non_threadable_channel",
          "ekm_access_denied" ->
          "This channel's settings do not let me post. Ask a workspace admin.";
      case "invalid_auth",
          "not_authed",
          "account_inactive",
          "token_revoked",
          "token_expired",
          "not_allowed_token_type" ->
          "Slack does not accept the bot token (%s). Check SLACK_BOT_TOKEN.".formatted(error);
      case "missing_scope", "no_permission" ->
          "The Slack app lacks a permission. Install it again with the current manifest.";
      default -> "Slack refused the message (%s).".formatted(error);
    };
  }
}
