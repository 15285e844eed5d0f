package dev.runnel.core.decide;

import dev.runnel.core.model.RunOptions;
import java.util.Optional;
import java.util.Set;

/// The environments whose work everybody can read, such as those with public repositories. Pure.
///
/// @param environments their ids; empty if no work is public
/// @param usual the environment of runs that select none, if it is known
public record PublicWork(Set<String> environments, Optional<String> usual) {
  public static final PublicWork NONE = new PublicWork(Set.of(), Optional.empty());

  public PublicWork {
    environments = Set.copyOf(environments);
  }

  /// Whether a run with these options works, or may work, in one of the environments. A factory
  /// chooses the environment of its runs.
  public boolean includes(RunOptions options) {
    var environment =
        options.environment().or(() -> options.factory().isPresent() ? Optional.empty() : usual);
    return !environments.isEmpty() && environment.map(environments::contains).orElse(true);
  }
}
