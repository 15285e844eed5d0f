/// Sends to Slack. [SlackPosts] posts notices and edits the status, [FileAnswers] uploads an answer
/// that does not fit into a message, [SlackScreens] opens forms and pages, and [SlackAgentView]
/// shows the progress of a run in direct threads. A post that may have been made already is looked
/// for before it is repeated.
@NullMarked
package dev.runnel.surface.slack.post;

import org.jspecify.annotations.NullMarked;
