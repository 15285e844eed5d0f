/// The places that contain a conversation, and the defaults that apply there. [ConversationScope]
/// lists the places, from the channel to the platform; [Defaults], [Profiles] and
/// [DefaultsResolver] resolve the options of a run from them, nearest first. [Surfaces] finds the
/// platform of a conversation.
@NullMarked
package dev.runnel.core.scope;

import org.jspecify.annotations.NullMarked;
