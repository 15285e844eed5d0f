/// Where a message was sent, and which defaults apply there. [ConversationScope] names the places
/// that contain a conversation, from the channel to the platform; [Defaults], [Profiles] and
/// [DefaultsResolver] resolve the options of a run from them, nearest first. [Surfaces] finds the
/// platform of a conversation.
@NullMarked
package dev.runnel.core.scope;

import org.jspecify.annotations.NullMarked;
