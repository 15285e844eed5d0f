package dev.runnel.console.access;

import dev.runnel.console.access.ConsoleAuthentication.Visitor;
import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.policy.AccessRequest;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// Decides what visitors may see and do in the console beside what they send to runs, which is
/// decided like any delivery. Who runs Runnel may do everything; others what rules permit them in
/// the place `console`, and nothing where no rule does.
///
/// @param policy as it is now
public record ConsoleAccess(Supplier<Policy> policy) {
  private static final String PLACE = ConsoleSurface.ID.value();

  /// Whether the person may sign in, and see the pages.
  boolean maySignIn(SignedInPerson person) {
    return decides(person.names(), Permission.READ);
  }

  public boolean may(Visitor visitor, Permission permission) {
    return visitor.person().map(it -> decides(it.names(), permission)).orElse(true);
  }

  private boolean decides(Set<String> names, Permission permission) {
    var now = policy.get();
    return now.hasRules()
        && now.decide(
                new AccessRequest(
                    names, permission, PLACE, false, Optional.empty(), Optional.empty()))
            .isPermitted();
  }
}
