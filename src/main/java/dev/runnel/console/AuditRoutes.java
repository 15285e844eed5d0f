package dev.runnel.console;

import dev.runnel.console.access.ConsoleAuthentication.Visitor;
import dev.runnel.console.view.AuditPage;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.port.AuditReader;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// `/audit` lists who did what.
final class AuditRoutes {
  private static final int LINES_AT_ONCE = 500;

  private final VisitorGuard guard;
  private final AuditReader auditLog;
  private final ConsoleAudit audit;

  AuditRoutes(VisitorGuard guard, AuditReader auditLog, ConsoleAudit audit) {
    this.guard = guard;
    this.auditLog = auditLog;
    this.audit = audit;
  }

  void register(RoutesConfig routes) {
    guard.page(routes, AuditPage.PATH, this::showAudit);
    guard.download(routes, AuditPage.DOWNLOAD, this::sendAudit);
  }

  private void showAudit(Context ctx, Visitor visitor) {
    if (!guard.may(visitor, Permission.CONFIGURE)) {
      guard.forbidden(ctx, "see the audit log");
      return;
    }
    auditQuery(ctx)
        .ifPresent(query -> ctx.html(guard.pages(visitor).audit(AuditPage.of(auditLog, query))));
  }

  /// Sends all entries that match the filter, in chunks, newest first.
  private void sendAudit(Context ctx, Visitor visitor) throws IOException {
    if (!guard.may(visitor, Permission.CONFIGURE)) {
      guard.forbidden(ctx, "see the audit log");
      return;
    }
    var query = auditQuery(ctx);
    if (query.isEmpty()) {
      return;
    }
    audit.readLog(visitor.actor());
    ctx.contentType("application/jsonl; charset=utf-8")
        .header("Content-Disposition", "attachment; filename=\"audit.jsonl\"");
    OutputStream output = ctx.outputStream();
    var lines = auditLog.newest(query.get().filter(), query.get().before(), LINES_AT_ONCE);
    while (!lines.isEmpty()) {
      for (var line : lines) {
        output.write((line.json() + "\n").getBytes(StandardCharsets.UTF_8));
      }
      lines = auditLog.newest(query.get().filter(), lines.getLast().seq(), LINES_AT_ONCE);
    }
  }

  /// Empty if the URL is invalid, in which case the response is set.
  private Optional<AuditPage.Query> auditQuery(Context ctx) {
    try {
      return Optional.of(AuditPage.Query.of(name -> Optional.ofNullable(ctx.queryParam(name))));
    } catch (IllegalArgumentException e) {
      ctx.status(400)
          .html(guard.pages().errorPage("The filter is not valid", String.valueOf(e.getMessage())));
      return Optional.empty();
    }
  }
}
