/// Posts to conversations. [Courier] takes the notices from the outbox in their order and posts
/// each once. [Reminders] schedules repeated notices for a question that waits for a person,
/// [StatusRefresh] those for a status that fades.
@NullMarked
package dev.runnel.core.deliver;

import org.jspecify.annotations.NullMarked;
