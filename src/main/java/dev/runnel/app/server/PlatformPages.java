package dev.runnel.app.server;

import dev.runnel.surface.PlatformPage;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Serves the pages that platforms show in browsers.
final class PlatformPages {
  private PlatformPages() {}

  static void routes(RoutesConfig routes, Map<String, PlatformPage> pages) {
    pages.forEach((path, page) -> routes.get(path, context -> show(context, page)));
  }

  private static void show(Context context, PlatformPage page) {
    var shown =
        page.show(query(context), name -> Optional.ofNullable(context.cookie(name)).orElse(""));
    context.status(shown.status());
    shown.headers().forEach(context::header);
    context.contentType("text/html; charset=utf-8").result(shown.html());
  }

  private static Map<String, String> query(Context context) {
    var query = new HashMap<String, String>();
    context
        .queryParamMap()
        .forEach(
            (name, values) -> {
              if (!values.isEmpty()) {
                query.put(name, values.getFirst());
              }
            });
    return query;
  }
}
