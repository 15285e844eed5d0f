/// The values and rules of runs that all other packages of the service share. [NewRun] is a
/// requested run, [RunRow] a stored one, [ExecutionRequest] one execution of it, and
/// [ExecutionResult] its result. [RunStateMachine] defines the state transitions. Nothing here
/// starts a process or opens a connection.
@NullMarked
package dev.runnel.service.run;

import org.jspecify.annotations.NullMarked;
