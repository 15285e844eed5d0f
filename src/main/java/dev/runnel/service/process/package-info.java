/// The processes of executions on this machine: they are started, their output is read, and all
/// that they started is found and ended.
@NullMarked
package dev.runnel.service.process;

import org.jspecify.annotations.NullMarked;
