package dev.runnel.console;

import dev.runnel.console.access.ConsoleAccess;
import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.console.operation.RecentCheck;
import dev.runnel.console.view.About;
import dev.runnel.console.view.RunFactsReader;
import dev.runnel.console.view.RunLists;
import dev.runnel.console.view.Templates;
import dev.runnel.memory.ReaderPart;
import dev.runnel.memory.Share;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/// The console. Each group of pages has a class of routes: [RunListRoutes] lists runs, [RunRoutes]
/// shows one, [AttentionRoutes] lists parked items, [NumbersRoutes] shows statistics, [AuditRoutes]
/// the audit log, [OperationRoutes] the health and the configuration, and [SignInRoutes] signs
/// people in.
///
/// A stream blocks its thread while its page is open: virtual threads should serve it.
public final class Console implements AutoCloseable {
  /// Of one reader; a browser has at most six, or a hundred with HTTP/2.
  private static final int MAX_STREAMS_OF_ONE = 32;

  private static final Duration HEALTH_CHECK_WAIT = Duration.ofSeconds(2);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);
  private static final Duration MAX_SILENCE = Duration.ofSeconds(10);

  private final Assets assets = new Assets();
  private final Streams streams;
  private final List<Consumer<RoutesConfig>> routeGroups;

  /// @param redaction removes secrets from messages
  /// @param memory for what is shown to readers
  public Console(
      ConsoleData data,
      ConsoleVisitors visitors,
      ConsoleSurface surface,
      About about,
      UnaryOperator<String> redaction,
      InstantSource clock,
      Share memory) {
    this(
        data,
        visitors,
        surface,
        about,
        redaction,
        clock,
        memory,
        new Streams(
            (int) (ReaderPart.LIVE_UPDATES.size(memory) / Streams.BYTES),
            MAX_STREAMS_OF_ONE,
            POLL_INTERVAL,
            MAX_SILENCE,
            memory));
  }

  Console(
      ConsoleData data,
      ConsoleVisitors visitors,
      ConsoleSurface surface,
      About about,
      UnaryOperator<String> redaction,
      InstantSource clock,
      Share memory,
      Streams streams) {
    this.streams = streams;
    var store = data.store();
    var catalog = data.catalog();
    var operation = data.operation();
    var access = new ConsoleAccess(visitors.policy());
    var audit = new ConsoleAudit(store, clock);
    var guard =
        new VisitorGuard(
            visitors.authentication(),
            visitors.signIn(),
            access,
            new Templates(about, assets.version()),
            new PageMemory(memory),
            data.isUnavailable(),
            clock);
    var attention =
        new AttentionRoutes(
            guard, store, about, redaction, new ParkedItems(store, about, redaction, clock, audit));
    this.routeGroups =
        List.of(
            new RunListRoutes(
                    guard,
                    store,
                    surface,
                    new RunLists(
                        catalog,
                        store,
                        about.platforms().stream().map(About.Platform::surface).toList(),
                        clock),
                    attention,
                    streams,
                    clock)
                ::register,
            new RunRoutes(
                    guard,
                    data.withRedactedTranscripts(redaction),
                    visitors,
                    surface,
                    new RunFactsReader(catalog, store, redaction, clock),
                    audit,
                    streams,
                    clock)
                ::register,
            attention::register,
            new NumbersRoutes(guard, data.numbers())::register,
            new AuditRoutes(guard, data.auditLog(), audit)::register,
            new OperationRoutes(
                    guard,
                    operation,
                    new RecentCheck(operation::check, clock, HEALTH_CHECK_WAIT),
                    audit,
                    clock)
                ::register,
            new SignInRoutes(guard, visitors, access, audit)::register);
  }

  public void routes(RoutesConfig routes) {
    routeGroups.forEach(family -> family.accept(routes));
    routes.get("/console/{asset}", this::asset);
  }

  /// Ends the streams, so that the server can stop.
  @Override
  public void close() {
    streams.close();
  }

  private void asset(Context ctx) {
    var asset = assets.find(ctx.pathParam("asset"));
    if (asset.isEmpty()) {
      ctx.status(404);
      return;
    }
    ctx.header("Cache-Control", "public, max-age=31536000, immutable")
        .header("X-Content-Type-Options", "nosniff")
        .contentType(asset.get().contentType())
        .result(asset.get().bytes());
  }
}
