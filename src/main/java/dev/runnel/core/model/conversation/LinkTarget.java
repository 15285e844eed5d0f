package dev.runnel.core.model.conversation;

import java.util.Optional;

/// The target of a link to a surface.
///
/// @param meaning the message's semantic key, if the link points to a message; empty for a
///   conversation
public record LinkTarget(Conversation conversation, Optional<String> meaning) {}
