package dev.runnel.app;

import java.util.Arrays;
import java.util.Optional;

/// The settings there are: a variable, and its place in the file. The variable wins.
enum Setting {
  PORT("port"),
  RUNNEL_HOST("host"),
  RUNNEL_DATA("data"),
  RUNNEL_DATABASE_URL("database.url"),
  RUNNEL_PUBLIC_URL("public_url"),
  RUNNEL_AGENT_API_URL("agent.api_url"),
  RUNNEL_AGENT_API_KEY("agent.api_key"),
  RUNNEL_AGENT_COMMAND("agent.command"),
  RUNNEL_AGENT_SLOTS("agent.slots"),
  RUNNEL_AGENT_ACCESS("agent.access"),
  RUNNEL_CONSOLE_TOKEN("console.token"),
  RUNNEL_TRIGGER_LABEL("trigger_label"),
  RUNNEL_MENTION("mention"),
  SLACK_SIGNING_SECRET("slack.signing_secret"),
  SLACK_BOT_TOKEN("slack.bot_token"),
  SLACK_API_URL("slack.api_url"),
  GITHUB_WEBHOOK_SECRET("github.webhook_secret"),
  GITHUB_TOKEN("github.token"),
  GITHUB_API_URL("github.api_url");

  private final String path;

  Setting(String path) {
    this.path = path;
  }

  /// Where it stands in the file: `slack.bot_token`.
  String path() {
    return path;
  }

  /// Whether nobody but Runnel may know its value.
  boolean isSecret() {
    return switch (this) {
      case RUNNEL_DATABASE_URL,
          RUNNEL_AGENT_API_KEY,
          RUNNEL_CONSOLE_TOKEN,
          SLACK_SIGNING_SECRET,
          SLACK_BOT_TOKEN,
          GITHUB_WEBHOOK_SECRET,
          GITHUB_TOKEN ->
          true;
      case PORT,
          RUNNEL_HOST,
          RUNNEL_DATA,
          RUNNEL_PUBLIC_URL,
          RUNNEL_AGENT_API_URL,
          RUNNEL_AGENT_COMMAND,
          RUNNEL_AGENT_SLOTS,
          RUNNEL_AGENT_ACCESS,
          RUNNEL_TRIGGER_LABEL,
          RUNNEL_MENTION,
          SLACK_API_URL,
          GITHUB_API_URL ->
          false;
    };
  }

  static Optional<Setting> atPath(String path) {
    return Arrays.stream(values()).filter(each -> each.path.equals(path)).findFirst();
  }

  static Optional<Setting> ofVariable(String variable) {
    return Arrays.stream(values()).filter(each -> each.name().equals(variable)).findFirst();
  }
}
