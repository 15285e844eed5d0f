/// Executes deliveries. [Dispatcher] takes a delivery's turn, checks that its sender may ask for
/// it, and has the plan executed: [Starts] creates runs, [FollowUps] sends messages to them,
/// [Stops] cancels them, [Links] attaches existing ones, [Answers] and [Screens] answer questions.
/// [Turns] stores the result: done, retried later, or parked.
@NullMarked
package dev.runnel.core.dispatch;

import org.jspecify.annotations.NullMarked;
