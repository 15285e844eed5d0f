/// The tables of the service and their operations. [RunService] changes runs, each change in one
/// transaction and as [dev.runnel.service.run.RunMachine] permits; [RunQueries] and [RunQuery] only
/// read. [Schedules], [Identities], [Factories] and [ApiKeys] handle the other resources.
@NullMarked
package dev.runnel.service.store;

import org.jspecify.annotations.NullMarked;
