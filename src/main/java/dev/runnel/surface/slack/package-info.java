/// Slack: [SlackPayloads] turns requests into deliveries, [SlackRenderer] turns updates into posts,
/// [SlackApi] calls out, [SlackSurface] puts them together. Requests come over HTTP, or over a
/// [SlackSocket] (decision 0010). [SlackWorkspaces] knows by which token a workspace is talked with
/// (decision 0011), [SlackInstaller] lets workspaces install the app. Words that people write go
/// through [SlackText], words that we write through [Mrkdwn]. What is not on the path of an
/// acknowledgement is Bolt's (decision 0003).
@NullMarked
package dev.runnel.surface.slack;

import org.jspecify.annotations.NullMarked;
