package dev.runnel.service.run;

import java.util.Optional;

/// An agent's session id as stored: `claude:ID`. The prefix names the agent, since another agent
/// cannot resume the session.
public final class AgentSession {
  private AgentSession() {}

  public static String encode(String agent, String id) {
    return agent + ":" + id;
  }

  /// The agent's own session id; empty if the session belongs to another agent.
  static Optional<String> decode(String stored, String agent) {
    var prefix = encode(agent, "");
    return Optional.of(stored)
        .filter(text -> text.startsWith(prefix))
        .map(text -> text.substring(prefix.length()));
  }
}
