package dev.runnel.service.run;

import java.util.List;
import java.util.Optional;

/// A group of agents that takes work, as the operator set it up. Its foreman gets the work, and
/// hands parts of it to the others by starting runs below its own.
///
/// @param uid short and lasting, part of addresses
/// @param alias another name to find it by
/// @param environment where its agents work, unless they say otherwise
/// @param model what its agents use, unless they say otherwise
public record Factory(
    String uid,
    String name,
    Optional<String> alias,
    Optional<String> description,
    Optional<String> environment,
    Optional<String> model,
    Member foreman,
    List<Member> agents) {
  /// One of its agents.
  ///
  /// @param prompt what it is told before its task
  /// @param harness `claude`, `codex`, …; the usual agent when empty
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

  /// The agent identity of a member: what a run names to be done by it.
  public String identity(Member member) {
    return uid + ":" + member.name();
  }
}
