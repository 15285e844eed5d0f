/// Reads from Slack what was not delivered: [SlackBackground] reads the thread of a request,
/// [SlackMissedDeliveries] the missed messages, and [SlackSenders] checks whether the sender is a
/// full member of the workspace.
@NullMarked
package dev.runnel.surface.slack.read;

import org.jspecify.annotations.NullMarked;
