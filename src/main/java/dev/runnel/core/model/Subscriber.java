package dev.runnel.core.model;

/// A person to notify, in a conversation, of the run's next end or question.
///
/// @param origin the origin of the person's last message
public record Subscriber(Conversation conversation, Actor actor, Origin origin) {}
