package dev.runnel.console.view;

import dev.runnel.core.model.conversation.Conversation;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// The data about this installation on the pages.
///
/// @param agent the name of the agent or of the service: `claude`, `runs.example`
/// @param platforms those that Runnel knows, connected or not
/// @param person the name of the visitor; empty for operators
/// @param isOperator whether the visitor may see the pages of operators
public record About(String agent, List<Platform> platforms, String person, boolean isOperator) {
  private static final Map<String, String> OTHER_SOURCES =
      Map.of(
          "CUSTOM_WEBHOOK", "webhook",
          "API", "API",
          "CLI", "terminal",
          "MCP", "MCP client",
          "WEB_APP", "console",
          "SCHEDULED_AGENT", "schedule",
          "ORCHESTRATION", "another run");

  public About(String agent, List<Platform> platforms) {
    this(agent, platforms, "", false);
  }

  /// Whether the agent is the one that only demonstrates a run, because no other is installed.
  public boolean isDemo() {
    return agent.equals("rehearsal");
  }

  /// The agent, for people.
  public String agentName() {
    return isDemo() ? "demo agent" : agent;
  }

  About with(String visitor, boolean mayOperate) {
    return new About(agent, platforms, visitor, mayOperate);
  }

  /// A platform where people can start runs.
  ///
  /// @param surface the id of its surface
  /// @param name the display name
  /// @param source the Agent Run API's name of the source of its runs: `GITHUB_WEBHOOK`
  /// @param hasReadablePlaces whether the ids of its places mean something to people
  /// @param howToStart how people start a run there, as the rest of a sentence
  /// @param howToConnect what an operator does to connect it, as a sentence without full stop
  public record Platform(
      String surface,
      String name,
      String source,
      boolean hasReadablePlaces,
      boolean isConnected,
      String howToStart,
      String howToConnect) {}

  public About {
    platforms = List.copyOf(platforms);
  }

  public List<Platform> connected() {
    return platforms.stream().filter(Platform::isConnected).toList();
  }

  /// The names of sources for people, by the service's names: `GITHUB_WEBHOOK` is GitHub.
  public SortedMap<String, String> sources() {
    var names = new TreeMap<String, String>();
    platforms.forEach(each -> names.put(each.source(), each.name()));
    // Platforms without a source of their own share one of these.
    names.putAll(OTHER_SOURCES);
    return names;
  }

  /// The name of a source for people.
  ///
  /// @param name the service's name
  public String source(String name) {
    return sources().getOrDefault(name, name.toLowerCase(Locale.ROOT).replace('_', ' '));
  }

  /// Whether the place's id means something to people.
  ///
  /// @param place with its platform: `github:acme/shop`
  public boolean isReadable(String place) {
    return platforms.stream()
        .filter(each -> place.startsWith(each.surface() + ":"))
        .allMatch(Platform::hasReadablePlaces);
  }

  /// The place without its platform; `channel` if its id means nothing to people.
  public String placeName(String place) {
    return isReadable(place) ? place.substring(place.indexOf(':') + 1) : "channel";
  }

  /// The display name of the conversation's platform.
  public String platform(Conversation conversation) {
    var surface = conversation.surface().value();
    return platforms.stream()
        .filter(each -> each.surface().equals(surface))
        .map(Platform::name)
        .findFirst()
        .orElse(surface);
  }
}
