/// Decisions, without effects outside the caller's transaction. [Planner] decides what to do with a
/// delivery, [RunUpdates] which updates a conversation gets, [IntentResolver] which run an id
/// refers to, [RunAccessPolicy] who may name it, and [RunSubscribers] who is notified of its end.
/// [PollSchedule] and [RetryPolicy] compute delays.
@NullMarked
package dev.runnel.core.decide;

import org.jspecify.annotations.NullMarked;
