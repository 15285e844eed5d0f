/// The values and rules of runs that all other packages of the service share. [NewRun] is a run as
/// it was asked for, [RunRow] one as it is stored, [ExecutionRequest] one execution of it and
/// [ExecutionResult] how that ended. [RunMachine] says which steps a run may take. Nothing here
/// starts a process or opens a connection.
@NullMarked
package dev.runnel.service.run;

import org.jspecify.annotations.NullMarked;
