package dev.runnel.surface.slack.model;

import java.net.URI;
import java.util.Optional;

/// The bot's identity in a workspace, as returned by `auth.test`.
///
/// @param userName what people type after `@`
/// @param workspace the workspace's URL, which every permalink starts with
public record SlackIdentity(
    String team, String userId, String botId, String userName, Optional<URI> workspace) {}
