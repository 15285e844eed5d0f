package dev.runnel.app;

import dev.runnel.surface.slack.install.SlackInstaller;
import dev.runnel.surface.slack.install.SlackPage;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// `GET /slack/install` and `GET /slack/oauth_redirect`, where workspaces may install the app.
final class SlackInstallRoutes {
  private static final String OFF = "Slack cannot be installed from here.\n";

  private final Optional<SlackInstaller> installer;

  SlackInstallRoutes(Optional<SlackInstaller> installer) {
    this.installer = installer;
  }

  void routes(RoutesConfig routes) {
    routes.get(
        SlackInstaller.INSTALL, context -> show(context, installer.map(SlackInstaller::install)));
    routes.get(
        SlackInstaller.REDIRECT,
        context ->
            show(
                context,
                installer.map(
                    it ->
                        it.redirected(
                            query(context),
                            Optional.ofNullable(context.cookie(SlackInstaller.COOKIE))
                                .orElse("")))));
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

  private static void show(Context context, Optional<SlackPage> page) {
    if (page.isEmpty()) {
      context.status(404).result(OFF);
      return;
    }
    context.status(page.get().status());
    page.get().headers().forEach(context::header);
    context.contentType("text/html; charset=utf-8").result(page.get().html());
  }
}
