/// Turns Slack's requests into deliveries. [SlackSignature] verifies a request and [SlackPayloads]
/// parses it, with one reader for each kind: buttons, commands and shortcuts, modals, edits, events
/// of the agent view. [SlackSocket] receives the same payloads over a socket (decision 0010).
@NullMarked
package dev.runnel.surface.slack.receive;

import org.jspecify.annotations.NullMarked;
