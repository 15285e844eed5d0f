/// Where people talk, and who they are: surfaces, conversations, people, posts, and the ids of what
/// passes between them. Records that validate themselves.
@NullMarked
package dev.runnel.core.model.conversation;

import org.jspecify.annotations.NullMarked;
