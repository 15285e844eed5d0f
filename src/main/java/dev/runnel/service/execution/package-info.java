/// Executes runs. [RunQueue] claims the next queued run as soon as a slot is free, and an
/// [Execution] runs it from the claimed row to the recorded result: workspace, setup, agent
/// process, limits, transcript. [ScheduleClock] creates the runs of schedules. [WorkspaceCleanup]
/// and [DiskReserve] delete old workspaces and keep disk space free.
@NullMarked
package dev.runnel.service.execution;

import org.jspecify.annotations.NullMarked;
