/// A typed client of the Agent Run API. [RunsClient] is the entry point; requests pass through
/// small decorators for retries, redirects, logging and OkHttp. All failures are subtypes of the
/// sealed [RunsException]. It does not depend on the bot.
@NullMarked
package dev.runnel.client;

import org.jspecify.annotations.NullMarked;
