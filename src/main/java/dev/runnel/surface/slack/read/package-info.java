/// Reads from Slack what was not delivered: [SlackBackground] the thread that a request stands in,
/// [SlackCatchUp] the messages that were missed, [SlackSenders] whether the sender is a full member
/// of the workspace.
@NullMarked
package dev.runnel.surface.slack.read;

import org.jspecify.annotations.NullMarked;
