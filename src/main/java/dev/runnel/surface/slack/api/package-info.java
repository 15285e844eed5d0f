/// Calls to Slack. [SlackApi] has the methods of the Web API, [SlackAgentApi] those of the agent
/// view, and [FileTransfer] moves the bytes of files. Every call returns a [SlackResponse]; nothing
/// is retried here.
@NullMarked
package dev.runnel.surface.slack.api;

import org.jspecify.annotations.NullMarked;
