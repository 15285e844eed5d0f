/// The Linear surface: labels, assignments, comments and agent sessions arrive as webhooks; answers
/// are posted as comments, or in an agent session as its activities. See
/// https://linear.app/developers/webhooks, https://linear.app/developers/agent-interaction and
/// https://linear.app/developers/graphql. Start with [Linear].
@NullMarked
package dev.runnel.surface.linear;

import org.jspecify.annotations.NullMarked;
