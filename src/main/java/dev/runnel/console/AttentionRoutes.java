package dev.runnel.console;

import dev.runnel.console.access.ConsoleAuthentication.Visitor;
import dev.runnel.console.access.Form;
import dev.runnel.console.view.About;
import dev.runnel.console.view.ApprovalView;
import dev.runnel.console.view.ParkedItemView;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.port.Store;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.util.List;
import java.util.function.UnaryOperator;

/// `/attention` lists approvals and parked items, and retries or discards the latter.
final class AttentionRoutes {
  private final VisitorGuard guard;
  private final Store store;
  private final About about;
  private final UnaryOperator<String> redaction;
  private final ParkedItems parkedItems;

  /// @param redaction removes secrets from messages
  AttentionRoutes(
      VisitorGuard guard,
      Store store,
      About about,
      UnaryOperator<String> redaction,
      ParkedItems parkedItems) {
    this.guard = guard;
    this.store = store;
    this.about = about;
    this.redaction = redaction;
    this.parkedItems = parkedItems;
  }

  void register(RoutesConfig routes) {
    guard.page(routes, "/attention", this::showAttention);
    guard.form(
        routes, "/attention", Permission.CONFIGURE, "retry or discard parked items", this::perform);
  }

  /// The number of items that the visitor sees there.
  int count(Visitor visitor) {
    return parkedItems(visitor).size() + approvals().size();
  }

  private List<ApprovalView> approvals() {
    return ApprovalView.waiting(store, about, redaction);
  }

  /// They may be from private places, so only those who may retry them see them.
  private List<ParkedItemView> parkedItems(Visitor visitor) {
    return guard.may(visitor, Permission.CONFIGURE) ? parkedItems.all() : List.of();
  }

  private void showAttention(Context ctx, Visitor visitor) {
    ctx.html(guard.pages(visitor).attention(approvals(), parkedItems(visitor), visitor.pageKey()));
  }

  private void perform(Context ctx, Visitor visitor, Form form) {
    if (form.items().isEmpty() && form.id().isEmpty()) {
      ctx.status(400)
          .html(
              guard
                  .pages()
                  .errorPage("Nothing is selected", "Select at least one item, then try again."));
      return;
    }
    try {
      parkedItems.act(form, visitor.actor());
      ctx.status(303).header("Location", "/attention");
    } catch (IllegalArgumentException unreadable) {
      ctx.status(400);
    }
  }
}
