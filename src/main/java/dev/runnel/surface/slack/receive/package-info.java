/// Turns Slack's requests into deliveries. [SlackSignature] verifies a request. [SlackPayloads]
/// decodes it: events become a [SlackEvent], and interactions reach the readers of buttons,
/// shortcuts and modals as the payloads of Bolt's handlers ([BoltApp]). No reader sees JSON.
/// [SlackSocket] receives the same payloads over a socket (decisions 0010 and 0025).
@NullMarked
package dev.runnel.surface.slack.receive;

import org.jspecify.annotations.NullMarked;
