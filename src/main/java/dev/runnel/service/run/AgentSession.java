package dev.runnel.service.run;

import java.util.Optional;

/// An agent's own name for a session, as it is kept: `claude:ID`. Another agent could not take the
/// session up.
public final class AgentSession {
  private AgentSession() {}

  public static String kept(String agent, String id) {
    return agent + ":" + id;
  }

  /// The agent's name for it; empty when it is another agent's.
  static Optional<String> of(String kept, String agent) {
    var prefix = kept(agent, "");
    return Optional.of(kept)
        .filter(text -> text.startsWith(prefix))
        .map(text -> text.substring(prefix.length()));
  }
}
