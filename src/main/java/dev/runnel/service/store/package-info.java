/// The tables of the service, and what may be done with them. [RunService] changes runs, each
/// change in one transaction and as [dev.runnel.service.run.RunMachine] allows; [RunQueries] and
/// [RunQuery] only read. [Schedules], [Identities], [Factories] and [ApiKeys] keep everything else
/// that callers create.
@NullMarked
package dev.runnel.service.store;

import org.jspecify.annotations.NullMarked;
