/// The embedded Agent Run Service: the Agent Run API over HTTP, with agents that run as real
/// processes. [AgentRunService] is the entry point. The database is the source of truth: all state
/// in memory can be lost at any moment without losing a run.
@NullMarked
package dev.runnel.service;

import org.jspecify.annotations.NullMarked;
