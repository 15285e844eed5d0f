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
import dev.runnel.surface.ConnectedPlatform;
import dev.runnel.surface.ConnectionCheck;
import dev.runnel.surface.PlatformContext;
import dev.runnel.surface.PlatformPage;
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
import dev.runnel.surface.slack.model.SlackConfig;
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
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/// The Slack surface: receives signed requests over HTTP, Socket Mode, or both.
///
/// @implSpec Thread-safe. [#receive] is pure.
public final class SlackSurface implements Surface, ConnectedPlatform {
  private static final int MAX_BODY_BYTES = 1024 * 1024;
  private static final PlatformPage.Html NOT_INSTALLABLE =
      new PlatformPage.Html(404, Map.of(), "Slack cannot be installed from here.\n");

  private final SlackConfig config;
  private final InstantSource clock;
  private final OkHttpClient http;
  private final Optional<SlackSignature> signature;
  private final SlackPayloads payloads;
  private final SlackPosts posts;
  private final SlackApi api;
  private final SlackWorkspaces workspaces;
  private final Optional<SlackInstaller> installer;
  private volatile @Nullable SlackSocket socket;
  private final SlackSenders senders;
  private final SlackBackgroundReader background;
  private final SlackLimits limits;
  private final SlackAgentView agentView;

  public SlackSurface(SlackConfig config, PlatformContext context) {
    this.config = config;
    clock = context.clock();
    http = context.http();
    signature =
        config.listens()
            ? Optional.of(new SlackSignature(new Hmac(config.signingSecrets())))
            : Optional.empty();
    api = new SlackApi(config, context.http());
    var files = new FileTransfer(config, context.http());
    Function<SlackApi, SlackWorkspace> clients =
        it -> new SlackWorkspace(it, files.with(it.token()), new SlackNames(it));
    if (config.client().isPresent()) {
      var client = config.client().get();
      var url = context.publicUrl().toString().replaceFirst("/$", "");
      var rows = new InstallationRows(context.database().get());
      var installed =
          new InstalledWorkspaces(
              config, client, rows, api, clients, url + SlackInstaller.INSTALL, clock);
      workspaces = installed;
      installer =
          Optional.of(
              new SlackInstaller(
                  config, client, api, installed, new OAuthState(client, rows, clock), url, clock));
    } else {
      workspaces = new OneWorkspace(config, api, clients);
      installer = Optional.empty();
    }
    agentView = new SlackAgentView(workspaces, config.prompts(), clock);
    payloads =
        new SlackPayloads(config, api.sdk(), workspaces::known, workspaces::uninstalled, agentView);
    senders = new SlackSenders(config, workspaces, clock);
    background =
        new SlackBackgroundReader(
            workspaces, config.behavior().context(), agentView.openChannels()::of);
    limits = new SlackLimits(agentView);
    posts =
        new SlackPosts(
            workspaces,
            config.behavior(),
            new SlackScreens(new SlackHome(new SlackPermalinks(workspaces::known))),
            agentView);
  }

  @Override
  public Surface surface() {
    return this;
  }

  @Override
  public Optional<Conversation> conversationIn(String place) {
    var parts = place.split("/", -1);
    return parts.length < 2
        ? Optional.empty()
        : Optional.of(new SlackPlace(parts[0], parts[1], "0").conversation());
  }

  @Override
  public void start() {
    payloads.start();
    if (config.appToken().isEmpty()) {
      workspaces.learn();
    }
  }

  /// Where workspaces may install the app.
  @Override
  public Map<String, PlatformPage> pages() {
    return Map.of(
        SlackInstaller.INSTALL,
        (_, _) -> installer.map(SlackInstaller::install).orElse(NOT_INSTALLABLE),
        SlackInstaller.REDIRECT,
        (query, cookie) ->
            installer
                .map(it -> it.redirected(query, cookie.apply(SlackInstaller.COOKIE)))
                .orElse(NOT_INSTALLABLE));
  }

  /// Opens a socket if Socket Mode is configured. The acknowledgement carries the reply's body.
  @Override
  public void connect(Function<WebhookResult, Reply> handler, RandomGenerator chance) {
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
                      request -> handler.apply(read(request)),
                      http,
                      clock,
                      chance,
                      SlackSocket.Timeouts.DEFAULT);
              socket = opened;
              opened.start();
            });
  }

  /// Stops reading from the socket; envelopes already read are still acknowledged.
  @Override
  public void disconnect() {
    var open = socket;
    if (open != null) {
      open.close();
    }
  }

  /// A closed socket is not a problem while HTTP is configured too, because HTTP delivery cannot be
  /// checked from here.
  @Override
  public Optional<String> problem() {
    return config.listens()
        ? Optional.empty()
        : Optional.ofNullable(socket).flatMap(SlackSocket::problem);
  }

  /// Names the transport and the connected workspaces.
  @Override
  public String status() {
    return "on, "
        + (config.appToken().isEmpty()
            ? "over HTTP"
            : config.listens() ? "over HTTP and a socket" : "over a socket")
        + workspaces.summary();
  }

  @Override
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
          Optional.of("no socket (" + why + "). Try again in a minute.");
      case SlackResponse.No<String>(String error) ->
          Optional.of(
              "Slack opens no socket ("
                  + error
                  + "). Turn Socket Mode on in the app's settings, and put an app-level token with"
                  + " connections:write into SLACK_APP_TOKEN.");
    };
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
      return SlackLinks.shown(link, from, workspaces.known(team));
    };
  }

  @Override
  public MissedDeliverySource missed() {
    return (since, _, conversations) -> missed(since, conversations);
  }

  private MissedDeliveries missed(Instant since, List<Conversation> conversations) {
    var byTeam =
        conversations.stream()
            .collect(
                Collectors.groupingBy(
                    it -> SlackPlace.of(it).team(), LinkedHashMap::new, Collectors.toList()));
    List<MissedDeliveries> all = new ArrayList<>();
    byTeam.forEach((team, its) -> all.add(missed(team, since, its)));
    return SlackMissedDeliveries.merge(all);
  }

  private MissedDeliveries missed(String team, Instant since, List<Conversation> conversations) {
    return new SlackMissedDeliveries(workspaces.of(team).api(), payloads, clock)
        .since(since, conversations);
  }

  @Override
  public ConversationPolicy conversationPolicy(Conversation conversation) {
    return config.behavior().policy(SlackPlace.of(conversation));
  }

  @Override
  public void close() {
    disconnect();
    agentView.close();
    api.close();
  }
}
