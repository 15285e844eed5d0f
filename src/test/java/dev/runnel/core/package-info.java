/// Tests of the core as a whole, from a message to its run and back, with fakes at the ports.
/// [FlowStory] plays the steps of people, workers, agent and platform in any order.
@NullMarked
package dev.runnel.core;

import org.jspecify.annotations.NullMarked;
