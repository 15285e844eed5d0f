/// Executes runs. [RunQueue] claims the run that waits longest as soon as a slot is free, and an
/// [Execution] takes it from the claimed row to the row that says how it ended: workspace, setup,
/// agent process, limits, transcript. [ScheduleClock] creates the runs of schedules.
/// [WorkspaceCleanup] and [DiskReserve] delete old workspaces and keep room on the disk.
@NullMarked
package dev.runnel.service.execution;

import org.jspecify.annotations.NullMarked;
