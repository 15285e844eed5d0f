package dev.runnel.console.access;

import dev.runnel.console.access.ConsoleAuthentication.Visitor;
import dev.runnel.core.model.ApiRuns;
import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.policy.AccessRequest;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// Decides what visitors may see and do in the console. Messages to runs are decided like any
/// delivery. Operators may do everything; others what rules permit them in the place `console`, and
/// nothing without a rule.
///
/// @param policy as it is now
public record ConsoleAccess(Supplier<Policy> policy) {
  private static final String PLACE = ConsoleSurface.ID.value();

  /// Whether the person may sign in, and see the pages.
  boolean maySignIn(SignedInPerson person) {
    return isPermitted(person.names(), Permission.READ);
  }

  public boolean may(Visitor visitor, Permission permission) {
    return visitor.person().map(it -> isPermitted(it.names(), permission)).orElse(true);
  }

  /// What the visitor may do with a run that was started through the API. Other people than
  /// operators may do nothing with a run that another run started, because that one may belong to a
  /// thread.
  public Set<Permission> permissions(Visitor visitor, Run run) {
    if (visitor.person().isEmpty()) {
      return EnumSet.allOf(Permission.class);
    }
    var now = policy.get();
    return now.hasRules() && run.parent().isEmpty()
        ? now.permissions(visitor.person().get().names(), ApiRuns.conversation(run.id()).id())
        : Set.of();
  }

  private boolean isPermitted(Set<String> names, Permission permission) {
    var now = policy.get();
    return now.hasRules()
        && now.decide(
                new AccessRequest(
                    names, permission, PLACE, false, Optional.empty(), Optional.empty()))
            .isPermitted();
  }
}
