/// The JSON of the Agent Run API: one record a file, every property named, null means absent,
/// unknown
/// properties ignored. Nothing here knows the bot, the client or the service.
@NullMarked
package dev.runnel.wire;

import org.jspecify.annotations.NullMarked;
