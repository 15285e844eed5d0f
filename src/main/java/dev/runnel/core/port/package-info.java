/// The ports between the core and the outside: [Surface] (where people talk), [AgentRuns] (where
/// runs execute) and [Store] (durable state). Each has one or more real implementations, and one
/// hand-written fake that passes the same contract tests.
@NullMarked
package dev.runnel.core.port;

import org.jspecify.annotations.NullMarked;
