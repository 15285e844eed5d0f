package dev.runnel.surface;

import dev.runnel.core.model.conversation.SurfaceId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// The declaration of one platform. All code outside its package that depends on the platform reads
/// it: the routes of deliveries, the settings and their documentation, the names in the console,
/// and the output of the start and of `check`.
///
/// @param id the surface's id, as in URL paths and stored keys: `github`
/// @param name the display name: `GitHub`
/// @param paths the request paths of its deliveries, which may contain Javalin's parameters
/// @param settings in the order of the documentation
/// @param needs the settings that connect it, for the operator: `GITLAB_TOKEN and …`
/// @param source the value of the Agent Run API's `source` for its runs: `GITHUB_WEBHOOK`
/// @param hasReadablePlaces whether the ids of its places mean something to people, like those of
///   repositories and unlike those of channels
/// @param howToStart how people start a run there: `type /agent fix the flaky test in Slack`
/// @param configure checks the values of its settings, by variable; empty if the platform is off
public record PlatformDefinition(
    SurfaceId id,
    String name,
    List<String> paths,
    List<Setting> settings,
    String needs,
    String source,
    boolean hasReadablePlaces,
    String howToStart,
    Function<Map<String, String>, Optional<Connector>> configure) {
  /// Opens a platform whose settings are valid.
  @FunctionalInterface
  public interface Connector {
    /// Makes no calls; [ConnectedPlatform#start] does.
    ConnectedPlatform open(PlatformContext context);
  }

  public PlatformDefinition {
    paths = List.copyOf(paths);
    settings = List.copyOf(settings);
  }

  /// An issue tracker.
  public static PlatformDefinition tracker(
      SurfaceId id,
      String path,
      String name,
      String source,
      String needs,
      List<Setting> settings,
      Function<Map<String, String>, Optional<Connector>> configure) {
    return new PlatformDefinition(
        id,
        name,
        List.of(path),
        settings,
        needs,
        source,
        true,
        "add the trigger label (default: agent) to an issue on " + name,
        configure);
  }

  public PlatformDefinition withPath(String path) {
    return new PlatformDefinition(
        id,
        name,
        Stream.concat(paths.stream(), Stream.of(path)).toList(),
        settings,
        needs,
        source,
        hasReadablePlaces,
        howToStart,
        configure);
  }
}
