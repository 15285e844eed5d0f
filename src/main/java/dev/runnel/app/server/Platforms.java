package dev.runnel.app.server;

import dev.runnel.app.connect.ConnectCommand;
import dev.runnel.app.settings.KnownPlatforms;
import dev.runnel.app.settings.OutgoingProxy;
import dev.runnel.app.settings.Settings;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.console.view.About;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.core.port.Surface;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.surface.ConnectedPlatform;
import dev.runnel.surface.PlatformContext;
import dev.runnel.surface.PlatformDefinition;
import dev.runnel.surface.PlatformDefinition.Connector;
import dev.runnel.surface.PlatformPage;
import dev.runnel.surface.kit.AnswerMemory;
import dev.runnel.surface.kit.InterruptedCalls;
import dev.runnel.web.WebhookEndpoint;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The known platforms, on or off.
public record Platforms(List<Platform> all, OkHttpClient http) implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Platforms.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(15);

  /// @param connected empty while its settings are missing
  public record Platform(PlatformDefinition definition, Optional<ConnectedPlatform> connected) {
    /// How it is connected, or how to connect it.
    String status() {
      return connected.map(ConnectedPlatform::status).orElseGet(() -> "off. " + howToConnect());
    }

    private String howToConnect() {
      var id = definition.id().value();
      return ConnectCommand.PLATFORMS.contains(id)
          ? "Run ./runnel connect %s, or set %s".formatted(id, definition.needs())
          : "Set " + definition.needs();
    }
  }

  /// @throws SettingsException if a platform's settings are incomplete
  public static void require(Settings settings) {
    KnownPlatforms.ALL.forEach(each -> connector(each, settings));
  }

  /// Whether any platform is on.
  ///
  /// @throws SettingsException if a platform's settings are incomplete
  static boolean isAnyOn(Settings settings) {
    return KnownPlatforms.ALL.stream().anyMatch(each -> connector(each, settings).isPresent());
  }

  /// The platforms for a command: their calls are not measured.
  public static Platforms of(
      Settings settings, InstantSource clock, URI publicUrl, Supplier<DataSource> database) {
    return of(
        settings,
        clock,
        publicUrl,
        database,
        new AnswerMemory(MemoryBudget.ofThisProcess().share(MemoryBudget.Kind.STEPS)),
        _ -> chain -> chain.proceed(chain.request()));
  }

  /// @param publicUrl the URL at which we are reached from outside
  /// @param database contains the tables of `db/bot`; opened only if a platform needs it
  /// @param answers has the memory for what platforms answer
  /// @param metered sees the calls to each platform
  public static Platforms of(
      Settings settings,
      InstantSource clock,
      URI publicUrl,
      Supplier<DataSource> database,
      AnswerMemory answers,
      Function<SurfaceId, Interceptor> metered) {
    var http =
        OutgoingProxy.of(settings)
            .apply(new OkHttpClient.Builder())
            .callTimeout(TIMEOUT)
            .addInterceptor(new InterruptedCalls())
            .addInterceptor(answers)
            .build();
    Function<PlatformDefinition, PlatformContext> context =
        platform ->
            new PlatformContext(
                http.newBuilder().addInterceptor(metered.apply(platform.id())).build(),
                clock,
                publicUrl,
                database);
    return new Platforms(
        KnownPlatforms.ALL.stream()
            .map(
                each ->
                    new Platform(
                        each, connector(each, settings).map(it -> it.open(context.apply(each)))))
            .toList(),
        http);
  }

  private static Optional<Connector> connector(PlatformDefinition definition, Settings settings) {
    try {
      return definition.configure().apply(settings.of(definition));
    } catch (IllegalArgumentException e) {
      throw settings.wrong(String.valueOf(e.getMessage()));
    }
  }

  private Stream<ConnectedPlatform> connected() {
    return all.stream().flatMap(it -> it.connected().stream());
  }

  /// A connected platform, by its id.
  public Optional<ConnectedPlatform> find(String id) {
    return all.stream()
        .filter(each -> each.definition().id().value().equals(id))
        .flatMap(each -> each.connected().stream())
        .findFirst();
  }

  /// The display name of a platform; its id if it is none.
  String name(SurfaceId id) {
    return all.stream()
        .filter(each -> each.definition().id().equals(id))
        .map(each -> each.definition().name())
        .findFirst()
        .orElse(id.value());
  }

  List<Surface> surfaces() {
    return connected().map(ConnectedPlatform::surface).toList();
  }

  /// One line for each platform, on or off.
  List<String> lines() {
    return all.stream().map(it -> StatusLine.of(it.definition().name(), it.status())).toList();
  }

  /// The platforms as the console shows them.
  List<About.Platform> forConsole() {
    return all.stream()
        .map(
            it ->
                new About.Platform(
                    it.definition().id().value(),
                    it.definition().name(),
                    it.definition().source(),
                    it.definition().hasReadablePlaces(),
                    it.connected().isPresent(),
                    it.definition().howToStart(),
                    it.howToConnect()))
        .toList();
  }

  Map<String, PlatformPage> pages() {
    var pages = new HashMap<String, PlatformPage>();
    connected().forEach(each -> pages.putAll(each.pages()));
    return pages;
  }

  void start() {
    connected().forEach(Platforms::start);
  }

  private static void start(ConnectedPlatform platform) {
    try {
      platform.start();
    } catch (CredentialRefused refused) {
      log.error(
          "platform credential refused surface={} why=\"{}\"",
          platform.surface().id(),
          refused.getMessage());
    }
  }

  /// Opens the connections that we initiate, in the background.
  ///
  /// @return a handle that closes them
  AutoCloseable connect(WebhookEndpoint endpoint, RandomGenerator chance) {
    connected()
        .forEach(
            each -> each.connect(result -> endpoint.take(each.surface().id(), result), chance));
    return () -> connected().forEach(ConnectedPlatform::disconnect);
  }

  /// The surfaces of the connected platforms, with why no delivery can arrive there over a
  /// connection that we initiated; empty if they may arrive.
  Map<SurfaceId, Supplier<Optional<String>>> connections() {
    return connected().collect(Collectors.toMap(it -> it.surface().id(), it -> () -> it.problem()));
  }

  /// Why one of those connections does not work; empty if all do.
  Optional<String> problem() {
    return connected().flatMap(each -> each.problem().stream()).findFirst();
  }

  @Override
  public void close() {
    connected().forEach(ConnectedPlatform::close);
    http.dispatcher().executorService().shutdown();
    http.connectionPool().evictAll();
  }
}
