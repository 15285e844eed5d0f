package dev.runnel.app;

import dev.runnel.core.port.Surface;
import dev.runnel.surface.gitea.GiteaConfig;
import dev.runnel.surface.gitea.GiteaSurface;
import dev.runnel.surface.github.GitHubConfig;
import dev.runnel.surface.github.GitHubSurface;
import dev.runnel.surface.gitlab.GitLabConfig;
import dev.runnel.surface.gitlab.GitLabSurface;
import dev.runnel.surface.jira.JiraConfig;
import dev.runnel.surface.jira.JiraSurface;
import dev.runnel.surface.slack.SlackConfig;
import dev.runnel.surface.slack.SlackSurface;
import dev.runnel.web.FrontDoor;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import okhttp3.OkHttpClient;

/// The platforms whose settings are there, and what to say about those that are off.
record Platforms(
    Optional<SlackSurface> slack,
    Optional<GitHubSurface> github,
    Optional<GitLabSurface> gitlab,
    Optional<JiraSurface> jira,
    Optional<GiteaSurface> gitea,
    OkHttpClient http)
    implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  /// @throws SettingsException when half of a platform's settings are there
  static void require(Settings settings) {
    var _ = slackConfig(settings);
    var _ = gitHubConfig(settings);
  }

  private static Optional<SlackConfig> slackConfig(Settings settings) {
    return read(SlackConfig::from, settings.startingWith("SLACK_"));
  }

  private static Optional<GitHubConfig> gitHubConfig(Settings settings) {
    return read(GitHubConfig::from, settings.startingWith("GITHUB_", "RUNNEL_"));
  }

  /// @param publicUrl how the outside reaches us
  /// @param database asked only where Slack may be installed in many workspaces
  static Platforms of(
      Settings settings, InstantSource clock, URI publicUrl, Supplier<DataSource> database) {
    var http = new OkHttpClient.Builder().callTimeout(PATIENCE).build();
    return new Platforms(
        slackConfig(settings)
            .map(
                config ->
                    config.client().isPresent()
                        ? new SlackSurface(config, clock, publicUrl, database.get())
                        : new SlackSurface(config, clock)),
        gitHubConfig(settings).map(config -> new GitHubSurface(config, http, clock)),
        read(GitLabConfig::from, settings.startingWith("GITLAB_", "RUNNEL_"))
            .map(config -> new GitLabSurface(config, http, clock)),
        read(JiraConfig::from, settings.startingWith("JIRA_", "RUNNEL_"))
            .map(config -> new JiraSurface(config, http, clock)),
        read(GiteaConfig::from, settings.startingWith("GITEA_", "RUNNEL_"))
            .map(config -> new GiteaSurface(config, http, clock)),
        http);
  }

  private static <T> Optional<T> read(
      Function<Map<String, String>, Optional<T>> from, Map<String, String> settings) {
    try {
      return from.apply(settings);
    } catch (IllegalArgumentException e) {
      throw new SettingsException(String.valueOf(e.getMessage()));
    }
  }

  List<Surface> surfaces() {
    return Stream.of(slack, github, gitlab, jira, gitea)
        .<Surface>flatMap(Optional::stream)
        .toList();
  }

  /// As people write them.
  List<String> names() {
    return Stream.of(
            slack.map(_ -> "Slack"),
            github.map(_ -> "GitHub"),
            gitlab.map(_ -> "GitLab"),
            jira.map(_ -> "Jira"),
            gitea.map(_ -> "Gitea"))
        .flatMap(Optional::stream)
        .toList();
  }

  /// One line each, on or off.
  List<String> lines() {
    return List.of(
        Wiring.line(
            "Slack",
            slack
                .map(it -> "on, " + it.transport())
                .orElse("off. Set SLACK_BOT_TOKEN and SLACK_APP_TOKEN, or SLACK_SIGNING_SECRET")),
        Wiring.line(
            "GitHub",
            github.isPresent() ? "on" : "off. Set GITHUB_WEBHOOK_SECRET and GITHUB_TOKEN"),
        Wiring.line(
            "GitLab",
            gitlab.isPresent() ? "on" : "off. Set GITLAB_WEBHOOK_SECRET and GITLAB_TOKEN"),
        Wiring.line(
            "Jira",
            jira.isPresent()
                ? "on"
                : "off. Set JIRA_WEBHOOK_SECRET, JIRA_URL, JIRA_TOKEN and, on Cloud, JIRA_EMAIL"),
        Wiring.line(
            "Gitea",
            gitea.isPresent() ? "on" : "off. Set GITEA_WEBHOOK_SECRET, GITEA_TOKEN and GITEA_URL"));
  }

  void start() {
    slack.ifPresent(SlackSurface::start);
    github.ifPresent(GitHubSurface::start);
    gitlab.ifPresent(GitLabSurface::start);
    jira.ifPresent(JiraSurface::start);
    gitea.ifPresent(GiteaSurface::start);
  }

  /// Opens the connections that are ours to open, in the background.
  ///
  /// @return closes them
  AutoCloseable connect(FrontDoor door, RandomGenerator chance) {
    slack.ifPresent(it -> it.connect(reception -> door.take(it.id(), reception), chance));
    return () -> slack.ifPresent(SlackSurface::disconnect);
  }

  /// Why one of those connections does not work; empty when all do.
  Optional<String> problem() {
    return slack.flatMap(SlackSurface::problem);
  }

  @Override
  public void close() {
    slack.ifPresent(SlackSurface::close);
    http.dispatcher().executorService().shutdown();
    http.connectionPool().evictAll();
  }
}
