package dev.runnel.service.run;

import java.util.Optional;
import java.util.regex.Pattern;

/// An agent's session id as stored: `claude:ID`. The prefix names the agent, since another agent
/// cannot resume the session.
public final class AgentSession {
  /// It becomes an argument of the agent's command, so it must not look like an option, a path or
  /// anything else.
  private static final Pattern VALID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}");

  private AgentSession() {}

  /// Whether a text that an agent reports can be the id of a session. What its tools print may look
  /// like such a report.
  public static boolean isValid(String id) {
    return VALID.matcher(id).matches();
  }

  public static String encode(String agent, String id) {
    return agent + ":" + id;
  }

  /// The agent's own session id; empty if the session belongs to another agent or is not valid.
  static Optional<String> decode(String stored, String agent) {
    var prefix = encode(agent, "");
    return Optional.of(stored)
        .filter(text -> text.startsWith(prefix))
        .map(text -> text.substring(prefix.length()))
        .filter(AgentSession::isValid);
  }
}
