/// Where something is said, and which settings hold there. [ConversationScope] names the places
/// that a conversation is in, from the channel to the platform; [Defaults], [Profiles] and
/// [DefaultsResolver] resolve the options of a run from them, nearest first. [Surfaces] finds the
/// platform of a conversation.
@NullMarked
package dev.runnel.core.scope;

import org.jspecify.annotations.NullMarked;
