package dev.runnel.app;

import dev.runnel.core.port.Surface;
import dev.runnel.surface.gitea.GiteaConfig;
import dev.runnel.surface.gitea.GiteaSurface;
import dev.runnel.surface.github.GitHubConfig;
import dev.runnel.surface.github.GitHubSurface;
import dev.runnel.surface.gitlab.GitLabConfig;
import dev.runnel.surface.gitlab.GitLabSurface;
import dev.runnel.surface.linear.LinearConfig;
import dev.runnel.surface.linear.LinearSurface;
import dev.runnel.surface.slack.SlackConfig;
import dev.runnel.surface.slack.SlackSurface;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;

/// The platforms whose settings are there, and what to say about those that are off.
record Platforms(
    Optional<SlackSurface> slack,
    Optional<GitHubSurface> github,
    Optional<GitLabSurface> gitlab,
    Optional<LinearSurface> linear,
    Optional<GiteaSurface> gitea,
    OkHttpClient http)
    implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  static Platforms of(Settings settings, InstantSource clock) {
    var http = new OkHttpClient.Builder().callTimeout(PATIENCE).build();
    return new Platforms(
        read(SlackConfig::from, settings.startingWith("SLACK_"))
            .map(config -> new SlackSurface(config, clock)),
        read(GitHubConfig::from, settings.startingWith("GITHUB_", "RUNNEL_"))
            .map(config -> new GitHubSurface(config, http, clock)),
        read(GitLabConfig::from, settings.startingWith("GITLAB_", "RUNNEL_"))
            .map(config -> new GitLabSurface(config, http, clock)),
        read(LinearConfig::from, settings.startingWith("LINEAR_", "RUNNEL_"))
            .map(config -> new LinearSurface(config, http, clock)),
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
    return Stream.of(slack, github, gitlab, linear, gitea)
        .<Surface>flatMap(Optional::stream)
        .toList();
  }

  /// As people write them.
  List<String> names() {
    return Stream.of(
            slack.map(_ -> "Slack"),
            github.map(_ -> "GitHub"),
            gitlab.map(_ -> "GitLab"),
            linear.map(_ -> "Linear"),
            gitea.map(_ -> "Gitea"))
        .flatMap(Optional::stream)
        .toList();
  }

  /// One line each, on or off.
  List<String> lines() {
    return List.of(
        Wiring.line(
            "Slack",
            slack.isPresent() ? "on" : "off. Set SLACK_SIGNING_SECRET and SLACK_BOT_TOKEN"),
        Wiring.line(
            "GitHub",
            github.isPresent() ? "on" : "off. Set GITHUB_WEBHOOK_SECRET and GITHUB_TOKEN"),
        Wiring.line(
            "GitLab",
            gitlab.isPresent() ? "on" : "off. Set GITLAB_WEBHOOK_SECRET and GITLAB_TOKEN"),
        Wiring.line(
            "Linear",
            linear.isPresent() ? "on" : "off. Set LINEAR_WEBHOOK_SECRET and LINEAR_TOKEN"),
        Wiring.line(
            "Gitea",
            gitea.isPresent() ? "on" : "off. Set GITEA_WEBHOOK_SECRET, GITEA_TOKEN and GITEA_URL"));
  }

  void start() {
    slack.ifPresent(SlackSurface::start);
    github.ifPresent(GitHubSurface::start);
    gitlab.ifPresent(GitLabSurface::start);
    linear.ifPresent(LinearSurface::start);
    gitea.ifPresent(GiteaSurface::start);
  }

  @Override
  public void close() {
    slack.ifPresent(SlackSurface::close);
    http.dispatcher().executorService().shutdown();
    http.connectionPool().evictAll();
  }
}
