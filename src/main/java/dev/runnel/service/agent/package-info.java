/// The coding agents that can work on a run. A [Harness] knows how one of them is started, in its
/// [Launch], and turns what it prints into [AgentEvent]s; [Agents] finds out which of them are
/// installed. [AgentEnvironment] says which of the operator's variables an agent gets to see.
@NullMarked
package dev.runnel.service.agent;

import org.jspecify.annotations.NullMarked;
