/// The Slack surface. [SlackSurface] connects the packages below it: `receive` turns requests into
/// deliveries, `render` turns updates into blocks, `api` calls Slack, `post` sends, `read` fetches
/// earlier messages, `install` manages the workspaces. Requests arrive over HTTP or Socket Mode
/// (decision 0010). Bolt handles the requests that are not parsed here (decision 0003).
@NullMarked
package dev.runnel.surface.slack;

import org.jspecify.annotations.NullMarked;
