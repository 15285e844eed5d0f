/// The Slack surface. [SlackSurface] connects the packages below it: `receive` turns requests into
/// deliveries, `render` turns updates into blocks, `api` calls Slack, `post` sends, `read` fetches
/// earlier messages, `install` manages the workspaces. Requests arrive over HTTP or Socket Mode
/// (decision 0010). Bolt reads interactions and answers handshakes (decisions 0003 and 0025).
@NullMarked
package dev.runnel.surface.slack;

import org.jspecify.annotations.NullMarked;
