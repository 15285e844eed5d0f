/// The pages for operators: the health of the installation, the resources of its agents, its
/// settings and its policy.
@NullMarked
package dev.runnel.console.operation;

import org.jspecify.annotations.NullMarked;
