/// The HTTP server and its limits; [WebhookEndpoint], which receives requests for the surfaces and
/// responds only after deliveries are on disk; and [Health], which reports the state of the
/// process.
@NullMarked
package dev.runnel.web;

import org.jspecify.annotations.NullMarked;
