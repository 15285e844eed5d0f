package dev.runnel.core.decide;

import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunOptions;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The environments whose work everybody can read, such as those with public repositories. Pure.
///
/// @param environments their ids; empty if no work is public
/// @param defaultEnvironment the environment of runs that select none, if known
public record PublicWork(Set<String> environments, Optional<String> defaultEnvironment) {
  public static final PublicWork NONE = new PublicWork(Set.of(), Optional.empty());

  public PublicWork {
    environments =
        environments.stream().map(PublicWork::plain).collect(Collectors.toUnmodifiableSet());
  }

  /// Whether a run with these options works, or may work, in one of the environments. A factory
  /// chooses the environment of its runs. Ignores the case of names, because the run service may do
  /// so.
  public boolean includes(RunOptions options) {
    var named = options.environment().filter(name -> !name.isBlank()).or(() -> defaultEnvironment);
    return !environments.isEmpty()
        && (options.factory().isPresent()
            || named.map(name -> environments.contains(plain(name))).orElse(true));
  }

  /// Whether a run works, or may work, in one of the environments, possibly by default.
  ///
  /// @param requested the options of its request
  public boolean includes(Run run, RunOptions requested) {
    var known = run.environment().or(requested::environment);
    return !environments.isEmpty()
        && known.map(name -> environments.contains(plain(name))).orElse(true);
  }

  private static String plain(String name) {
    return name.strip().toLowerCase(Locale.ROOT);
  }
}
