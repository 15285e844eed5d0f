package dev.runnel.core.policy;

/// The decision about an [AccessRequest].
///
/// @param isPermitted whether it may be done
/// @param rule the rule that decided: `policy.rules[1]`, or why there is none
/// @param words if it is refused: what the person may not do and who may, for that person; else
///   empty
public record Verdict(boolean isPermitted, String rule, String words) {
  static Verdict permitted(String rule) {
    return new Verdict(true, rule, "");
  }
}
