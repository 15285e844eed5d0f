package dev.runnel.console;

import dev.runnel.console.access.ConsoleAuthentication;
import dev.runnel.console.access.ConsoleAuthentication.Visitor;
import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.console.access.Form;
import dev.runnel.console.transcript.LineView;
import dev.runnel.console.transcript.TranscriptWindow;
import dev.runnel.console.transcript.Transcripts.Part;
import dev.runnel.console.view.RunFactsReader;
import dev.runnel.console.view.RunView;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.policy.Permission;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/// `/runs/{id}` shows a run, its transcript and its files; `live` below it keeps the page up to
/// date; `/shared/{link}` shows it to everybody with the link.
final class RunRoutes {
  private static final int MAX_WORDS = 200;
  private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

  private final VisitorGuard guard;
  private final ConsoleData data;
  private final ConsoleVisitors visitors;
  private final ConsoleSurface surface;
  private final RunFactsReader runFacts;
  private final ConsoleAudit audit;
  private final Streams streams;
  private final InstantSource clock;

  RunRoutes(
      VisitorGuard guard,
      ConsoleData data,
      ConsoleVisitors visitors,
      ConsoleSurface surface,
      RunFactsReader runFacts,
      ConsoleAudit audit,
      Streams streams,
      InstantSource clock) {
    this.guard = guard;
    this.data = data;
    this.visitors = visitors;
    this.surface = surface;
    this.runFacts = runFacts;
    this.audit = audit;
    this.streams = streams;
    this.clock = clock;
  }

  void register(RoutesConfig routes) {
    guard.largePage(routes, "/runs/{id}", this::showRun);
    guard.stream(routes, "/runs/{id}/live", this::followRun);
    guard.largePage(routes, "/runs/{id}/lines", this::sendLines);
    guard.download(routes, "/runs/{id}/transcript", this::sendTranscript);
    guard.page(routes, "/runs/{id}/files/{file}", this::sendFile);
    guard.form(routes, "/runs/{id}/share", Permission.LINK, "share runs", this::share);
    guard.largePublicPage(routes, ConsoleAuthentication.SHARED_PATH + "{link}", this::showShared);
  }

  private void showRun(Context ctx, Visitor visitor) throws Exception {
    withRun(
        ctx,
        found -> {
          var run = found.permitting(guard.permissions(visitor, found.run()));
          var id = run.run().id();
          audit.read(visitor.actor(), id, "the run's page");
          ctx.html(
              guard
                  .pages(visitor)
                  .run(
                      run,
                      runFacts.of(run),
                      TranscriptWindow.of(data.transcripts(), id, number(ctx, "line"), words(ctx)),
                      run.place().map(surface::notes).orElse(List.of()),
                      visitor.pageKey()));
        });
  }

  private void followRun(Context ctx, Visitor visitor) throws Exception {
    withRun(
        ctx,
        run -> {
          audit.readLines(visitor.actor(), run.run().id());
          guard.follow(
              ctx,
              visitor,
              streams,
              new RunPageEvents(
                  data,
                  surface,
                  runFacts,
                  guard.pages(),
                  clock,
                  run.permitting(guard.permissions(visitor, run.run())),
                  lastLineOf(ctx)));
        });
  }

  /// Sends the lines before or after those of a page.
  private void sendLines(Context ctx, Visitor visitor) {
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
        guard
            .pages()
            .lines(
                before.isPresent()
                    ? TranscriptWindow.before(data.transcripts(), run, before.get())
                    : TranscriptWindow.after(data.transcripts(), run, after.orElseThrow())));
  }

  static Optional<Long> number(Context ctx, String name) {
    return Optional.ofNullable(ctx.queryParam(name))
        .filter(it -> NUMBER.matcher(it).matches())
        .map(Long::valueOf);
  }

  private static String words(Context ctx) {
    var words = ctx.queryParam("q");
    return words == null || words.length() > MAX_WORDS ? "" : words.strip();
  }

  /// Redirects to a file of the run, by a URL that is valid for a short time.
  private void sendFile(Context ctx, Visitor visitor) {
    var given = ctx.pathParam("id");
    var file = ctx.pathParam("file");
    var run = given.isBlank() ? Optional.<RunId>empty() : Optional.of(new RunId(given));
    var link =
        run.flatMap(data.catalog()::details)
            .filter(it -> it.files().stream().anyMatch(each -> each.id().equals(file)))
            .flatMap(_ -> data.catalog().fileLink(file));
    if (link.isEmpty()) {
      ctx.status(404)
          .html(
              guard
                  .pages()
                  .errorPage("This file no longer exists", "It was deleted with its workspace."));
      return;
    }
    audit.read(visitor.actor(), run.orElseThrow(), "a file");
    ctx.status(302).header("Location", nearby(link.get()));
  }

  /// For files of the embedded service, only the path, because they are on this server.
  private String nearby(URI link) {
    var path = link.getRawPath();
    return path != null
            && path.startsWith("/api/v1/agent/artifacts/")
            && Objects.equals(link.getRawAuthority(), visitors.signIn().url().getRawAuthority())
        ? path + (link.getRawQuery() == null ? "" : "?" + link.getRawQuery())
        : link.toString();
  }

  /// Sends the whole transcript, in chunks.
  private void sendTranscript(Context ctx, Visitor visitor) throws IOException {
    var given = ctx.pathParam("id");
    var part =
        given.isBlank() ? Optional.<Part>empty() : data.transcripts().after(new RunId(given), 0);
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
      part = data.transcripts().after(new RunId(given), part.get().lines().getLast().number());
    }
  }

  /// Creates a link that shows a run, also to people without an account.
  private void share(Context ctx, Visitor visitor, Form form) throws Exception {
    if (LocalAddress.isLocal(visitors.signIn().url())) {
      ctx.status(409)
          .html(
              guard
                  .pages(visitor)
                  .errorPage(
                      "Nobody else could open the link",
                      "This console is only reached from this machine. Set `RUNNEL_PUBLIC_URL` to"
                          + " the address at which others reach it."));
    } else {
      withRun(
          ctx,
          run -> {
            audit.shared(visitor.actor(), run.run().id());
            ctx.html(
                guard
                    .pages(visitor)
                    .shareLink(
                        run,
                        visitors.signIn().url().toString().replaceAll("(?<!/)/+$", "")
                            + visitors.authentication().share(run.run().id())));
          });
    }
  }

  private void showShared(Context ctx) throws Exception {
    ctx.header("Referrer-Policy", "no-referrer");
    var run = visitors.authentication().shared(ctx.pathParam("link"));
    if (run.isEmpty()) {
      ctx.status(404)
          .html(
              guard
                  .pages()
                  .errorPage("This link has expired", "Links to runs are valid for 7 days."));
      return;
    }
    withRun(
        ctx,
        run.get(),
        it -> {
          audit.readByLink(it.run().id());
          ctx.html(
              guard
                  .pages()
                  .shared(
                      it,
                      runFacts.withoutMessages(it),
                      TranscriptWindow.of(
                          data.transcripts(), it.run().id(), Optional.empty(), "")));
        });
  }

  /// The number of the last line that the page has: from the query for a new stream, from the event
  /// id for a reconnect.
  private static long lastLineOf(Context ctx) {
    var id = ctx.header("Last-Event-ID");
    var line = id != null && !id.isEmpty() ? id : ctx.queryParam("after");
    return line != null && NUMBER.matcher(line).matches() ? Long.parseLong(line) : 0;
  }

  /// A page of a run.
  @FunctionalInterface
  private interface RunPage {
    void show(RunView run) throws Exception;
  }

  private void withRun(Context ctx, RunPage page) throws Exception {
    var given = ctx.pathParam("id");
    if (given.isBlank()) {
      missing(ctx);
      return;
    }
    withRun(ctx, new RunId(given), page);
  }

  private void withRun(Context ctx, RunId id, RunPage page) throws Exception {
    // The look-up by run may be stale, and the conversation may have a newer run.
    var binding =
        data.store()
            .<Optional<Binding>>read(
                bindings ->
                    bindings
                        .of(id)
                        .flatMap(known -> bindings.of(known.conversation()))
                        .filter(current -> current.run().id().equals(id)));
    if (binding.isPresent()) {
      page.show(RunView.of(binding.get(), clock.instant()));
      return;
    }
    switch (data.runs().find(id)) {
      case Outcome.Done(var run) -> page.show(RunView.unbound(run, clock.instant()));
      case Outcome.Missing _, Outcome.Refused _ -> missing(ctx);
      case Outcome.Unavailable _ ->
          ctx.status(503)
              .html(
                  guard
                      .pages()
                      .errorPage(
                          "The run service cannot be reached",
                          "This run was not started by Runnel, so only the run service knows about"
                              + " it. Try again in a moment."));
    }
  }

  private void missing(Context ctx) {
    ctx.status(404)
        .html(
            guard
                .pages()
                .errorPage(
                    "There is no such run", "Check the address. The run may have been deleted."));
  }
}
