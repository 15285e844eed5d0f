/// The values that all packages of the Slack surface share. [SlackConfig] has the settings,
/// [SlackPlace] says where a conversation is, [SlackPost] is a message to send, and
/// [SlackActionIds] names buttons and inputs. [SlackJson] reads members of payloads that may be
/// missing. Nothing here calls Slack.
@NullMarked
package dev.runnel.surface.slack.model;

import org.jspecify.annotations.NullMarked;
