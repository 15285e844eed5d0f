package dev.runnel.core.policy;

/// The decision about an [AccessRequest].
public sealed interface Verdict {
  /// The rule that decided: `policy.rules[1]`, or why there is none.
  String rule();

  /// The refusal for the person: what they may not do, and who may; empty if permitted.
  String words();

  default boolean isPermitted() {
    return this instanceof Permitted;
  }

  /// A rule permits the request.
  record Permitted(String rule) implements Verdict {
    @Override
    public String words() {
      return "";
    }
  }

  /// A rule refuses the request.
  record Forbidden(String rule, String words) implements Verdict {}

  /// No rule applies to the request, so it is refused.
  record Unmatched(String words) implements Verdict {
    @Override
    public String rule() {
      return "no rule permits it";
    }
  }
}
