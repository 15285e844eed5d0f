/// Sends to Slack. [SlackPosts] posts notices and edits the status, [FileAnswers] uploads an answer
/// that does not fit into a message, [SlackScreens] opens modals and the Home tab, and
/// [SlackAgentView] shows the progress of a run in direct threads. Before a post is repeated, an
/// earlier attempt's post is searched for.
@NullMarked
package dev.runnel.surface.slack.post;

import org.jspecify.annotations.NullMarked;
