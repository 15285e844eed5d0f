package dev.runnel.core.model;

/// Somebody who waits for a run's next end or question, and where.
///
/// @param origin of what they said last
public record Subscriber(Conversation conversation, Actor actor, Origin origin) {}
