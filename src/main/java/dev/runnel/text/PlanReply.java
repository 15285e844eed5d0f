package dev.runnel.text;

import java.util.Locale;
import java.util.Set;

/// The meaning of a reply to a finished plan. Pure.
///
/// Only a plain yes approves the plan: a longer reply may ask for changes, and another plan costs
/// less than work that nobody agreed to.
public enum PlanReply {
  APPROVED,
  DECLINED,
  /// The plan is to be changed.
  CHANGE;

  /// The question that follows a plan, with the answers as a list.
  public static final String QUESTION =
      "Shall this plan be carried out? Reply with what to change, and I plan again.\n"
          + "- Approve\n- Decline";

  private static final Set<String> YES =
      Set.of(
          """
          approve, approved, i approve, approve it, yes, y, yep, yes please, ok, okay, go,
          go ahead, go on, continue, proceed, go for it, do it, carry it out, ship it, lgtm,
          looks good, looks good to me, 1, 👍
          """
              .strip()
              .split(",\\s+"));

  private static final Set<String> NO =
      Set.of(
          """
          decline, declined, decline it, reject, rejected, no, nope, no thanks, no thank you,
          never mind, nevermind, forget it, drop it, 2, 👎
          """
              .strip()
              .split(",\\s+"));

  public static PlanReply of(String message) {
    var words =
        message
            .strip()
            .toLowerCase(Locale.ROOT)
            .replaceAll("[.!,\u2026]+", " ")
            .replaceAll("\\s+", " ")
            .strip();
    return YES.contains(words) ? APPROVED : NO.contains(words) ? DECLINED : CHANGE;
  }
}
