/// Processes deliveries. [DueDeliveries] takes the next delivery of a conversation. [Dispatcher]
/// checks the sender's permission, and has the plan executed: [RunStarter] creates runs,
/// [FollowUpSender] sends messages to them, [RunCanceller] cancels them, [LinkResolver] attaches
/// existing ones, [QueryHandler] and [ScreenBuilder] answer questions. [AttemptResults] stores the
/// result: done, retried later, or parked.
@NullMarked
package dev.runnel.core.dispatch;

import org.jspecify.annotations.NullMarked;
