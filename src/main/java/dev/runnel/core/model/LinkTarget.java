package dev.runnel.core.model;

import java.util.Optional;

/// What a link of a surface shows.
///
/// @param meaning the semantic key of the message, where it shows one rather than a conversation
public record LinkTarget(Conversation conversation, Optional<String> meaning) {}
