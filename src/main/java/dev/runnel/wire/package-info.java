/// The JSON of the Agent Run API: one record a file, every property named, null means absent.
/// What this version does not know is kept in `more`, and enumerations keep values they do not
/// know. Requests have builders. Nothing here knows the bot, the client or the service.
@NullMarked
package dev.runnel.wire;

import org.jspecify.annotations.NullMarked;
