package dev.runnel.surface.slack.model;

import java.net.URI;
import java.util.Optional;

/// Who we are in Slack, as `auth.test` said.
///
/// @param userName what people type after `@`
/// @param workspace the workspace's address, the beginning of every permanent link
public record SlackIdentity(
    String team, String userId, String botId, String userName, Optional<URI> workspace) {}
