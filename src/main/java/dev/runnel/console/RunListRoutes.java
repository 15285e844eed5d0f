package dev.runnel.console;

import dev.runnel.console.access.ConsoleAuthentication.Visitor;
import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.console.view.RunListQuery;
import dev.runnel.console.view.RunLists;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.port.Store;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.time.InstantSource;

/// `/` starts runs and lists the newest runs of conversations, `/runs` searches all runs; `/live`
/// and `/live/runs` keep them up to date.
final class RunListRoutes {
  private final VisitorGuard guard;
  private final Store store;
  private final ConsoleSurface surface;
  private final RunLists runLists;
  private final AttentionRoutes attention;
  private final Streams streams;
  private final InstantSource clock;

  RunListRoutes(
      VisitorGuard guard,
      Store store,
      ConsoleSurface surface,
      RunLists runLists,
      AttentionRoutes attention,
      Streams streams,
      InstantSource clock) {
    this.guard = guard;
    this.store = store;
    this.surface = surface;
    this.runLists = runLists;
    this.attention = attention;
    this.streams = streams;
    this.clock = clock;
  }

  void register(RoutesConfig routes) {
    guard.page(routes, "/", this::showRuns);
    guard.stream(routes, "/live", this::followRuns);
    guard.page(routes, "/runs", this::showAllRuns);
    guard.stream(routes, "/live/runs", this::followAllRuns);
  }

  private void showRuns(Context ctx, Visitor visitor) {
    ctx.html(
        guard
            .pages(visitor)
            .runs(
                HomePageEvents.views(HomePageEvents.newest(store), clock),
                attention.count(visitor),
                visitor.pageKey()));
  }

  private void followRuns(Context ctx, Visitor visitor) throws IOException {
    var awaiting = ctx.queryParam("awaiting");
    Conversation awaited;
    try {
      awaited = awaiting == null ? null : Conversation.parse(awaiting);
    } catch (IllegalArgumentException malformed) {
      ctx.status(400);
      return;
    }
    guard.follow(
        ctx, visitor, streams, new HomePageEvents(store, surface, guard.pages(), clock, awaited));
  }

  private void showAllRuns(Context ctx, Visitor visitor) {
    var query = RunListQuery.of(ctx::queryParam);
    var list = runLists.read(query);
    if (list.problem().isPresent()) {
      ctx.status(503);
    }
    ctx.html(guard.pages(visitor).allRuns(query, list, clock.instant()));
  }

  private void followAllRuns(Context ctx, Visitor visitor) throws IOException {
    guard.follow(
        ctx,
        visitor,
        streams,
        new RunListEvents(runLists, RunListQuery.of(ctx::queryParam), guard.pages(), clock));
  }
}
