package dev.runnel.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.PageInfo;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import java.io.SequenceInputStream;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// The Agent Run API over HTTP, under `/api/v1`. Handlers block; they belong on virtual threads.
final class RunRoutes {
  private static final String BASE = "/api/v1";
  private static final int LONGEST_KEY = 255;
  private static final List<HandlerType> METHODS =
      List.of(
          HandlerType.GET,
          HandlerType.POST,
          HandlerType.PUT,
          HandlerType.PATCH,
          HandlerType.DELETE,
          HandlerType.OPTIONS);

  private final RunBook book;
  private final RunQueue queue;
  private final ServiceSettings settings;
  private final InstantSource clock;
  private final TranscriptLinks links;
  private final Guard guard;
  private final Map<String, Set<String>> known = new LinkedHashMap<>();

  RunRoutes(RunBook book, RunQueue queue, ServiceSettings settings, InstantSource clock) {
    this.book = book;
    this.queue = queue;
    this.settings = settings;
    this.clock = clock;
    this.links = new TranscriptLinks(clock);
    this.guard = new Guard(settings.apiKey(), settings.publicUrl());
  }

  void register(RoutesConfig routes) {
    add(routes, HandlerType.POST, "/agent/run", this::create);
    add(routes, HandlerType.POST, "/agent/runs", this::create);
    add(routes, HandlerType.GET, "/agent/runs", this::list);
    add(routes, HandlerType.GET, "/agent/runs/{id}", this::show);
    add(routes, HandlerType.POST, "/agent/runs/{id}/followups", this::followUp);
    add(routes, HandlerType.POST, "/agent/runs/{id}/cancel", this::cancel);
    add(routes, HandlerType.GET, "/agent/runs/{id}/transcript", this::transcript);
    routes.get(BASE + "/agent/runs/{id}/transcript/text", guard.open(this::transcriptText));
    for (var method : METHODS) {
      routes.addHttpHandler(method, BASE, guard.keyed(this::nothingHere));
      routes.addHttpHandler(method, BASE + "/<rest>", guard.keyed(this::nothingHere));
    }
  }

  /// What a handler does with a request.
  private interface Action {
    void take(Context ctx);
  }

  private void add(RoutesConfig routes, HandlerType method, String path, Action action) {
    known
        .computeIfAbsent(Pattern.quote(BASE) + path.replace("{id}", "[^/]+"), _ -> new TreeSet<>())
        .add(method.name());
    routes.addHttpHandler(
        method,
        BASE + path,
        guard.keyed(
            ctx -> {
              // An address that ends in a slash lost its id on the way; the list would hide that.
              if (ctx.path().endsWith("/")) {
                throw nothing();
              }
              action.take(ctx);
            }));
  }

  private void create(Context ctx) {
    answer(ctx, book.create(NewRun.parse(Json.body(ctx.bodyAsBytes())), key(ctx)));
  }

  private void list(Context ctx) {
    var page = book.list(RunQuery.parse(ctx.queryParamMap()));
    var now = clock.instant();
    var url = settings.publicUrl().get();
    ObjectNode body = Json.newObject();
    var runs = body.putArray("runs");
    page.runs().forEach(run -> runs.add(run.show(url, now)));
    body.set(
        "page_info",
        Json.object(
            new PageInfo(page.nextCursor().isPresent(), page.nextCursor().orElse(null), Map.of())));
    answer(ctx, body.toString());
  }

  private void show(Context ctx) {
    var run = book.show(ctx.pathParam("id")).orElseThrow(RequestProblem::noRun);
    answer(ctx, run.show(settings.publicUrl().get(), clock.instant()).toString());
  }

  private void followUp(Context ctx) {
    var message = Json.convert(Json.body(ctx.bodyAsBytes()), FollowUpMessage.class);
    var text = message.message();
    if (text == null || text.isBlank()) {
      throw RequestProblem.invalid("A follow-up needs a message");
    }
    if (text.indexOf('\0') >= 0) {
      throw RequestProblem.invalid("The message holds a NUL character");
    }
    NewRun.checkMode(message.mode());
    answer(ctx, book.followUp(ctx.pathParam("id"), text, key(ctx)));
  }

  private void cancel(Context ctx) {
    var id = ctx.pathParam("id");
    queue.cancel(id);
    answer(ctx, Json.write(id));
  }

  private void transcript(Context ctx) {
    var id = ctx.pathParam("id");
    if (book.find(id).isEmpty()) {
      throw RequestProblem.noRun();
    }
    ctx.status(302)
        .header("Location", BASE + "/agent/runs/" + id + "/transcript/text?" + links.query(id));
  }

  private void transcriptText(Context ctx) {
    var id = ctx.pathParam("id");
    if (!links.opens(id, ctx.queryParam("expires"), ctx.queryParam("signature"))) {
      throw nothing();
    }
    ctx.contentType("text/plain; charset=utf-8")
        .result(new SequenceInputStream(new TranscriptPages(book, id)));
  }

  private void nothingHere(Context ctx) {
    for (var path : known.entrySet()) {
      if (ctx.path().matches(path.getKey())) {
        ctx.header("Allow", String.join(", ", path.getValue()));
        throw new RequestProblem(
            RequestProblem.Code.METHOD_NOT_ALLOWED,
            "Allowed here: " + String.join(", ", path.getValue()));
      }
    }
    throw nothing();
  }

  private static RequestProblem nothing() {
    return new RequestProblem(RequestProblem.Code.RESOURCE_NOT_FOUND, "Nothing is at this address");
  }

  private static Optional<String> key(Context ctx) {
    var key = Optional.ofNullable(ctx.header("Idempotency-Key")).filter(text -> !text.isBlank());
    if (key.isPresent() && key.get().length() > LONGEST_KEY) {
      throw RequestProblem.invalid("An Idempotency-Key has at most 255 characters");
    }
    return key;
  }

  private static void answer(Context ctx, String json) {
    ctx.contentType("application/json").result(json);
  }
}
