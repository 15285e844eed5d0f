package dev.runnel.service.run;

import java.util.List;
import java.util.Optional;

/// A configured group of agents that accepts work. Its foreman receives the work and delegates
/// parts of it to the other agents by starting runs below its own.
///
/// @param uid short stable id, used in URLs
/// @param alias an alternative name for search
/// @param environment default environment of its agents
/// @param model default model of its agents
public record Factory(
    String uid,
    String name,
    Optional<String> alias,
    Optional<String> description,
    Optional<String> environment,
    Optional<String> model,
    Member foreman,
    List<Member> agents) {
  /// An agent of a factory.
  ///
  /// @param prompt instructions that precede each task
  /// @param harness `claude`, `codex`, …; default: the service's default agent
  public record Member(
      String name,
      Optional<String> prompt,
      Optional<String> environment,
      Optional<String> model,
      Optional<String> harness) {}

  public Factory {
    agents = List.copyOf(agents);
    if (!uid.matches("[A-Za-z0-9._-]{1,64}")) {
      throw new IllegalArgumentException(
          "a factory's name is made of up to 64 letters, digits, dots, dashes and underscores");
    }
  }

  /// The agent identity of a member, which a run names to be executed by it.
  public String identity(Member member) {
    return uid + ":" + member.name();
  }
}
