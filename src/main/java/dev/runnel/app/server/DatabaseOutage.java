package dev.runnel.app.server;

import dev.runnel.database.DatabaseException;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What people and programs get while the database is busy, stands still or cannot be reached: a
/// response that asks them to try again, never an internal error.
final class DatabaseOutage {
  private static final Logger log = LoggerFactory.getLogger(DatabaseOutage.class);
  private static final String RETRY_AFTER_SECONDS = "5";

  private DatabaseOutage() {}

  static void routes(RoutesConfig routes) {
    routes.exception(DatabaseException.class, DatabaseOutage::respond);
  }

  private static void respond(DatabaseException gone, Context context) {
    log.warn("database error path={}", context.path(), gone);
    context
        .status(503)
        .header("Retry-After", RETRY_AFTER_SECONDS)
        .contentType("text/plain; charset=utf-8")
        .result(gone.problem() + " Try again soon.\n");
  }
}
