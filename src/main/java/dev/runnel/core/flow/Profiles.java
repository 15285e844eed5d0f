package dev.runnel.core.flow;

import dev.runnel.core.model.Request;
import dev.runnel.core.model.RunOptions;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// Named sets of run options from the configuration, picked by `--profile NAME` or the label
/// `agent:NAME`.
public record Profiles(Map<String, RunOptions> byName) {
  public static final Profiles NONE = new Profiles(Map.of());

  public Profiles {
    byName = Map.copyOf(byName);
  }

  /// The request with its profile's options filled in; what the person said wins.
  ///
  /// @return empty when there is no such profile
  Optional<Request> resolve(Request request) {
    var said = request.options();
    if (said.profile().isEmpty()) {
      return Optional.of(request);
    }
    return Optional.ofNullable(byName.get(said.profile().get()))
        .map(
            profile ->
                new Request(
                    request.text(),
                    new RunOptions(
                        said.profile(),
                        said.environment().or(profile::environment),
                        said.model().or(profile::model),
                        said.skill().or(profile::skill),
                        said.name().or(profile::name).or(said::profile),
                        said.title().or(profile::title),
                        said.factory().or(profile::factory))));
  }

  String unknown(Request request) {
    return "There is no profile `%s`. %s"
        .formatted(
            request.options().profile().orElse(""),
            byName.isEmpty()
                ? "None are configured yet."
                : "There are: " + String.join(", ", new TreeSet<>(byName.keySet())) + ".");
  }
}
