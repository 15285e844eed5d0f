package dev.runnel.service.http;

import dev.runnel.service.run.Caller;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunRow;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// The routes under `/api/v1`. Every route checks the key, answers errors as problems, and reports
/// its permitted methods. Handlers block; they need virtual threads.
public final class Api {
  static final String BASE = RunRow.API;
  private static final List<HandlerType> METHODS =
      List.of(
          HandlerType.GET,
          HandlerType.HEAD,
          HandlerType.POST,
          HandlerType.PUT,
          HandlerType.PATCH,
          HandlerType.DELETE,
          HandlerType.OPTIONS);

  /// Published routes that this service does not implement.
  private static final Pattern HOSTED =
      Pattern.compile(
          "/networking/.*"
              + "|/factory/[^/]+/(?!runs$).*"
              + "|/agent/(?:messages|events|inbox|metrics|costs|scorers|benchmarks)(?:/.*)?"
              + "|/agent/runs/[^/]+/(?:harness-usage|attachments/prepare)"
              + "|/agent/conversations/[^/]+/(?:transcript|screenshots/.*)");

  /// Handles an authenticated request.
  @FunctionalInterface
  interface Action {
    void take(Context ctx, Caller caller) throws Exception;
  }

  private final RoutesConfig routes;
  private final AuthFilter authFilter;
  private final Map<String, Set<String>> known;
  private final Set<String> registered;
  private final boolean forAgents;

  public Api(RoutesConfig routes, AuthFilter authFilter) {
    this(routes, authFilter, new LinkedHashMap<>(), new TreeSet<>(), true);
  }

  private Api(
      RoutesConfig routes,
      AuthFilter authFilter,
      Map<String, Set<String>> known,
      Set<String> registered,
      boolean forAgents) {
    this.routes = routes;
    this.authFilter = authFilter;
    this.known = known;
    this.registered = registered;
    this.forAgents = forAgents;
  }

  /// The same for routes that reach beyond the runs below one: the key of an agent does not open
  /// them.
  Api notForAgents() {
    return new Api(routes, authFilter, known, registered, false);
  }

  void get(String path, Action action) {
    add(HandlerType.GET, path, action);
    // By default the server would answer HEAD with 200 to everybody.
    add(HandlerType.HEAD, path, action);
  }

  void post(String path, Action action) {
    add(HandlerType.POST, path, action);
  }

  void put(String path, Action action) {
    add(HandlerType.PUT, path, action);
  }

  void delete(String path, Action action) {
    add(HandlerType.DELETE, path, action);
  }

  /// Registers a route for GET and HEAD that needs no key.
  void open(String path, Action action) {
    for (var method : List.of(HandlerType.GET, HandlerType.HEAD)) {
      remember(method, path);
      routes.addHttpHandler(
          method, BASE + path, authFilter.open(ctx -> action.take(ctx, Caller.MAIN)));
    }
  }

  /// Answers all other paths and methods with an error. Call this after all routes are registered.
  public void closeWithNothing() {
    for (var path : List.of(BASE, BASE + "/<rest>")) {
      routes.before(
          path,
          ctx -> {
            if (!METHODS.contains(ctx.method())) {
              authFilter.keyed((_, _) -> nothingHere(ctx)).handle(ctx);
              ctx.skipRemainingHandlers();
            }
          });
    }
    for (var method : METHODS) {
      routes.addHttpHandler(method, BASE, authFilter.keyed((ctx, _) -> nothingHere(ctx)));
      routes.addHttpHandler(
          method, BASE + "/<rest>", authFilter.keyed((ctx, _) -> nothingHere(ctx)));
    }
  }

  static void answer(Context ctx, String json) {
    ctx.contentType("application/json").result(json);
  }

  static RequestProblem nothing() {
    return new RequestProblem(RequestProblem.Code.RESOURCE_NOT_FOUND, "Nothing is at this address");
  }

  private void add(HandlerType method, String path, Action action) {
    remember(method, path);
    routes.addHttpHandler(
        method,
        BASE + path,
        authFilter.keyed(
            (ctx, caller) -> {
              // A path that ends in a slash has lost its id; answering with the list would hide
              // that.
              if (ctx.path().endsWith("/")) {
                throw nothing();
              }
              if (!forAgents && caller.scope() instanceof Caller.Scope.Below) {
                throw new RequestProblem(
                    RequestProblem.Code.NOT_AUTHORIZED,
                    "The key of an agent is only for the runs below its own");
              }
              action.take(ctx, caller);
            }));
  }

  /// The routes so far: `GET /agent/runs`.
  Set<String> registered() {
    return Set.copyOf(registered);
  }

  private void remember(HandlerType method, String path) {
    registered.add(method + " " + path);
    known
        .computeIfAbsent(
            Pattern.quote(BASE) + path.replaceAll("\\{\\w+}", "[^/]+"), _ -> new TreeSet<>())
        .add(method.name());
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
    throw HOSTED.matcher(ctx.path().substring(BASE.length())).matches() ? hosted() : nothing();
  }

  private static RequestProblem hosted() {
    return new RequestProblem(
        RequestProblem.Code.RESOURCE_NOT_FOUND,
        "This part of the interface belongs to the hosted product; this service does not have it");
  }
}
