/// A typed client of the Agent Run API. [RunsClient] is the surface; behind it a request goes
/// through small decorators: retrying, logging, OkHttp. Failures are one sealed family,
/// [RunsException]. It knows nothing of the bot.
@NullMarked
package dev.runnel.client;

import org.jspecify.annotations.NullMarked;
