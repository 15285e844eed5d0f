package dev.runnel.console.view;

import dev.runnel.core.model.conversation.Conversation;
import java.util.List;

/// The data about this installation on the pages.
///
/// @param agent the name of the agent or of the service: `claude`, `runs.example`
/// @param platforms those that Runnel knows, connected or not
/// @param person the name of the visitor; empty for operators
/// @param isOperator whether the visitor may see the pages of operators
public record About(String agent, List<Platform> platforms, String person, boolean isOperator) {
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
  /// @param howToStart how people start a run there, as the rest of a sentence
  /// @param howToConnect what an operator does to connect it, as a sentence without full stop
  public record Platform(
      String surface, String name, boolean isConnected, String howToStart, String howToConnect) {}

  public About {
    platforms = List.copyOf(platforms);
  }

  public List<Platform> connected() {
    return platforms.stream().filter(Platform::isConnected).toList();
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
