package dev.runnel.client;

import dev.runnel.client.HttpRequest.Effect;
import dev.runnel.wire.DispatchRun;
import dev.runnel.wire.DispatchedRun;
import dev.runnel.wire.Factory;
import dev.runnel.wire.FactoryPage;
import java.util.Set;

/// Factories, groups of agents that take work: `/factory`. A dispatched run is a run like any
/// other. Early access: the service may not have them.
public final class Factories {
  private final Resource api;

  Factories(Resource api) {
    this.api = api;
  }

  /// `GET /factory`: one page.
  public Call<Page<Factory>> list(ListFactories query) {
    return list(query, Set.of());
  }

  /// All pages from the query's cursor on, read as they are asked for.
  public Pages<Factory> pages(ListFactories query) {
    return new Pages<>(api.core(), list(query));
  }

  /// Those whose name or alias contains the text, whatever the case.
  public Pages<Factory> search(String text) {
    return pages(ListFactories.ALL.search(text));
  }

  /// `GET /factory/{uid}`.
  public Call<Factory> get(String uid) {
    return api.get("read factory " + uid, Call.json(Factory.class), api.url("factory", uid));
  }

  /// `POST /factory/{uid}/runs`. Repeated only when it certainly had no effect.
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
