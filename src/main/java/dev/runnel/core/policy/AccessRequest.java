package dev.runnel.core.policy;

import java.util.Optional;
import java.util.Set;

/// An action that a person requests.
///
/// @param person the names that rules may use for the person: `slack:U012345`,
///   `slack:T012AB/U012345`, and groups of the platform that contain them, such as `slack:members`
/// @param place the conversation or a place that contains it: `slack:T012AB/C012345`
/// @param own whether it concerns a run that the person requested
/// @param environment the environment of the run; empty if it has none
/// @param model the model of the run; empty for the default
/// @param hidden whether a factory chooses environment and model, so that they are unknown here
public record AccessRequest(
    Set<String> person,
    Permission permission,
    String place,
    boolean own,
    Optional<String> environment,
    Optional<String> model,
    boolean hidden) {
  public AccessRequest {
    person = Set.copyOf(person);
  }

  public AccessRequest(
      Set<String> person,
      Permission permission,
      String place,
      boolean own,
      Optional<String> environment,
      Optional<String> model) {
    this(person, permission, place, own, environment, model, false);
  }

  AccessRequest with(Permission other) {
    return new AccessRequest(person, other, place, own, environment, model, hidden);
  }
}
