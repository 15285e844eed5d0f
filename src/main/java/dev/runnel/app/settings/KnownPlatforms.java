package dev.runnel.app.settings;

import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.surface.PlatformDefinition;
import dev.runnel.surface.Setting;
import dev.runnel.surface.azure.AzurePlatform;
import dev.runnel.surface.gitea.GiteaPlatform;
import dev.runnel.surface.github.GitHubPlatform;
import dev.runnel.surface.gitlab.GitLabPlatform;
import dev.runnel.surface.hook.HookSurface;
import dev.runnel.surface.jira.JiraPlatform;
import dev.runnel.surface.linear.LinearPlatform;
import dev.runnel.surface.slack.SlackPlatform;
import dev.runnel.wire.RunSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// The platforms that Runnel can be connected to.
public final class KnownPlatforms {
  /// In the order in which people see them.
  public static final List<PlatformDefinition> ALL =
      List.of(
          SlackPlatform.DEFINITION,
          GitHubPlatform.DEFINITION,
          GitLabPlatform.DEFINITION,
          JiraPlatform.DEFINITION,
          LinearPlatform.DEFINITION,
          GiteaPlatform.DEFINITION,
          AzurePlatform.DEFINITION);

  private KnownPlatforms() {}

  /// The paths of deliveries, also of platforms that are off, and their surfaces.
  public static Map<String, SurfaceId> paths() {
    var paths = new HashMap<String, SurfaceId>();
    ALL.forEach(each -> each.paths().forEach(path -> paths.put(path, each.id())));
    paths.put(HookSurface.PATH + "{hook}", HookSurface.ID);
    paths.put(ConsoleSurface.PATH, ConsoleSurface.ID);
    return paths;
  }

  /// The Agent Run API's `source` of runs, by the surface that starts them.
  public static Map<String, RunSource> sources() {
    var sources = new HashMap<String, RunSource>();
    ALL.forEach(each -> sources.put(each.id().value(), new RunSource(each.source())));
    sources.put(HookSurface.ID.value(), RunSource.CUSTOM_WEBHOOK);
    sources.put(ConsoleSurface.ID.value(), RunSource.WEB_APP);
    return sources;
  }

  /// The names of all surfaces, with which people and places of a policy begin.
  public static List<String> surfaces() {
    return Stream.concat(
            ALL.stream().map(PlatformDefinition::id), Stream.of(HookSurface.ID, ConsoleSurface.ID))
        .map(SurfaceId::value)
        .toList();
  }

  /// All settings, those of Runnel first.
  public static List<Setting> settings() {
    return Stream.concat(
            RunnelSettings.ALL.stream(), ALL.stream().flatMap(each -> each.settings().stream()))
        .toList();
  }
}
