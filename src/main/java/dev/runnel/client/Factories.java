package dev.runnel.client;

import dev.runnel.client.HttpRequest.Effect;
import dev.runnel.wire.DispatchRun;
import dev.runnel.wire.DispatchedRun;
import dev.runnel.wire.Factory;
import dev.runnel.wire.FactoryPage;
import java.util.Set;

/// Factories, groups of agents that accept work: `/factory`. A dispatched run is an ordinary run.
/// Early access: a service may not support factories.
public final class Factories {
  private final Resource api;

  Factories(Resource api) {
    this.api = api;
  }

  /// `GET /factory`: one page.
  public Call<Page<Factory>> list(ListFactories query) {
    return list(query, Set.of());
  }

  /// All pages from the query's cursor on, loaded lazily.
  public Pages<Factory> pages(ListFactories query) {
    return new Pages<>(api.context(), list(query));
  }

  /// Factories whose name or alias contains the text, case-insensitive.
  public Pages<Factory> search(String text) {
    return pages(ListFactories.ALL.search(text));
  }

  /// `GET /factory/{uid}`.
  public Call<Factory> get(String uid) {
    return api.get("read factory " + uid, Call.json(Factory.class), api.url("factory", uid));
  }

  /// `POST /factory/{uid}/runs`. Retried only if the failed attempt certainly had no effect.
  public Call<DispatchedRun> dispatch(String uid, DispatchRun run) {
    return api.call(
        "dispatch a run to factory " + uid,
        "POST",
        api.url("factory", uid, "runs"),
        run,
        Effect.NON_IDEMPOTENT,
        Call.json(DispatchedRun.class));
  }

  private Call<Page<Factory>> list(ListFactories query, Set<String> earlier) {
    return api.get(
        "list factories",
        Page.reader(
            FactoryPage.class,
            FactoryPage::factories,
            FactoryPage::pageInfo,
            earlier,
            (cursor, cursors) -> list(query.cursor(cursor), cursors)),
        api.url("factory"),
        query.parameters());
  }
}
