/// Surfaces, conversations, people, posts, and the ids of deliveries and notices. Records that
/// validate themselves.
@NullMarked
package dev.runnel.core.model.conversation;

import org.jspecify.annotations.NullMarked;
