/// The three ports between the core and the world: [Surface] (where people talk), [AgentRuns]
/// (where runs run) and [Store] (what outlives a crash). Each has one real implementation or
/// several, and one hand-written fake that passes the same contract.
@NullMarked
package dev.runnel.core.port;

import org.jspecify.annotations.NullMarked;
