/// The embedded Agent Run Service: the Agent Run API over HTTP, and real agents as real processes.
/// [dev.runnel.service.AgentRunService] is the way in; the rows of its database are the truth,
/// [dev.runnel.service.RunMachine] says which steps a run may take, and everything that waits or
/// works in memory can be lost at any moment without losing a run.
@NullMarked
package dev.runnel.service;

import org.jspecify.annotations.NullMarked;
