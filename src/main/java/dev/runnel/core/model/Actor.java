package dev.runnel.core.model;

/// Who asked.
///
/// @param id the surface's stable id: a Slack user id, a GitHub login
/// @param name what people read
public record Actor(String id, String name) {
  public Actor {
    NameCheck.require("actor id", id);
  }
}
