package dev.runnel.console.access;

import dev.runnel.console.access.ConsoleAuthentication.Visitor;
import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.policy.AccessRequest;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
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

  private boolean isPermitted(Set<String> names, Permission permission) {
    var now = policy.get();
    return now.hasRules()
        && now.decide(
                new AccessRequest(
                    names, permission, PLACE, false, Optional.empty(), Optional.empty()))
            .isPermitted();
  }
}
