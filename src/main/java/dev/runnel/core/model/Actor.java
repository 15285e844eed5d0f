package dev.runnel.core.model;

/// The person who sent a delivery.
///
/// @param id the surface's stable id: a Slack user id, a GitHub login
/// @param name the display name
public record Actor(String id, String name) {
  public Actor {
    NameCheck.require("actor id", id);
  }
}
