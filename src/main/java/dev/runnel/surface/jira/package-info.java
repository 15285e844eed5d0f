/// The Jira surface, for Cloud and Data Center: labels, assignments, comments and transitions of
/// issues arrive as webhooks, answers are posted as comments, in the Atlassian Document Format or
/// as wiki markup. See https://developer.atlassian.com/cloud/jira/platform/webhooks/ and
/// https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/. Start with [Jira].
@NullMarked
package dev.runnel.surface.jira;

import org.jspecify.annotations.NullMarked;
