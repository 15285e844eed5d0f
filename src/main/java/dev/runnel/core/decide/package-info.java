/// Decisions, without effects. [Planner] decides what to do with a delivery, [Changes] which
/// updates a conversation gets, [IntentResolver] which run is meant, [RunAccessPolicy] who may name
/// it, and [RunSubscribers] who gets a message when it ends. [PollSchedule] and [RetryPolicy]
/// compute waiting times. What a decision needs is passed in, or read within the caller's
/// transaction.
@NullMarked
package dev.runnel.core.decide;

import org.jspecify.annotations.NullMarked;
