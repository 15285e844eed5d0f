/// Slack. [SlackSurface] puts the packages below it together: `receive` turns requests into
/// deliveries, `render` turns updates into Slack's blocks, `api` calls Slack, `post` sends, `read`
/// fetches what was said, `install` knows the workspaces. Requests come over HTTP, or over a socket
/// (decision 0010). What is not on the path of an acknowledgement is Bolt's (decision 0003).
@NullMarked
package dev.runnel.surface.slack;

import org.jspecify.annotations.NullMarked;
