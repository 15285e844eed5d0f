/// Linear: labels, assignments, comments and agent sessions come in as webhooks; answers go out as
/// comments, or in an agent session as its activities. Payloads and calls are described under
/// https://linear.app/developers/webhooks, https://linear.app/developers/agent-interaction and
/// https://linear.app/developers/graphql. [LinearSurface] is the way in.
@NullMarked
package dev.runnel.surface.linear;

import org.jspecify.annotations.NullMarked;
