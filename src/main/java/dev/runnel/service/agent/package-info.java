/// The coding agents that can execute a run. A [Harness] starts one kind of agent by a [Launch] and
/// parses its output to [AgentEvent]s; [Agents] finds the installed ones. [AgentEnvironment]
/// selects the operator's variables that an agent receives.
@NullMarked
package dev.runnel.service.agent;

import org.jspecify.annotations.NullMarked;
