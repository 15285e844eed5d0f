/// Turns updates, answers, modals and pages into Slack's blocks. [SlackRenderer] renders every post
/// and keeps it within Slack's limits; [Mrkdwn] converts Markdown to Slack's markup. Everything
/// here is pure.
@NullMarked
package dev.runnel.surface.slack.render;

import org.jspecify.annotations.NullMarked;
