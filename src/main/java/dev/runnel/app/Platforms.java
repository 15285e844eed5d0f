package dev.runnel.app;

import dev.runnel.app.settings.Settings;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.core.port.Surface;
import dev.runnel.surface.gitea.GiteaConfig;
import dev.runnel.surface.gitea.GiteaSurface;
import dev.runnel.surface.github.GitHubConfig;
import dev.runnel.surface.github.GitHubSurface;
import dev.runnel.surface.gitlab.GitLabConfig;
import dev.runnel.surface.gitlab.GitLabSurface;
import dev.runnel.surface.jira.JiraConfig;
import dev.runnel.surface.jira.JiraSurface;
import dev.runnel.surface.linear.LinearConfig;
import dev.runnel.surface.linear.LinearSurface;
import dev.runnel.surface.slack.SlackSurface;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.web.WebhookEndpoint;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The connected platforms, and hints for those that are off.
record Platforms(Optional<SlackSurface> slack, List<Tracker> trackers, OkHttpClient http)
    implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Platforms.class);
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  /// A tracker that can be connected.
  ///
  /// @param needs the settings that connect it
  /// @param on the connection; empty while the settings are missing
  record Tracker(String name, String needs, Optional<Connection> on) {}

  /// @param check calls the tracker once to check the token; returns how to fix a problem
  /// @param start looks up our own account there
  /// @param note a reason why it cannot serve anybody
  record Connection(
      Surface surface,
      Supplier<Optional<String>> check,
      Runnable start,
      Supplier<Optional<String>> note) {
    Connection(Surface surface, Supplier<Optional<String>> check, Runnable start) {
      this(surface, check, start, Optional::empty);
    }

    String line() {
      return note.get().map(it -> "on, but " + it).orElse("on");
    }
  }

  /// @throws SettingsException if a platform's settings are incomplete
  static void require(Settings settings) {
    var _ = slackConfig(settings);
    var _ = trackers(settings, new OkHttpClient(), InstantSource.system());
  }

  /// @param publicUrl the URL at which we are reached from outside
  /// @param database used only if Slack may be installed in many workspaces
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
        trackers(settings, http, clock),
        http);
  }

  private static Optional<SlackConfig> slackConfig(Settings settings) {
    return read(SlackConfig::from, settings.startingWith("SLACK_"));
  }

  /// One entry per tracker.
  private static List<Tracker> trackers(Settings settings, OkHttpClient http, InstantSource clock) {
    return List.of(
        new Tracker(
            "GitHub",
            "GITHUB_WEBHOOK_SECRET and GITHUB_TOKEN, or GITHUB_APP_ID and its key",
            read(GitHubConfig::from, settings.startingWith("GITHUB_", "RUNNEL_"))
                .map(config -> new GitHubSurface(config, http, clock))
                .map(it -> new Connection(it, it::check, it::start, it::note))),
        new Tracker(
            "GitLab",
            "GITLAB_WEBHOOK_SECRET and GITLAB_TOKEN",
            read(GitLabConfig::from, settings.startingWith("GITLAB_", "RUNNEL_"))
                .map(config -> new GitLabSurface(config, http, clock))
                .map(it -> new Connection(it, it::check, it::start))),
        new Tracker(
            "Jira",
            "JIRA_WEBHOOK_SECRET, JIRA_URL, JIRA_TOKEN and, on Cloud, JIRA_EMAIL",
            read(JiraConfig::from, settings.startingWith("JIRA_", "RUNNEL_"))
                .map(config -> new JiraSurface(config, http, clock))
                .map(it -> new Connection(it, it::check, it::start))),
        new Tracker(
            "Linear",
            "LINEAR_WEBHOOK_SECRET and LINEAR_TOKEN",
            read(LinearConfig::from, settings.startingWith("LINEAR_", "RUNNEL_"))
                .map(config -> new LinearSurface(config, http, clock))
                .map(it -> new Connection(it, it::check, it::start))),
        new Tracker(
            "Gitea",
            "GITEA_WEBHOOK_SECRET, GITEA_TOKEN and GITEA_URL",
            read(GiteaConfig::from, settings.startingWith("GITEA_", "RUNNEL_"))
                .map(config -> new GiteaSurface(config, http, clock))
                .map(it -> new Connection(it, it::check, it::start))));
  }

  private static <T> Optional<T> read(
      Function<Map<String, String>, Optional<T>> from, Map<String, String> settings) {
    try {
      return from.apply(settings);
    } catch (IllegalArgumentException e) {
      throw new SettingsException(String.valueOf(e.getMessage()));
    }
  }

  private Stream<Connection> connected() {
    return trackers.stream().flatMap(it -> it.on().stream());
  }

  List<Surface> surfaces() {
    return Stream.<Surface>concat(slack.stream(), connected().map(Connection::surface)).toList();
  }

  /// The display names of the connected platforms.
  List<String> names() {
    return Stream.concat(
            slack.map(_ -> "Slack").stream(),
            trackers.stream().filter(it -> it.on().isPresent()).map(Tracker::name))
        .toList();
  }

  /// One line for each platform, on or off.
  List<String> lines() {
    var ofSlack =
        Wiring.line(
            "Slack",
            slack
                .map(it -> "on, " + it.transport())
                .orElse("off. Set SLACK_BOT_TOKEN and SLACK_APP_TOKEN, or SLACK_SIGNING_SECRET"));
    return Stream.concat(
            Stream.of(ofSlack),
            trackers.stream()
                .map(
                    it ->
                        Wiring.line(
                            it.name(),
                            it.on().map(Connection::line).orElse("off. Set " + it.needs()))))
        .toList();
  }

  void start() {
    slack.ifPresent(SlackSurface::start);
    connected().forEach(Platforms::start);
  }

  /// Starts a connection. The remedy for a refused credential is logged when its work is put on
  /// hold.
  private static void start(Connection connection) {
    try {
      connection.start().run();
    } catch (CredentialRefused refused) {
      log.error("platform connected, but credential refused surface={}", connection.surface().id());
    }
  }

  /// Opens the connections that we initiate, in the background.
  ///
  /// @return a handle that closes them
  AutoCloseable connect(WebhookEndpoint door, RandomGenerator chance) {
    slack.ifPresent(it -> it.connect(webhookResult -> door.take(it.id(), webhookResult), chance));
    return () -> slack.ifPresent(SlackSurface::disconnect);
  }

  /// Why one of those connections does not work; empty if all do.
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
