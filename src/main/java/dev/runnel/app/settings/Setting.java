package dev.runnel.app.settings;

import java.util.Arrays;
import java.util.Optional;

/// All settings: an environment variable, and its path in the file. The variable wins.
public enum Setting {
  PORT("port"),
  RUNNEL_HOST("host"),
  RUNNEL_DATA("data"),
  RUNNEL_DATABASE_URL("database.url"),
  RUNNEL_PUBLIC_URL("public_url"),
  RUNNEL_AGENT_API_URL("agent.api_url"),
  RUNNEL_AGENT_API_KEY("agent.api_key"),
  RUNNEL_AGENT_COMMAND("agent.command"),
  RUNNEL_AGENT_SLOTS("agent.slots"),
  RUNNEL_AGENTS_ISOLATION("agents.isolation"),
  RUNNEL_AGENTS_ENVIRONMENT("agents.default_environment"),
  RUNNEL_AGENTS_LIMIT_START("agents.limits.start"),
  RUNNEL_AGENTS_LIMIT_IDLE("agents.limits.idle"),
  RUNNEL_AGENTS_LIMIT_TOTAL("agents.limits.total"),
  RUNNEL_AGENTS_LIMIT_OUTPUT("agents.limits.output"),
  RUNNEL_AGENTS_LIMIT_DISK("agents.limits.disk"),
  RUNNEL_AGENTS_KEEP_WORKSPACES("agents.limits.keep_workspaces"),
  RUNNEL_AGENTS_ALL_WORKSPACES("agents.limits.all_workspaces"),
  RUNNEL_AGENTS_DRAIN("agents.limits.drain"),
  RUNNEL_AGENT_ACCESS("agent.access"),
  RUNNEL_ADMINS("admins"),
  RUNNEL_CONSOLE_TOKEN("console.token"),
  RUNNEL_TRIGGER_LABEL("trigger_label"),
  RUNNEL_MENTION("mention"),
  RUNNEL_CANCEL_ON("cancel_on"),
  RUNNEL_STATE_LABELS("state_labels"),
  RUNNEL_REMINDERS("reminders"),
  SLACK_SIGNING_SECRET("slack.signing_secret"),
  SLACK_APP_TOKEN("slack.app_token"),
  SLACK_BOT_TOKEN("slack.bot_token"),
  SLACK_CLIENT_ID("slack.client_id"),
  SLACK_CLIENT_SECRET("slack.client_secret"),
  SLACK_REACTIONS("slack.reactions"),
  SLACK_STOP_REACTION("slack.stop_reaction"),
  SLACK_LISTEN("slack.listen"),
  SLACK_PROMPTS("slack.prompts"),
  SLACK_API_URL("slack.api_url"),
  SLACK_INSTALLATIONS("policy.installations.slack"),
  GITHUB_WEBHOOK_SECRET("github.webhook_secret"),
  GITHUB_TOKEN("github.token"),
  GITHUB_APP_ID("github.app_id"),
  GITHUB_PRIVATE_KEY("github.private_key"),
  GITHUB_PRIVATE_KEY_FILE("github.private_key_file"),
  GITHUB_ACCESS("github.access"),
  GITHUB_HOOKS("github.hooks"),
  GITHUB_API_URL("github.api_url"),
  GITHUB_INSTALLATIONS("policy.installations.github"),
  GITLAB_WEBHOOK_SECRET("gitlab.webhook_secret"),
  GITLAB_TOKEN("gitlab.token"),
  GITLAB_URL("gitlab.url"),
  GITLAB_ACCESS("gitlab.access"),
  JIRA_WEBHOOK_SECRET("jira.webhook_secret"),
  JIRA_URL("jira.url"),
  JIRA_EMAIL("jira.email"),
  JIRA_TOKEN("jira.token"),
  JIRA_ACCESS("jira.access"),
  JIRA_TRANSITIONS("jira.transitions"),
  LINEAR_WEBHOOK_SECRET("linear.webhook_secret"),
  LINEAR_TOKEN("linear.token"),
  LINEAR_API_URL("linear.api_url"),
  LINEAR_ACCESS("linear.access"),
  GITEA_WEBHOOK_SECRET("gitea.webhook_secret"),
  GITEA_TOKEN("gitea.token"),
  GITEA_URL("gitea.url");

  /// The message about a secret that [#isLong] rejects, after its name.
  static final String TOO_SHORT =
      "is too short: a secret has at least 16 characters, so that nobody guesses it."
          + " `openssl rand -hex 32` makes one";

  private static final int MIN_CHARACTERS = 16;

  private final String path;

  Setting(String path) {
    this.path = path;
  }

  /// The path in the file: `slack.bot_token`.
  public String path() {
    return path;
  }

  /// Whether its value is secret.
  boolean isSecret() {
    return switch (this) {
      case RUNNEL_DATABASE_URL,
          RUNNEL_AGENT_API_KEY,
          RUNNEL_CONSOLE_TOKEN,
          SLACK_SIGNING_SECRET,
          SLACK_APP_TOKEN,
          SLACK_BOT_TOKEN,
          SLACK_CLIENT_SECRET,
          GITHUB_WEBHOOK_SECRET,
          GITHUB_TOKEN,
          GITHUB_PRIVATE_KEY,
          GITLAB_WEBHOOK_SECRET,
          GITLAB_TOKEN,
          JIRA_WEBHOOK_SECRET,
          JIRA_TOKEN,
          LINEAR_WEBHOOK_SECRET,
          LINEAR_TOKEN,
          GITEA_WEBHOOK_SECRET,
          GITEA_TOKEN ->
          true;
      case PORT,
          RUNNEL_HOST,
          RUNNEL_DATA,
          RUNNEL_PUBLIC_URL,
          RUNNEL_AGENT_API_URL,
          RUNNEL_AGENT_COMMAND,
          RUNNEL_AGENT_SLOTS,
          RUNNEL_AGENTS_ISOLATION,
          RUNNEL_AGENTS_ENVIRONMENT,
          RUNNEL_AGENTS_LIMIT_START,
          RUNNEL_AGENTS_LIMIT_IDLE,
          RUNNEL_AGENTS_LIMIT_TOTAL,
          RUNNEL_AGENTS_LIMIT_OUTPUT,
          RUNNEL_AGENTS_LIMIT_DISK,
          RUNNEL_AGENTS_KEEP_WORKSPACES,
          RUNNEL_AGENTS_ALL_WORKSPACES,
          RUNNEL_AGENTS_DRAIN,
          RUNNEL_AGENT_ACCESS,
          RUNNEL_ADMINS,
          RUNNEL_TRIGGER_LABEL,
          RUNNEL_MENTION,
          SLACK_CLIENT_ID,
          RUNNEL_CANCEL_ON,
          RUNNEL_STATE_LABELS,
          RUNNEL_REMINDERS,
          SLACK_REACTIONS,
          SLACK_STOP_REACTION,
          SLACK_LISTEN,
          SLACK_PROMPTS,
          SLACK_API_URL,
          SLACK_INSTALLATIONS,
          GITHUB_APP_ID,
          GITHUB_PRIVATE_KEY_FILE,
          GITHUB_ACCESS,
          GITHUB_HOOKS,
          GITHUB_API_URL,
          GITHUB_INSTALLATIONS,
          GITLAB_URL,
          GITLAB_ACCESS,
          JIRA_URL,
          JIRA_EMAIL,
          JIRA_ACCESS,
          JIRA_TRANSITIONS,
          LINEAR_API_URL,
          LINEAR_ACCESS,
          GITEA_URL ->
          false;
    };
  }

  /// Whether it is a secret for authentication that the operator may choose, and that must not be
  /// short. Tokens and keys that platforms issue are long.
  boolean mustBeLong() {
    return isSecret()
        && (name().endsWith("_SECRET")
            || this == RUNNEL_CONSOLE_TOKEN
            || this == RUNNEL_AGENT_API_KEY);
  }

  /// Whether the secret is long enough not to be guessed.
  static boolean isLong(String secret) {
    return secret.strip().length() >= MIN_CHARACTERS;
  }

  static Optional<Setting> atPath(String path) {
    return Arrays.stream(values()).filter(each -> each.path.equals(path)).findFirst();
  }

  static Optional<Setting> ofVariable(String variable) {
    return Arrays.stream(values()).filter(each -> each.name().equals(variable)).findFirst();
  }
}
