package dev.runnel.core.policy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/// A rule that starts need an approval. All conditions must match.
///
/// @param name its name for people: `policy.approve[0]`
/// @param where places; empty for all
/// @param environments those that need an approval; empty for all, and for runs without one
/// @param models the same for models
/// @param firstOfPerson whether only a person's first run needs it
/// @param by the groups or people who may approve
/// @param notRequester whether the requester may not approve, even as a member of `by`
/// @param within after this time without a decision the start is declined
public record ApprovalRule(
    String name,
    List<String> where,
    Set<String> environments,
    Set<String> models,
    boolean firstOfPerson,
    List<String> by,
    boolean notRequester,
    Duration within) {
  public static final Duration DEFAULT_WITHIN = Duration.ofHours(24);

  public ApprovalRule {
    where = List.copyOf(where);
    environments = Set.copyOf(environments);
    models = Set.copyOf(models);
    by = List.copyOf(by);
  }

  ApprovalRule withEnvironmentIds(UnaryOperator<String> id) {
    return new ApprovalRule(
        name,
        where,
        environments.stream().map(id).collect(Collectors.toSet()),
        models,
        firstOfPerson,
        by,
        notRequester,
        within);
  }

  boolean appliesTo(AccessRequest start, boolean isFirst) {
    return (where.isEmpty() || where.stream().anyMatch(each -> Rule.contains(each, start.place())))
        && contains(environments, start.environment(), start)
        && contains(models, start.model(), start)
        && (!firstOfPerson || isFirst);
  }

  /// An unknown value may be one that needs an approval.
  private static boolean contains(
      Set<String> limits, Optional<String> chosen, AccessRequest start) {
    return limits.isEmpty()
        || start.hidden()
        || chosen.filter(it -> limits.stream().anyMatch(it::equalsIgnoreCase)).isPresent();
  }
}
