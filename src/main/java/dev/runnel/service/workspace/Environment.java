package dev.runnel.service.workspace;

import dev.runnel.service.egress.EgressSetting;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The configured environment of a run.
///
/// @param uid its id in requests
/// @param name for people
/// @param repositories the repositories to clone, each into its own folder, side by side
/// @param setupCommands shell commands, run in order before the agent starts
/// @param image the container image, for isolation in containers
/// @param variables names of the operator's variables that setup commands and agents receive
/// @param egress the network of isolated agents and setup commands; empty for the general setting
/// @param pod options of its pods in Kubernetes
/// @param permissionRules the tools for which its agents ask a person; empty for the general
///   setting
/// @param lfs whether the files of Git LFS are fetched; otherwise they are pointers
@RecordBuilder
public record Environment(
    String uid,
    String name,
    Optional<String> description,
    List<Repository> repositories,
    List<String> setupCommands,
    Optional<String> image,
    List<String> variables,
    Optional<EgressSetting> egress,
    PodOptions pod,
    Optional<PermissionRules> permissionRules,
    boolean lfs)
    implements EnvironmentBuilder.With {
  private static final Pattern UID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/:@-]*");

  /// An environment without repositories and setup commands.
  public static final Environment NONE =
      new Environment(
          "none",
          "none",
          Optional.empty(),
          List.of(),
          List.of(),
          Optional.empty(),
          List.of(),
          Optional.empty(),
          PodOptions.NONE,
          Optional.empty(),
          false);

  /// An environment with that id as its name, and nothing else.
  public static Environment named(String uid) {
    return NONE.withUid(uid).withName(uid);
  }

  /// @throws IllegalArgumentException if a value is invalid; the message says what to write instead
  public Environment {
    repositories = List.copyOf(repositories);
    setupCommands = List.copyOf(setupCommands);
    variables = List.copyOf(variables);
    if (!UID.matcher(uid).matches()) {
      throw new IllegalArgumentException("its name may contain letters, digits, . _ and - only");
    }
    for (var variable : variables) {
      if (!VARIABLE.matcher(variable).matches() || variable.startsWith("RUNNEL_")) {
        throw new IllegalArgumentException(
            "variables must be names of variables, not values, and must not begin with RUNNEL_");
      }
    }
    if (image.isPresent() && !IMAGE.matcher(image.get()).matches()) {
      throw new IllegalArgumentException("docker_image must name an image, like node:22");
    }
    if (lfs && !repositories.stream().allMatch(each -> each.url().startsWith("http"))) {
      throw new IllegalArgumentException("lfs needs repositories with https addresses");
    }
    var folders = new HashSet<String>();
    for (var repository : repositories) {
      if (!folders.add(repository.folder())) {
        throw new IllegalArgumentException(
            "two repositories would share the folder %s: give one of them another with folder"
                .formatted(repository.folder()));
      }
    }
  }
}
