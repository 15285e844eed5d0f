package dev.runnel.surface.slack;

import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.BackgroundReader;
import dev.runnel.core.port.FileUploader;
import dev.runnel.core.port.LinkParser;
import dev.runnel.core.port.MissedDeliverySource;
import dev.runnel.core.port.PostingLimits;
import dev.runnel.core.port.SenderLookup;
import dev.runnel.core.port.Surface;
import dev.runnel.core.port.ThreadOpener;
import dev.runnel.surface.ConnectionCheck;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.slack.api.FileTransfer;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackNames;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.install.InstallationRows;
import dev.runnel.surface.slack.install.InstalledWorkspaces;
import dev.runnel.surface.slack.install.OAuthState;
import dev.runnel.surface.slack.install.OneWorkspace;
import dev.runnel.surface.slack.install.SlackInstaller;
import dev.runnel.surface.slack.install.SlackWorkspace;
import dev.runnel.surface.slack.install.SlackWorkspaces;
import dev.runnel.surface.slack.model.SlackBehavior;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackIdentity;
import dev.runnel.surface.slack.model.SlackPermalinks;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.post.SlackAgentView;
import dev.runnel.surface.slack.post.SlackLimits;
import dev.runnel.surface.slack.post.SlackPosts;
import dev.runnel.surface.slack.post.SlackScreens;
import dev.runnel.surface.slack.read.SlackBackgroundReader;
import dev.runnel.surface.slack.read.SlackMissedDeliveries;
import dev.runnel.surface.slack.read.SlackSenders;
import dev.runnel.surface.slack.receive.SlackLinks;
import dev.runnel.surface.slack.receive.SlackPayloads;
import dev.runnel.surface.slack.receive.SlackSignature;
import dev.runnel.surface.slack.receive.SlackSocket;
import dev.runnel.surface.slack.render.SlackHome;
import dev.runnel.surface.slack.render.SlackRenderer;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import okhttp3.Interceptor;
import org.jspecify.annotations.Nullable;

/// The Slack surface: receives signed requests over HTTP, Socket Mode, or both.
///
/// @implSpec Thread-safe. [#receive] is pure.
public final class SlackSurface implements Surface, AutoCloseable {
  private static final int MAX_BODY_BYTES = 1024 * 1024;

  private final SlackConfig config;
  private final InstantSource clock;
  private final Optional<SlackSignature> signature;
  private final SlackPayloads payloads;
  private final SlackPosts posts;
  private final SlackRenderer renderer;
  private final SlackApi api;
  private final FileTransfer files;
  private final SlackWorkspaces workspaces;
  private final Optional<SlackInstaller> installer;
  private volatile @Nullable SlackSocket socket;
  private final SlackBehavior habits;
  private final SlackSenders senders;
  private final SlackBackgroundReader background;
  private final SlackLimits limits;
  private final SlackAgentView agentView;

  /// Serves one workspace, with the bot token from the settings.
  public SlackSurface(SlackConfig config, InstantSource clock) {
    this(config, clock, List.of());
  }

  /// @param interceptors see each call of a method
  public SlackSurface(SlackConfig config, InstantSource clock, List<Interceptor> interceptors) {
    this(config, clock, Optional.empty(), interceptors);
  }

  /// Serves every workspace that installs the app.
  ///
  /// @param publicUrl the base URL at which browsers reach Runnel, without a path
  /// @param database contains the tables of `db/bot`
  public SlackSurface(SlackConfig config, InstantSource clock, URI publicUrl, DataSource database) {
    this(config, clock, publicUrl, database, List.of());
  }

  /// @param interceptors see each call of a method
  public SlackSurface(
      SlackConfig config,
      InstantSource clock,
      URI publicUrl,
      DataSource database,
      List<Interceptor> interceptors) {
    this(config, clock, Optional.of(new Site(publicUrl.toString(), database)), interceptors);
  }

  private record Site(String url, DataSource database) {}

  private SlackSurface(
      SlackConfig config,
      InstantSource clock,
      Optional<Site> site,
      List<Interceptor> interceptors) {
    this.config = config;
    this.clock = clock;
    signature =
        config.listens()
            ? Optional.of(new SlackSignature(new Hmac(config.signingSecrets())))
            : Optional.empty();
    habits = config.habits();
    agentView = new SlackAgentView(this::workspaces, config.prompts(), clock);
    renderer = new SlackRenderer(config.command());
    api = new SlackApi(config, interceptors);
    payloads = new SlackPayloads(config, api.sdk(), this::known, this::left, agentView);
    files = new FileTransfer(config);
    if (config.client().isPresent()) {
      var client = config.client().get();
      var at = site.orElseThrow(() -> new IllegalArgumentException("Nowhere to keep tokens"));
      var url = at.url().endsWith("/") ? at.url().substring(0, at.url().length() - 1) : at.url();
      var rows = new InstallationRows(at.database());
      var installed =
          new InstalledWorkspaces(
              config, client, rows, api, this::workspace, url + SlackInstaller.INSTALL, clock);
      workspaces = installed;
      installer =
          Optional.of(
              new SlackInstaller(
                  config, client, api, installed, new OAuthState(client, rows, clock), url, clock));
    } else {
      workspaces = new OneWorkspace(config, api, this::workspace);
      installer = Optional.empty();
    }
    senders = new SlackSenders(config, workspaces, clock);
    background = new SlackBackgroundReader(workspaces, habits.context(), agentView.looks()::of);
    limits = new SlackLimits(agentView);
    posts =
        new SlackPosts(
            workspaces,
            renderer,
            habits,
            new SlackScreens(
                new SlackHome(config.command(), new SlackPermalinks(workspaces::known))),
            agentView);
  }

  private SlackWorkspace workspace(SlackApi api) {
    return new SlackWorkspace(api, files.with(api.token()), new SlackNames(api));
  }

  private SlackMissedDeliveries catchUp(SlackWorkspace workspace) {
    return new SlackMissedDeliveries(workspace.api(), payloads, clock);
  }

  /// Looks up the bot's identity. If Slack cannot be reached, the next post asks again.
  public void start() {
    payloads.start();
    if (config.appToken().isEmpty()) {
      workspaces.learn();
    }
  }

  /// Handles app installation; empty when the surface serves a single workspace.
  public Optional<SlackInstaller> installer() {
    return installer;
  }

  /// If Socket Mode is configured, opens a socket in the background and keeps it open until
  /// [#disconnect()].
  ///
  /// @param door handles each result; a 2xx reply acknowledges the envelope, with the reply's body
  public void connect(Function<WebhookResult, Reply> door, RandomGenerator chance) {
    config
        .appToken()
        .ifPresent(
            token -> {
              var opened =
                  new SlackSocket(
                      () -> {
                        workspaces.learn();
                        return api.openSocket(token);
                      },
                      request -> door.apply(read(request)),
                      clock,
                      chance,
                      SlackSocket.Pace.USUAL);
              socket = opened;
              opened.start();
            });
  }

  /// Stops reading from the socket; envelopes already read are still acknowledged.
  public void disconnect() {
    var open = socket;
    if (open != null) {
      open.close();
    }
  }

  /// Why no request can arrive from Slack; empty if requests may arrive. HTTP delivery cannot be
  /// checked from here, so a closed socket is not a problem while HTTP is configured too.
  public Optional<String> problem() {
    return config.listens()
        ? Optional.empty()
        : Optional.ofNullable(socket).flatMap(SlackSocket::problem);
  }

  /// The transport and the connected workspaces, for the operator: `over HTTP`.
  public String transport() {
    return (config.appToken().isEmpty()
            ? "over HTTP"
            : config.listens() ? "over HTTP and a socket" : "over a socket")
        + workspaces.summary();
  }

  /// Asks Slack once per workspace whether the tokens are valid.
  public List<ConnectionCheck> check() {
    List<ConnectionCheck> found = new ArrayList<>(workspaces.check());
    checkAppToken().map(ConnectionCheck::problem).ifPresent(found::add);
    return found.stream().allMatch(ConnectionCheck::isOk) || config.client().isPresent()
        ? found
        : found.stream().filter(it -> !it.isOk()).limit(1).toList();
  }

  private Optional<String> checkAppToken() {
    return config.appToken().map(api::openSocket).flatMap(SlackSurface::problemOpening);
  }

  private static Optional<String> problemOpening(SlackResponse<String> address) {
    return switch (address) {
      case SlackResponse.Ok<String> _ -> Optional.empty();
      case SlackResponse.Wait<String>(_, String why) ->
          Optional.of("gives no socket (" + why + "). Try again in a minute.");
      case SlackResponse.No<String>(String error) ->
          Optional.of(
              "Slack gives no socket ("
                  + error
                  + "). Turn Socket Mode on in the app's settings, and put an app-level token with"
                  + " connections:write into SLACK_APP_TOKEN.");
    };
  }

  private Optional<SlackIdentity> known(String team) {
    return workspaces.known(team);
  }

  private SlackWorkspaces workspaces() {
    return workspaces;
  }

  private void left(String team, Instant at) {
    workspaces.left(team, at);
  }

  @Override
  public SurfaceId id() {
    return SlackPlace.SURFACE;
  }

  @Override
  public int maxBodyBytes() {
    return MAX_BODY_BYTES;
  }

  @Override
  public WebhookResult receive(RawRequest request) {
    if (!request.path().equals(SlackConfig.EVENTS_PATH)) {
      return WebhookResult.Rejected.with(404, "unknown path");
    }
    if (!request.method().equals("POST")) {
      return WebhookResult.Rejected.with(405, "not a POST");
    }
    if (signature.isEmpty()) {
      return WebhookResult.Rejected.with(404, "Slack is on, but not over HTTP");
    }
    if (!signature.get().proves(request)) {
      return WebhookResult.Rejected.with(401, "no valid signature");
    }
    return read(request);
  }

  /// Parses a request that is already verified.
  WebhookResult read(RawRequest request) {
    return payloads.read(request);
  }

  @Override
  public boolean isAvailable() {
    return workspaces.isAvailable();
  }

  @Override
  public SenderLookup senders() {
    return senders;
  }

  @Override
  public BackgroundReader background() {
    return background;
  }

  @Override
  public ThreadOpener threads() {
    return posts;
  }

  @Override
  public Posting post(Notice notice, @Nullable PostRef status) {
    return posts.post(notice, status);
  }

  @Override
  public FileUploader files() {
    return posts;
  }

  @Override
  public PostingLimits limits() {
    return limits;
  }

  @Override
  public LinkParser links() {
    return (link, from) -> {
      var team = from.surface().equals(SlackPlace.SURFACE) ? SlackPlace.of(from).team() : "";
      return SlackLinks.shown(link, from, known(team));
    };
  }

  @Override
  public MissedDeliverySource missed() {
    return this::missed;
  }

  private MissedDeliveries missed(Instant since, List<Conversation> conversations) {
    var byTeam =
        conversations.stream()
            .collect(
                Collectors.groupingBy(
                    it -> SlackPlace.of(it).team(), LinkedHashMap::new, Collectors.toList()));
    List<MissedDeliveries> all = new ArrayList<>();
    byTeam.forEach((team, its) -> all.add(catchUp(workspaces.of(team)).since(since, its)));
    return SlackMissedDeliveries.together(all);
  }

  @Override
  public ConversationPolicy conversationPolicy(Conversation conversation) {
    return habits.policy(SlackPlace.of(conversation));
  }

  @Override
  public void close() {
    disconnect();
    agentView.close();
    api.close();
  }
}
