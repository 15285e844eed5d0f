/// The processes of executions on this machine: starts them, reads their output, and finds and ends
/// all their descendants.
@NullMarked
package dev.runnel.service.process;

import org.jspecify.annotations.NullMarked;
