package dev.runnel.app.server;

import dev.runnel.app.data.CommandLinePerson;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.port.Sessions;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.function.Function;

/// `POST /reload`, for `./runnel reload`. The first line of its body is a single-use link in the
/// database, which only those who can write there can make; the second is the name of their account
/// on the machine.
///
/// @param reload throws [SettingsException] for settings that are not valid
public record ReloadRoute(
    Sessions sessions,
    InstantSource clock,
    Function<AuditEntry.Person, SettingsReload.Result> reload) {
  public static final String PATH = "/reload";
  private static final int MAX_BYTES = 200;

  void routes(RoutesConfig routes) {
    routes.post(PATH, this::handle);
  }

  private void handle(Context context) throws IOException {
    var lines =
        new String(context.bodyInputStream().readNBytes(MAX_BYTES), StandardCharsets.UTF_8)
            .lines()
            .toList();
    var link = lines.isEmpty() ? "" : lines.getFirst().strip();
    if (link.isEmpty() || !sessions.redeem(link, clock.instant())) {
      context.status(401);
      return;
    }
    try {
      var who = CommandLinePerson.of(lines.size() > 1 ? lines.get(1) : "");
      context.result(reload.apply(who).text());
    } catch (SettingsException e) {
      context.status(422).result(e.getMessage() + "\n");
    }
  }
}
