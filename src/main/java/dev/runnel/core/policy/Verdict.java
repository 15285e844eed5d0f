package dev.runnel.core.policy;

/// The decision about an [AccessRequest].
///
/// @param rule the rule that decided: `policy.rules[1]`, or why there is none
/// @param words the refusal for the person: what they may not do, and who may; empty if permitted
public record Verdict(boolean isPermitted, String rule, String words) {
  static Verdict permitted(String rule) {
    return new Verdict(true, rule, "");
  }
}
