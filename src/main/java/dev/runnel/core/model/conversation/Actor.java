package dev.runnel.core.model.conversation;

import java.util.Optional;

/// The person who sent a delivery.
///
/// @param id the surface's stable id: a Slack user id, a GitHub login
/// @param name the display name
public record Actor(String id, String name) {
  /// A person as the author of a commit.
  ///
  /// @param email by which a code host identifies the person; empty if unknown
  public record Author(String name, Optional<String> email) {}

  public Actor {
    NameCheck.require("actor id", id);
  }

  /// The id, made unique over all surfaces: `slack:U012AB`. Settings, budgets, the audit log and
  /// the erasure of a person's data compare it.
  public String idOn(SurfaceId surface) {
    return surface + ":" + id;
  }
}
