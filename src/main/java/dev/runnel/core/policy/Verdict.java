package dev.runnel.core.policy;

/// The decision about an [AccessRequest].
///
/// @param rule the rule that decided: `policy.rules[1]`, or why there is none
/// @param words the refusal for the person: what they may not do, and who may; empty if permitted
public record Verdict(boolean isPermitted, String rule, String words) {
  /// Whether a rule refuses the request, and not only the lack of one that permits it.
  public boolean isForbidden() {
    return !isPermitted && !rule.equals(Policy.NO_RULE);
  }

  static Verdict permitted(String rule) {
    return new Verdict(true, rule, "");
  }
}
