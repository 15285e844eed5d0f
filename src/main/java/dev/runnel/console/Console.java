package dev.runnel.console;

import dev.runnel.console.numbers.Numbers;
import dev.runnel.console.numbers.NumbersPage;
import dev.runnel.console.transcript.LineView;
import dev.runnel.console.transcript.RedactedTranscripts;
import dev.runnel.console.transcript.TranscriptWindow;
import dev.runnel.console.transcript.Transcripts;
import dev.runnel.console.transcript.Transcripts.Part;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Outcome;
import dev.runnel.core.model.RawRequest;
import dev.runnel.core.model.RunId;
import dev.runnel.core.model.SignedInPerson;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.AuditReader;
import dev.runnel.core.port.RunCatalog;
import dev.runnel.core.port.SignInProvider;
import dev.runnel.core.port.Store;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Cookie;
import io.javalin.http.Handler;
import io.javalin.http.SameSite;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The console's pages: `/` starts runs and lists the newest of conversations, `/runs` finds all
/// runs, `/runs/{id}` shows one; `live` below each, and `/live/runs`, is a stream that keeps it up
/// to date; `/numbers` sums them up; `/attention` lists parked items; `/audit` lists who did what;
/// `/enter` signs in, and `/leave` signs out.
///
/// A stream blocks its thread while its page is open: virtual threads should serve it.
public final class Console implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Console.class);
  private static final int OPEN_PAGES = 100;
  private static final int LINES_AT_ONCE = 500;
  private static final int MAX_WORDS = 200;
  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final Duration SILENCE = Duration.ofSeconds(10);
  private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
  private static final Pattern PAGE =
      Pattern.compile("/|/attention|/audit|/numbers|/runs|/runs/[A-Za-z0-9._~%-]+");

  private final Store store;
  private final AgentRuns runs;
  private final Transcripts transcripts;
  private final ConsoleAuthentication authentication;
  private final ConsoleSurface surface;
  private final InstantSource clock;
  private final boolean isHttps;
  private final Assets assets = new Assets();
  private final ConsoleAudit audit;
  private final AuditReader auditLog;
  private final About about;
  private final Numbers numbers;
  private final SignInDoor door;
  private final UnaryOperator<String> redaction;
  private final ConsoleAccess access;
  private final ParkedItems parkedItems;
  private final Pages pages;
  private final RunCatalog catalog;
  private final RunFactsReader runFacts;
  private final RunLists runLists;
  private final Streams streams;

  /// @param authentication the instance that the surface uses
  /// @param policy as it is now
  /// @param redaction removes secrets from what people said
  /// @param isHttps whether it is reached by HTTPS from outside
  public Console(
      Store store,
      AgentRuns runs,
      RunCatalog catalog,
      Transcripts transcripts,
      ConsoleAuthentication authentication,
      ConsoleSurface surface,
      About about,
      AuditReader auditLog,
      Numbers numbers,
      SignInDoor door,
      Supplier<Policy> policy,
      UnaryOperator<String> redaction,
      boolean isHttps,
      InstantSource clock) {
    this(
        store,
        runs,
        catalog,
        transcripts,
        authentication,
        surface,
        about,
        auditLog,
        numbers,
        door,
        policy,
        redaction,
        isHttps,
        clock,
        new Streams(OPEN_PAGES, PAUSE, SILENCE));
  }

  Console(
      Store store,
      AgentRuns runs,
      RunCatalog catalog,
      Transcripts transcripts,
      ConsoleAuthentication authentication,
      ConsoleSurface surface,
      About about,
      AuditReader auditLog,
      Numbers numbers,
      SignInDoor door,
      Supplier<Policy> policy,
      UnaryOperator<String> redaction,
      boolean isHttps,
      InstantSource clock,
      Streams streams) {
    this.store = store;
    this.runs = runs;
    this.transcripts = new RedactedTranscripts(transcripts, redaction);
    this.authentication = authentication;
    this.surface = surface;
    this.clock = clock;
    this.isHttps = isHttps;
    this.about = about;
    this.auditLog = auditLog;
    this.numbers = numbers;
    this.door = door;
    this.redaction = redaction;
    this.access = new ConsoleAccess(policy);
    this.audit = new ConsoleAudit(store, clock);
    this.parkedItems = new ParkedItems(store, about, redaction, clock, audit);
    this.pages = new Pages(about, assets.version());
    this.catalog = catalog;
    this.runFacts = new RunFactsReader(catalog, store, redaction, clock);
    this.runLists = new RunLists(catalog, store, clock);
    this.streams = streams;
  }

  public void routes(RoutesConfig routes) {
    page(routes, "/", this::showRuns);
    page(routes, "/live", this::followRuns);
    page(routes, "/runs", this::showAllRuns);
    page(routes, "/live/runs", this::followAllRuns);
    page(routes, "/runs/{id}", this::showRun);
    page(routes, "/runs/{id}/live", this::followRun);
    page(routes, "/runs/{id}/lines", this::sendLines);
    page(routes, "/runs/{id}/transcript", this::sendTranscript);
    page(routes, "/runs/{id}/files/{file}", this::sendFile);
    routes.post("/runs/{id}/share", guarded(this::share));
    routes.get(ConsoleAuthentication.SHARED + "{link}", this::showShared);
    page(routes, "/attention", this::showAttention);
    routes.post("/attention", guarded(this::attend));
    page(routes, "/numbers", this::showNumbers);
    page(routes, "/numbers.csv", this::sendNumbers);
    page(routes, AuditPage.PATH, this::showAudit);
    page(routes, AuditPage.DOWNLOAD, this::sendAudit);
    routes.get(ConsoleAuthentication.ENTRANCE, this::showEntrance);
    routes.post(ConsoleAuthentication.ENTRANCE, this::enter);
    routes.get(ConsoleAuthentication.ENTRANCE + "/{provider}", this::departs);
    routes.get(ConsoleAuthentication.ENTRANCE + "/{provider}/callback", this::comesBack);
    routes.post("/leave", guarded(this::leave));
    routes.get("/console/{asset}", this::asset);
  }

  /// Registers `HEAD`, too: without a handler, Javalin would answer it without authentication.
  private void page(RoutesConfig routes, String path, Page page) {
    routes.get(path, guarded(page));
    routes.head(path, guarded(page));
  }

  /// Ends the streams, so that the server can stop.
  @Override
  public void close() {
    streams.close();
  }

  /// A page for signed-in visitors.
  @FunctionalInterface
  private interface Page {
    void show(Context ctx, ConsoleAuthentication.Visitor visitor) throws IOException;
  }

  private Handler guarded(Page page) {
    return ctx -> {
      protect(ctx);
      Optional<ConsoleAuthentication.Visitor> visitor;
      try {
        visitor = visitor(ctx);
      } catch (RuntimeException unreadable) {
        log.warn("sessions not read why={}", unreadable.toString());
        ctx.status(503)
            .header("Retry-After", "5")
            .html(
                pages.signIn("Not now", "The database cannot be reached.", false, "/", List.of()));
        return;
      }
      if (visitor.isPresent() && access.may(visitor.get(), Permission.READ)) {
        page.show(ctx, visitor.get());
      } else if (visitor.isPresent()) {
        forbidden(ctx, "see this console any more");
      } else {
        ctx.status(401).header("WWW-Authenticate", "Bearer");
        ctx.html(signIn("Sign in", "", PAGE.matcher(ctx.path()).matches() ? ctx.path() : "/"));
      }
    };
  }

  private Optional<ConsoleAuthentication.Visitor> visitor(Context ctx) {
    return authentication.visitor(
        Optional.ofNullable(ctx.header("Cookie")),
        Optional.ofNullable(ctx.header("Authorization")));
  }

  /// @param why text before the instructions; may be empty
  private String signIn(String title, String why, String to) {
    var link = "`./runnel console`, where Runnel runs, prints a link that opens the console.";
    var text =
        authentication.hasToken()
            ? "Enter the token, which is the value of `RUNNEL_CONSOLE_TOKEN`. Or: " + link
            : link;
    return pages.signIn(
        title,
        why.isEmpty() ? text : why + " " + text,
        authentication.hasToken(),
        to,
        door.providers().stream()
            .map(
                it ->
                    new SignInLink(
                        it.name(),
                        ConsoleAuthentication.ENTRANCE
                            + "/"
                            + it.id()
                            + "?to="
                            + URLEncoder.encode(to, StandardCharsets.UTF_8)))
            .toList());
  }

  private void forbidden(Context ctx, String what) {
    ctx.status(403)
        .html(
            pages.sorry(
                "You may not " + what, "Ask whoever runs Runnel: `policy.rules` decides it."));
  }

  /// The pages as the visitor sees them.
  private Pages pages(ConsoleAuthentication.Visitor visitor) {
    return pages.as(visitor.person().map(SignedInPerson::name).orElse(""));
  }

  /// Sends the visitor to a provider.
  private void departs(Context ctx) {
    protect(ctx);
    var provider = door.find(ctx.pathParam("provider"));
    if (provider.isEmpty()) {
      ctx.status(404).html(pages.sorry("There is nothing here", "Check the address."));
      return;
    }
    var to = ctx.queryParam("to");
    try {
      var departure =
          authentication.depart(
              provider.get(),
              door.callback(provider.get()),
              to != null && PAGE.matcher(to).matches() ? to : "/");
      if (departure.isEmpty()) {
        ctx.status(429)
            .header("Retry-After", Long.toString(ConsoleAuthentication.ATTEMPTS_WINDOW.toSeconds()))
            .html(signIn("Not now", "Too many people sign in just now. Wait a minute.", "/"));
        return;
      }
      ctx.cookie(
          cookie(
              ctx,
              ConsoleAuthentication.ATTEMPT_COOKIE,
              departure.get().browser(),
              ConsoleAuthentication.ATTEMPT));
      ctx.status(303).header("Location", departure.get().to().toString());
    } catch (SignInProvider.Failed failed) {
      log.warn("sign-in failed provider={} why={}", provider.get().id(), failed.getMessage());
      ctx.status(502).html(signIn("Not now", provider.get().name() + " cannot be reached.", "/"));
    }
  }

  private void comesBack(Context ctx) {
    protect(ctx);
    var provider = door.find(ctx.pathParam("provider"));
    if (provider.isEmpty()) {
      ctx.status(404).html(pages.sorry("There is nothing here", "Check the address."));
      return;
    }
    ctx.cookie(cookie(ctx, ConsoleAuthentication.ATTEMPT_COOKIE, "", Duration.ZERO));
    var how = "by " + provider.get().name();
    switch (door.answer(
        provider.get(),
        parameter(ctx, "code"),
        parameter(ctx, "state"),
        Optional.ofNullable(ctx.header("Cookie")),
        authentication,
        access)) {
      case SignInDoor.Answer.Entered(var person, var session, var to) -> {
        audit.signedIn(person.actor(), how);
        ctx.cookie(
            cookie(
                ctx, ConsoleAuthentication.COOKIE, session, ConsoleAuthentication.PERSON_SESSION));
        ctx.status(303).header("Location", to);
      }
      case SignInDoor.Answer.Refused(var who, var why, var rule) -> {
        if (rule.equals("policy")) {
          audit.signInRefused(who, how, rule);
        }
        ctx.status(rule.equals("policy") ? 403 : 401).html(signIn("Not signed in", why, "/"));
      }
    }
  }

  private static String parameter(Context ctx, String name) {
    return Objects.requireNonNullElse(ctx.queryParam(name), "");
  }

  /// Makes a link that shows a run, also to those without an account.
  private void share(Context ctx, ConsoleAuthentication.Visitor visitor) throws IOException {
    var form = form(ctx);
    if (form.isEmpty()) {
      return;
    }
    if (!visitor.isPageKey(form.get().page())) {
      ctx.status(401).html(pages.sorry("This page is out of date", "Open it again, then repeat."));
    } else if (!access.may(visitor, Permission.LINK)) {
      forbidden(ctx, "share runs");
    } else if (LocalAddress.isLocal(door.url())) {
      ctx.status(409)
          .html(
              pages(visitor)
                  .sorry(
                      "Nobody else could open the link",
                      "This console is only reached from this machine. Set `RUNNEL_PUBLIC_URL` to"
                          + " the address at which others reach it."));
    } else {
      withRun(
          ctx,
          run -> {
            audit.shared(visitor.actor(), run.run().id());
            ctx.html(
                pages(visitor)
                    .shareLink(
                        run,
                        door.url().toString().replaceAll("/+$", "")
                            + authentication.share(run.run().id())));
          });
    }
  }

  private void showShared(Context ctx) {
    protect(ctx);
    ctx.header("Referrer-Policy", "no-referrer");
    var run = authentication.shared(ctx.pathParam("link"));
    if (run.isEmpty()) {
      ctx.status(404)
          .html(pages.sorry("This link shows nothing any more", "Links to runs work for 7 days."));
      return;
    }
    withRun(
        ctx,
        run.get(),
        it -> {
          audit.readByLink(it.run().id());
          ctx.html(
              pages.shared(
                  it,
                  runFacts.withoutMessages(it),
                  TranscriptWindow.of(transcripts, it.run().id(), Optional.empty(), "")));
        });
  }

  private void showEntrance(Context ctx) {
    protect(ctx);
    var link = ctx.queryParam("link");
    if (link == null) {
      ctx.html(signIn("Sign in", "", "/"));
    } else {
      answer(
          ctx,
          authentication.enterWithLink(link),
          "by a link",
          "/",
          "This link was used, or is too old.");
    }
  }

  private void enter(Context ctx) throws IOException {
    protect(ctx);
    var form = form(ctx);
    if (form.isEmpty()) {
      return;
    }
    var to = form.get().to();
    answer(
        ctx,
        authentication.enterWithToken(form.get().token()),
        "by the token",
        PAGE.matcher(to).matches() ? to : "/",
        "That is not the token.");
  }

  /// @param how by which the visitor signs in
  private void answer(
      Context ctx, ConsoleAuthentication.Entry entry, String how, String to, String whyNot) {
    switch (entry) {
      case ConsoleAuthentication.Entry.Entered(var session) -> {
        audit.signedIn(ConsoleSurface.PERSON, how);
        ctx.cookie(
            cookie(ctx, ConsoleAuthentication.COOKIE, session, ConsoleAuthentication.SESSION));
        ctx.status(303).header("Location", to);
      }
      case ConsoleAuthentication.Entry.Wrong _ -> {
        // Anybody can try links as fast as they like; wrong tokens are slowed down.
        if (authentication.hasToken() && "POST".equals(ctx.method().name())) {
          audit.signInRefused(ConsoleSurface.PERSON, how, "wrong");
        }
        ctx.status(401).html(signIn("Not signed in", whyNot, to));
      }
      case ConsoleAuthentication.Entry.Later(var after) -> {
        ctx.status(429).header("Retry-After", Long.toString(after.toSeconds() + 1));
        ctx.html(signIn("Not now", "There were too many wrong tokens. Wait half a minute.", to));
      }
    }
  }

  private void leave(Context ctx, ConsoleAuthentication.Visitor visitor) throws IOException {
    var form = form(ctx);
    if (form.isEmpty()) {
      return;
    }
    if (form.get().action().equals("everywhere") && !access.may(visitor, Permission.CONFIGURE)) {
      forbidden(ctx, "sign out everybody");
      return;
    }
    if (form.get().action().equals("everywhere")) {
      authentication.leaveEverywhere();
      audit.signedOut(visitor.actor(), "all sessions");
    } else {
      authentication.leave(Optional.ofNullable(ctx.header("Cookie")));
      audit.signedOut(visitor.actor(), "this session");
    }
    ctx.cookie(cookie(ctx, ConsoleAuthentication.COOKIE, "", Duration.ZERO));
    ctx.status(303).header("Location", ConsoleAuthentication.ENTRANCE);
  }

  private Cookie cookie(Context ctx, String name, String value, Duration age) {
    var cookie = new Cookie(name, value);
    cookie.setPath("/");
    cookie.setMaxAge((int) age.toSeconds());
    cookie.setHttpOnly(true);
    cookie.setSecure(isHttps || "https".equals(ctx.header("X-Forwarded-Proto")));
    // Lax, because links in Slack and in issues lead to pages; actions also need the page's key.
    cookie.setSameSite(SameSite.LAX);
    return cookie;
  }

  /// The submitted form; empty if it was rejected, in which case the response is set.
  private Optional<Form> form(Context ctx) throws IOException {
    var body = ctx.bodyInputStream().readNBytes(Form.MAX_BYTES + 1);
    if (body.length > Form.MAX_BYTES) {
      ctx.status(413);
      return Optional.empty();
    }
    var headers = new HashMap<String, String>();
    ctx.headerMap().forEach((name, value) -> headers.put(name.toLowerCase(Locale.ROOT), value));
    var request = new RawRequest("POST", ctx.path(), headers, body, clock.instant());
    if (!ConsoleSurface.isFromOurPage(request)) {
      ctx.status(401).html(pages.sorry("This was posted from another site", "Nothing was done."));
      return Optional.empty();
    }
    try {
      return Optional.of(Form.parse(request));
    } catch (IllegalArgumentException unreadable) {
      ctx.status(400);
      return Optional.empty();
    }
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

  private List<ApprovalView> approvals() {
    return ApprovalView.waiting(store, about, redaction);
  }

  /// They may come from private places, so they are only for those who may retry them.
  private List<ParkedItemView> parkedItems(ConsoleAuthentication.Visitor visitor) {
    return access.may(visitor, Permission.CONFIGURE) ? parkedItems.all() : List.of();
  }

  private void showRuns(Context ctx, ConsoleAuthentication.Visitor visitor) {
    ctx.html(
        pages(visitor)
            .runs(
                LiveRunsPage.views(LiveRunsPage.newest(store), clock),
                parkedItems(visitor).size() + approvals().size(),
                visitor.pageKey()));
  }

  private void showAllRuns(Context ctx, ConsoleAuthentication.Visitor visitor) {
    var query = RunListQuery.of(ctx::queryParam);
    var list = runLists.read(query);
    if (list.problem().isPresent()) {
      ctx.status(503);
    }
    ctx.html(pages(visitor).allRuns(query, list, clock.instant()));
  }

  private void followAllRuns(Context ctx, ConsoleAuthentication.Visitor visitor) {
    follow(ctx, new LiveRunListPage(runLists, RunListQuery.of(ctx::queryParam), pages, clock));
  }

  private void showAttention(Context ctx, ConsoleAuthentication.Visitor visitor) {
    ctx.html(pages(visitor).attention(approvals(), parkedItems(visitor), visitor.pageKey()));
  }

  private void attend(Context ctx, ConsoleAuthentication.Visitor visitor) throws IOException {
    var form = form(ctx);
    if (form.isEmpty()) {
      return;
    }
    if (!visitor.isPageKey(form.get().page())) {
      ctx.status(401)
          .html(pages.sorry("This page is out of date", "Open `/attention` again, then repeat."));
      return;
    }
    if (!access.may(visitor, Permission.CONFIGURE)) {
      forbidden(ctx, "retry or discard what was given up");
      return;
    }
    try {
      parkedItems.act(form.get(), visitor.actor());
      ctx.status(303).header("Location", "/attention");
    } catch (IllegalArgumentException unreadable) {
      ctx.status(400);
    }
  }

  private void followRuns(Context ctx, ConsoleAuthentication.Visitor visitor) {
    var awaiting = ctx.queryParam("awaiting");
    try {
      var awaited = awaiting == null ? null : Conversation.parse(awaiting);
      follow(ctx, new LiveRunsPage(store, surface, pages, clock, awaited));
    } catch (IllegalArgumentException malformed) {
      ctx.status(400);
    }
  }

  /// Opens a stream that ends with the session.
  private void follow(Context ctx, Streams.LivePage livePage) {
    streams.open(
        ctx,
        page ->
            visitor(ctx).filter(it -> access.may(it, Permission.READ)).isPresent()
                && livePage.send(page));
  }

  private void showRun(Context ctx, ConsoleAuthentication.Visitor visitor) {
    withRun(
        ctx,
        run -> {
          var id = run.run().id();
          audit.read(visitor.actor(), id, "the run's page");
          ctx.html(
              pages(visitor)
                  .run(
                      run,
                      runFacts.of(run),
                      TranscriptWindow.of(transcripts, id, number(ctx, "line"), words(ctx)),
                      run.binding()
                          .map(binding -> surface.notes(binding.conversation()))
                          .orElse(List.of()),
                      visitor.pageKey()));
        });
  }

  private void followRun(Context ctx, ConsoleAuthentication.Visitor visitor) {
    withRun(
        ctx,
        run -> {
          audit.readLines(visitor.actor(), run.run().id());
          follow(
              ctx,
              new LiveRunPage(
                  store, runs, transcripts, surface, runFacts, pages, clock, run, lastLineOf(ctx)));
        });
  }

  /// Sends lines before or after those that a page has.
  private void sendLines(Context ctx, ConsoleAuthentication.Visitor visitor) {
    var given = ctx.pathParam("id");
    var before = number(ctx, "before");
    var after = number(ctx, "after");
    if (given.isBlank() || before.isEmpty() == after.isEmpty()) {
      ctx.status(400);
      return;
    }
    var run = new RunId(given);
    audit.readLines(visitor.actor(), run);
    ctx.html(
        pages.lines(
            before.isPresent()
                ? TranscriptWindow.before(transcripts, run, before.get())
                : TranscriptWindow.after(transcripts, run, after.orElseThrow())));
  }

  private static Optional<Long> number(Context ctx, String name) {
    return Optional.ofNullable(ctx.queryParam(name))
        .filter(it -> NUMBER.matcher(it).matches())
        .map(Long::valueOf);
  }

  private static String words(Context ctx) {
    var words = ctx.queryParam("q");
    return words == null || words.length() > MAX_WORDS ? "" : words.strip();
  }

  /// Leads to a file of the run, by an address that is valid for a short time.
  private void sendFile(Context ctx, ConsoleAuthentication.Visitor visitor) {
    var given = ctx.pathParam("id");
    var file = ctx.pathParam("file");
    var run = given.isBlank() ? Optional.<RunId>empty() : Optional.of(new RunId(given));
    var link =
        run.flatMap(catalog::details)
            .filter(it -> it.files().stream().anyMatch(each -> each.id().equals(file)))
            .flatMap(_ -> catalog.fileLink(file));
    if (link.isEmpty()) {
      ctx.status(404).html(pages.sorry("This file is gone", "It was deleted with its workspace."));
      return;
    }
    audit.read(visitor.actor(), run.orElseThrow(), "a file");
    ctx.status(302).header("Location", nearby(link.get()));
  }

  /// Files of the embedded service come from this server, by whatever name the visitor calls it.
  private String nearby(URI link) {
    var path = link.getRawPath();
    return path != null
            && path.startsWith("/api/v1/agent/artifacts/")
            && Objects.equals(link.getRawAuthority(), door.url().getRawAuthority())
        ? path + (link.getRawQuery() == null ? "" : "?" + link.getRawQuery())
        : link.toString();
  }

  /// Sends the whole transcript, in chunks.
  private void sendTranscript(Context ctx, ConsoleAuthentication.Visitor visitor)
      throws IOException {
    var given = ctx.pathParam("id");
    var part = given.isBlank() ? Optional.<Part>empty() : transcripts.after(new RunId(given), 0);
    if (part.isEmpty()) {
      missing(ctx);
      return;
    }
    audit.read(visitor.actor(), new RunId(given), "the whole transcript");
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

  private void showNumbers(Context ctx, ConsoleAuthentication.Visitor visitor) {
    ctx.html(pages(visitor).numbers(numbers.of(days(ctx))));
  }

  private void sendNumbers(Context ctx, ConsoleAuthentication.Visitor visitor) {
    var by = ctx.queryParam("by");
    var table =
        Stream.of(NumbersPage.Table.values())
            .filter(it -> it.name().toLowerCase(Locale.ROOT).equals(by))
            .findFirst();
    if (table.isEmpty()) {
      ctx.status(400);
      return;
    }
    ctx.contentType("text/csv; charset=utf-8")
        .header("Content-Disposition", "attachment; filename=\"runs-by-" + by + ".csv\"")
        .result(numbers.csv(table.get(), days(ctx)));
  }

  private static int days(Context ctx) {
    return number(ctx, "days")
        .map(Long::intValue)
        .filter(NumbersPage.PERIODS::contains)
        .orElse(NumbersPage.PERIODS.get(1));
  }

  private void showAudit(Context ctx, ConsoleAuthentication.Visitor visitor) {
    if (!access.may(visitor, Permission.CONFIGURE)) {
      forbidden(ctx, "see the audit log");
      return;
    }
    auditQuery(ctx)
        .ifPresent(query -> ctx.html(pages(visitor).audit(AuditPage.of(auditLog, query))));
  }

  /// Sends all entries that the filter lets through, in chunks, the newest first.
  private void sendAudit(Context ctx, ConsoleAuthentication.Visitor visitor) throws IOException {
    if (!access.may(visitor, Permission.CONFIGURE)) {
      forbidden(ctx, "see the audit log");
      return;
    }
    var query = auditQuery(ctx);
    if (query.isEmpty()) {
      return;
    }
    audit.readLog(visitor.actor());
    ctx.contentType("application/jsonl; charset=utf-8")
        .header("Content-Disposition", "attachment; filename=\"audit.jsonl\"");
    OutputStream output = ctx.outputStream();
    var lines = auditLog.newest(query.get().filter(), query.get().before(), LINES_AT_ONCE);
    while (!lines.isEmpty()) {
      for (var line : lines) {
        output.write((line.json() + "\n").getBytes(StandardCharsets.UTF_8));
      }
      lines = auditLog.newest(query.get().filter(), lines.getLast().seq(), LINES_AT_ONCE);
    }
  }

  /// Empty if the URL is wrong, in which case the response is set.
  private Optional<AuditPage.Query> auditQuery(Context ctx) {
    try {
      return Optional.of(AuditPage.Query.of(name -> Optional.ofNullable(ctx.queryParam(name))));
    } catch (IllegalArgumentException e) {
      ctx.status(400)
          .html(pages.sorry("The audit log cannot be shown so", String.valueOf(e.getMessage())));
      return Optional.empty();
    }
  }

  /// The number of the last line that the page has: from the query for a new stream, from the event
  /// id for a reconnect.
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
    withRun(ctx, new RunId(given), page);
  }

  private void withRun(Context ctx, RunId id, Consumer<RunView> page) {
    // The look-up by run may be slightly stale, and the conversation may have a newer run.
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
