package dev.runnel.console;

import dev.runnel.console.access.ConsoleAuthentication.Visitor;
import dev.runnel.console.access.Form;
import dev.runnel.console.operation.Operation;
import dev.runnel.console.operation.Operation.PolicyAnswer;
import dev.runnel.console.operation.Operation.PolicyQuestion;
import dev.runnel.console.operation.RecentCheck;
import dev.runnel.console.view.Templates;
import dev.runnel.core.model.AuditEntry.Verb;
import dev.runnel.core.policy.Permission;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;

/// `/operation` shows operators the health of the installation; pages below it show the resources
/// of agents, the settings, and the policy.
final class OperationRoutes {
  private static final String AGENTS = "/operation/agents";
  private static final int MAX_NAME = 300;

  private final VisitorGuard guard;
  private final Operation operation;
  private final RecentCheck check;
  private final ConsoleAudit audit;
  private final InstantSource clock;

  OperationRoutes(
      VisitorGuard guard,
      Operation operation,
      RecentCheck check,
      ConsoleAudit audit,
      InstantSource clock) {
    this.guard = guard;
    this.operation = operation;
    this.check = check;
    this.audit = audit;
    this.clock = clock;
  }

  void register(RoutesConfig routes) {
    page(
        routes,
        "/operation",
        (_, pages, _) -> {
          var checked = check.get();
          return pages.operation(operation.load(), checked, clock.instant());
        });
    page(
        routes,
        AGENTS,
        (_, pages, visitor) ->
            pages.resources(operation.resources(), clock.instant(), visitor.pageKey()));
    guard.form(routes, AGENTS, Permission.CONFIGURE, "change schedules and keys", this::change);
    page(routes, "/operation/settings", (_, pages, _) -> pages.settings(operation.settings()));
    page(routes, "/operation/policy", (ctx, pages, _) -> policy(ctx, pages));
  }

  /// The HTML of a page for operators.
  @FunctionalInterface
  private interface OperatorPage {
    String html(Context ctx, Templates pages, Visitor visitor);
  }

  private void page(RoutesConfig routes, String path, OperatorPage page) {
    guard.page(
        routes,
        path,
        (ctx, visitor) -> {
          if (guard.may(visitor, Permission.CONFIGURE)) {
            ctx.html(page.html(ctx, guard.pages(visitor), visitor));
          } else {
            guard.forbidden(ctx, "see the pages for operators");
          }
        });
  }

  private String policy(Context ctx, Templates pages) {
    Function<String, Optional<String>> parameter =
        name ->
            Optional.ofNullable(ctx.queryParam(name))
                .map(String::strip)
                .filter(it -> !it.isEmpty() && it.length() <= MAX_NAME);
    var question =
        new PolicyQuestion(
            parameter.apply("who").orElse(""),
            parameter.apply("verb").orElse(Permission.START.word()),
            parameter.apply("where").orElse(""),
            parameter.apply("own").isPresent(),
            parameter.apply("env"),
            parameter.apply("model"));
    var isAsked = !question.who().isEmpty() && !question.where().isEmpty();
    return pages.policy(
        operation.policy(),
        operation.unreachable(),
        question,
        isAsked ? Optional.of(operation.test(question)) : Optional.<PolicyAnswer>empty());
  }

  /// Pauses or resumes a schedule, or revokes a key.
  private void change(Context ctx, Visitor visitor, Form form) {
    var id = form.id();
    switch (form.action()) {
      case "pause", "resume" -> {
        if (!guard.may(visitor, Permission.SCHEDULE)) {
          guard.forbidden(ctx, Permission.SCHEDULE.words());
          return;
        }
        var isResume = form.action().equals("resume");
        changed(
            ctx,
            visitor,
            Verb.SCHEDULE,
            operation
                .enable(id, isResume)
                .map(name -> "%s \"%s\" (%s)".formatted(isResume ? "resumed" : "paused", name, id)),
            "This schedule no longer exists");
      }
      case "revoke" ->
          changed(
              ctx,
              visitor,
              Verb.KEY,
              operation.revoke(id).map(name -> "revoked \"%s\" (%s)".formatted(name, id)),
              "This key no longer exists");
      default -> ctx.status(400);
    }
  }

  /// @param what the change, in past tense; empty if the schedule or key does not exist
  private void changed(
      Context ctx, Visitor visitor, Verb verb, Optional<String> what, String missing) {
    if (what.isEmpty()) {
      ctx.status(404).html(guard.pages(visitor).errorPage(missing, "Open the page again."));
      return;
    }
    audit.changed(visitor.actor(), verb, what.get());
    ctx.status(303).header("Location", AGENTS);
  }
}
