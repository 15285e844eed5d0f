package dev.runnel.service.http;

import dev.runnel.memory.Share;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunRow;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/// The routes under `/api/v1`. Every route checks the key, reports errors as problems, and reports
/// the permitted methods of a path. Handlers block; they need virtual threads.
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

  /// Handles an authenticated request.
  @FunctionalInterface
  interface Action {
    void handle(Context ctx, Caller caller) throws Exception;
  }

  private final RoutesConfig routes;
  private final AuthFilter authFilter;
  private final ReaderMemory memory;
  private final Map<String, Set<String>> methodsByPath;
  private final Set<String> registered;
  private final boolean acceptsAgentKeys;

  /// @param readers the memory for what callers read
  public Api(RoutesConfig routes, AuthFilter authFilter, Share readers) {
    this(
        routes,
        authFilter,
        new ReaderMemory(readers),
        new LinkedHashMap<>(),
        new TreeSet<>(),
        true);
  }

  private Api(
      RoutesConfig routes,
      AuthFilter authFilter,
      ReaderMemory memory,
      Map<String, Set<String>> methodsByPath,
      Set<String> registered,
      boolean acceptsAgentKeys) {
    this.routes = routes;
    this.authFilter = authFilter;
    this.memory = memory;
    this.methodsByPath = methodsByPath;
    this.registered = registered;
    this.acceptsAgentKeys = acceptsAgentKeys;
  }

  /// The same API for routes that are not restricted to the descendants of a run; keys of agents
  /// are rejected.
  Api withoutAgentKeys() {
    return new Api(routes, authFilter, memory, methodsByPath, registered, false);
  }

  void get(String path, Action action) {
    addRead(path, memory.answer(action));
  }

  /// Registers a route whose answer is sent in pieces.
  void getInPieces(String path, Action action) {
    addRead(path, memory.pieces(action));
  }

  private void addRead(String path, Action action) {
    add(HandlerType.GET, path, action);
    // By default the server would respond to HEAD with 200 without authentication.
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

  /// Registers a route for GET and HEAD that needs no key. Its answer is sent in pieces.
  void open(String path, Action action) {
    var sent = memory.pieces(action);
    for (var method : List.of(HandlerType.GET, HandlerType.HEAD)) {
      registerPath(method, path);
      routes.addHttpHandler(
          method, BASE + path, authFilter.open(ctx -> sent.handle(ctx, Caller.MAIN)));
    }
  }

  /// Rejects all other paths and methods. Call this after all routes are registered.
  public void registerFallback() {
    for (var path : List.of(BASE, BASE + "/<rest>")) {
      routes.before(
          path,
          ctx -> {
            if (!METHODS.contains(ctx.method())) {
              authFilter.authenticated((_, _) -> rejectUnknown(ctx)).handle(ctx);
              ctx.skipRemainingHandlers();
            }
          });
    }
    for (var method : METHODS) {
      routes.addHttpHandler(method, BASE, authFilter.authenticated((ctx, _) -> rejectUnknown(ctx)));
      routes.addHttpHandler(
          method, BASE + "/<rest>", authFilter.authenticated((ctx, _) -> rejectUnknown(ctx)));
    }
  }

  static void respond(Context ctx, String json) {
    ctx.contentType("application/json").result(json);
  }

  static RequestProblem notFound() {
    return notFound("There is nothing at this address");
  }

  private static void refuse(UnservedPath path) {
    throw notFound(path.why());
  }

  private static RequestProblem notFound(String detail) {
    return new RequestProblem(RequestProblem.Code.RESOURCE_NOT_FOUND, detail);
  }

  private void add(HandlerType method, String path, Action action) {
    registerPath(method, path);
    routes.addHttpHandler(
        method,
        BASE + path,
        authFilter.authenticated(
            (ctx, caller) -> {
              // A path that ends with a slash lacks the id. A list as the response would hide that
              // mistake.
              if (ctx.path().endsWith("/")) {
                throw notFound();
              }
              UnservedPath.of(ctx.path().substring(BASE.length())).ifPresent(Api::refuse);
              if (!acceptsAgentKeys && caller.scope() instanceof Caller.Scope.Below) {
                throw new RequestProblem(
                    RequestProblem.Code.NOT_AUTHORIZED,
                    "The key of an agent is only for the runs below its own");
              }
              action.handle(ctx, caller);
            }));
  }

  /// The routes so far: `GET /agent/runs`.
  Set<String> registered() {
    return Set.copyOf(registered);
  }

  private void registerPath(HandlerType method, String path) {
    registered.add(method + " " + path);
    methodsByPath.computeIfAbsent(BASE + path, _ -> new TreeSet<>()).add(method.name());
  }

  private void rejectUnknown(Context ctx) {
    for (var path : methodsByPath.entrySet()) {
      if (isOf(ctx.path(), path.getKey())) {
        ctx.header("Allow", String.join(", ", path.getValue()));
        throw new RequestProblem(
            RequestProblem.Code.METHOD_NOT_ALLOWED,
            "Allowed here: " + String.join(", ", path.getValue()));
      }
    }
    var path = ctx.path().substring(BASE.length());
    UnservedPath.of(path).ifPresent(Api::refuse);
    throw notFound();
  }

  /// @param template with names in braces: `/runs/{run_id}`
  private static boolean isOf(String path, String template) {
    var given = path.split("/", -1);
    var parts = template.split("/", -1);
    return given.length == parts.length
        && IntStream.range(0, parts.length)
            .allMatch(
                at ->
                    parts[at].startsWith("{") ? !given[at].isEmpty() : parts[at].equals(given[at]));
  }

  /// @return the query parameter `true` or `false`; false if it is absent
  static boolean flag(Context ctx, String name) {
    return switch (Optional.ofNullable(ctx.queryParam(name)).orElse("false")) {
      case "true" -> true;
      case "false" -> false;
      default -> throw RequestProblem.invalid(name + " must be true or false");
    };
  }
}
