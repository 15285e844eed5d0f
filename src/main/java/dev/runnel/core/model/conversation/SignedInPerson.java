package dev.runnel.core.model.conversation;

import java.util.Set;

/// A person who signed in at the console with an account elsewhere.
///
/// @param id stable, with the platform: `slack:T012AB/U012345`, `github:octocat`,
///   `oidc:ann@example.com`
/// @param name the display name
/// @param names by which the rules of a policy know the person, groups included
public record SignedInPerson(String id, String name, Set<String> names) {
  public SignedInPerson {
    NameCheck.require("person's id", id);
    names = Set.copyOf(names);
  }

  /// As the sender of deliveries.
  public Actor actor() {
    return new Actor(id, name);
  }
}
