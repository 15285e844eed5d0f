/// The values that all packages of the Slack surface share. [SlackConfig] has the settings,
/// [SlackPlace] locates a conversation, [SlackPost] is a message to send, and [SlackActionIds]
/// names buttons and inputs. [SlackJson] reads payload fields that may be missing. Nothing here
/// calls Slack.
@NullMarked
package dev.runnel.surface.slack.model;

import org.jspecify.annotations.NullMarked;
