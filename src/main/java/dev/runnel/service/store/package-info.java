/// The tables of the service and their operations. [RunService] changes runs for callers, and
/// [ExecutionRecords] for executions, each change in one transaction and as
/// [dev.runnel.service.run.RunStateMachine] permits; [RunQueries] and [RunQuery] only read.
/// [Schedules], [Identities], [Factories] and [ApiKeys] handle the other resources.
@NullMarked
package dev.runnel.service.store;

import org.jspecify.annotations.NullMarked;
