package dev.runnel.console;

import dev.runnel.console.Transcripts.Part;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Outcome;
import dev.runnel.core.model.RawRequest;
import dev.runnel.core.model.RunId;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.Store;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Cookie;
import io.javalin.http.Handler;
import io.javalin.http.SameSite;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/// The pages: `/` all runs, `/runs/{id}` one run, and below each `live`, a stream that keeps it up
/// to date; `/attention` what was given up. A stream blocks its thread while its page is open:
// virtual threads should serve it.
public final class Console implements AutoCloseable {
  private static final int OPEN_PAGES = 100;
  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final Duration SILENCE = Duration.ofSeconds(10);
  private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
  private static final List<String> FORWARDED =
      List.of("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via");

  private final Store store;
  private final AgentRuns runs;
  private final Transcripts transcripts;
  private final Access access;
  private final ConsoleSurface surface;
  private final InstantSource clock;
  private final Assets assets = new Assets();
  private final Attention attention;
  private final Pages pages;
  private final Streams streams;

  /// @param access the one that the surface has too
  public Console(
      Store store,
      AgentRuns runs,
      Transcripts transcripts,
      Access access,
      ConsoleSurface surface,
      About about,
      InstantSource clock) {
    this(
        store,
        runs,
        transcripts,
        access,
        surface,
        about,
        clock,
        new Streams(OPEN_PAGES, PAUSE, SILENCE));
  }

  Console(
      Store store,
      AgentRuns runs,
      Transcripts transcripts,
      Access access,
      ConsoleSurface surface,
      About about,
      InstantSource clock,
      Streams streams) {
    this.store = store;
    this.runs = runs;
    this.transcripts = transcripts;
    this.access = access;
    this.surface = surface;
    this.clock = clock;
    this.attention = new Attention(store, clock);
    this.pages = new Pages(about, assets.version());
    this.streams = streams;
  }

  public void routes(RoutesConfig routes) {
    routes.get("/", guarded(this::showRuns));
    routes.get("/live", guarded(this::followRuns));
    routes.get("/runs/{id}", guarded(this::showRun));
    routes.get("/runs/{id}/live", guarded(this::followRun));
    routes.get("/runs/{id}/transcript", guarded(this::sendTranscript));
    routes.get("/attention", guarded(this::showAttention));
    routes.post("/attention", guarded(this::attend));
    routes.get("/console/{asset}", this::asset);
  }

  /// Ends the streams, so that the server can stop.
  @Override
  public void close() {
    streams.close();
  }

  private Handler guarded(Handler handler) {
    return ctx -> {
      protect(ctx);
      switch (access.of(visit(ctx))) {
        case OPEN -> handler.handle(ctx);
        case ENTERED -> {
          ctx.cookie(cookie(ctx));
          ctx.status(303).header("Location", ctx.path());
        }
        case TOKEN_NEEDED -> {
          var followedALink = "cross-site".equals(ctx.header("Sec-Fetch-Site"));
          ctx.status(403).html(pages.tokenNeeded(followedALink));
        }
        case ONLY_HERE ->
            ctx.status(403)
                .html(
                    pages.closed(
                        "The console is closed from here",
                        "Without a token it opens only on the machine that Runnel runs on, by the"
                            + " name `localhost`. To open it from elsewhere, set"
                            + " `RUNNEL_CONSOLE_TOKEN` and start Runnel again."));
      }
    };
  }

  private static Access.Visit visit(Context ctx) {
    return new Access.Visit(
        ctx.ip(),
        ctx.header("Host"),
        FORWARDED.stream().anyMatch(name -> ctx.header(name) != null),
        ctx.queryParam("token"),
        ctx.cookie(Access.COOKIE));
  }

  private Cookie cookie(Context ctx) {
    var cookie = new Cookie(Access.COOKIE, access.cookie());
    cookie.setPath("/");
    cookie.setMaxAge((int) Duration.ofDays(30).toSeconds());
    cookie.setHttpOnly(true);
    cookie.setSecure(
        "https".equals(ctx.scheme()) || "https".equals(ctx.header("X-Forwarded-Proto")));
    cookie.setSameSite(SameSite.STRICT);
    return cookie;
  }

  private static void protect(Context ctx) {
    ctx.header(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src"
            + " 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
    ctx.header("X-Frame-Options", "DENY");
    ctx.header("X-Content-Type-Options", "nosniff");
    ctx.header("Referrer-Policy", "same-origin");
    ctx.header("Cache-Control", "no-store");
  }

  private void showRuns(Context ctx) {
    ctx.html(
        pages.runs(
            RunsLook.views(RunsLook.newest(store), clock),
            attention.all().size(),
            access.pageKey()));
  }

  private void showAttention(Context ctx) {
    ctx.html(pages.attention(attention.all(), access.pageKey()));
  }

  private void attend(Context ctx) {
    var headers = new HashMap<String, String>();
    ctx.headerMap().forEach((name, value) -> headers.put(name.toLowerCase(Locale.ROOT), value));
    var request = new RawRequest("POST", ctx.path(), headers, ctx.bodyAsBytes(), clock.instant());
    try {
      var form = Form.parse(request);
      if (!ConsoleSurface.isFromOurPage(request) || !access.isPageKey(form.page())) {
        ctx.status(401)
            .html(pages.sorry("This page is out of date", "Open `/attention` again, then repeat."));
        return;
      }
      attention.act(form);
      ctx.status(303).header("Location", "/attention");
    } catch (IllegalArgumentException unreadable) {
      ctx.status(400);
    }
  }

  private void followRuns(Context ctx) {
    var awaiting = ctx.queryParam("awaiting");
    try {
      var awaited = awaiting == null ? null : Conversation.parse(awaiting);
      streams.open(ctx, new RunsLook(store, surface, pages, clock, awaited));
    } catch (IllegalArgumentException malformed) {
      ctx.status(400);
    }
  }

  private void showRun(Context ctx) {
    withRun(
        ctx,
        run ->
            ctx.html(
                pages.run(
                    run,
                    transcripts.after(run.run().id(), 0).map(Part::forAPage),
                    run.binding()
                        .map(binding -> surface.notes(binding.conversation()))
                        .orElse(List.of()),
                    access.pageKey())));
  }

  private void followRun(Context ctx) {
    withRun(
        ctx,
        run ->
            streams.open(
                ctx,
                new RunLook(
                    store, runs, transcripts, surface, pages, clock, run, lastLineOf(ctx))));
  }

  /// The whole of it, piece by piece.
  private void sendTranscript(Context ctx) throws IOException {
    var given = ctx.pathParam("id");
    var part = given.isBlank() ? Optional.<Part>empty() : transcripts.after(new RunId(given), 0);
    if (part.isEmpty()) {
      missing(ctx);
      return;
    }
    ctx.contentType("text/plain; charset=utf-8")
        .header("Content-Disposition", "attachment; filename=\"transcript.txt\"");
    OutputStream output = ctx.outputStream();
    while (part.isPresent() && !part.get().lines().isEmpty()) {
      for (var line : part.get().lines()) {
        var who = LineView.who(line);
        var text = who.isEmpty() ? line.text() : who + ": " + line.text();
        output.write((text + "\n").getBytes(StandardCharsets.UTF_8));
      }
      part = transcripts.after(new RunId(given), part.get().lines().getLast().number());
    }
  }

  /// The page says where it began, and a browser that comes back says how far it got.
  private static long lastLineOf(Context ctx) {
    var id = ctx.header("Last-Event-ID");
    var line = id != null && !id.isEmpty() ? id : ctx.queryParam("after");
    return line != null && NUMBER.matcher(line).matches() ? Long.parseLong(line) : 0;
  }

  private void withRun(Context ctx, Consumer<RunView> page) {
    var given = ctx.pathParam("id");
    if (given.isBlank()) {
      missing(ctx);
      return;
    }
    var id = new RunId(given);
    // Looked up by run, a binding may be a moment old; its conversation may have a newer run.
    var binding =
        store.<Optional<Binding>>read(
            bindings ->
                bindings
                    .of(id)
                    .flatMap(known -> bindings.of(known.conversation()))
                    .filter(current -> current.run().id().equals(id)));
    if (binding.isPresent()) {
      page.accept(RunView.of(binding.get(), clock.instant()));
      return;
    }
    switch (runs.find(id)) {
      case Outcome.Done(var run) ->
          page.accept(new RunView(run, Optional.empty(), clock.instant()));
      case Outcome.Missing _, Outcome.Refused _ -> missing(ctx);
      case Outcome.Busy _ ->
          ctx.status(503)
              .html(
                  pages.sorry(
                      "The run service cannot be reached",
                      "This run was not started by Runnel, so only the run service knows about it."
                          + " Try again in a moment."));
    }
  }

  private void missing(Context ctx) {
    ctx.status(404)
        .html(
            pages.sorry(
                "There is no such run", "Its address may be cut short, or it was removed."));
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
