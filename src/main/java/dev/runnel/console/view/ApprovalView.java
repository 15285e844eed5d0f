package dev.runnel.console.view;

import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Approvals.Approval;
import dev.runnel.core.text.AnswerFormatter;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// A start that waits for an approval, as the page shows it.
///
/// @param expires when it is declined, in ISO 8601
public record ApprovalView(
    String id, String text, String who, String where, String rule, String expires) {
  public static List<ApprovalView> waiting(
      Store store, About about, UnaryOperator<String> redaction) {
    return store.<List<Approval>>commit(work -> work.approvals().waiting(Optional.empty())).stream()
        .map(each -> of(each, about, redaction))
        .toList();
  }

  private static ApprovalView of(Approval approval, About about, UnaryOperator<String> redaction) {
    return new ApprovalView(
        approval.id(),
        AnswerFormatter.excerpt(redaction.apply(approval.request().text())),
        approval.requester().name(),
        about.platform(approval.conversation()) + " " + approval.conversation().key(),
        approval.rule(),
        approval.expiresAt().toString());
  }

  /// The conversation in which the console decides.
  public String conversation() {
    return ConsoleSurface.ID + ":approvals/" + id;
  }
}
