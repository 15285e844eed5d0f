package dev.runnel.core.model;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Origin;

/// A person to notify, in a conversation, of the run's next end or question.
///
/// @param origin the origin of the person's last message
public record Subscriber(Conversation conversation, Actor actor, Origin origin) {}
