/// Jira, Cloud and Data Center: labels, assignments, comments and transitions of issues come in as
/// webhooks, answers go out as comments, in the Atlassian Document Format or as wiki text.
/// Described under https://developer.atlassian.com/cloud/jira/platform/webhooks/ and
/// https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/. [JiraSurface] is
/// the way in.
@NullMarked
package dev.runnel.surface.jira;

import org.jspecify.annotations.NullMarked;
