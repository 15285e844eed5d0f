/// Posts to conversations. [Courier] takes the notices from the outbox in order and posts each
/// once. [Reminders] schedules reminders of a question that waits for a person, [StatusRefresh]
/// repetitions of a status that the platform removes by itself.
@NullMarked
package dev.runnel.core.deliver;

import org.jspecify.annotations.NullMarked;
