/// The embedded Agent Run Service: the Agent Run API over HTTP, and real agents as real processes.
/// [AgentRunService] builds it and is the way in. The rows of its database are the truth:
/// everything that waits or works in memory can be lost at any moment without losing a run.
@NullMarked
package dev.runnel.service;

import org.jspecify.annotations.NullMarked;
