/// The JSON of the Agent Run API: one record per file, every property named, null means absent.
/// Unknown members are kept in `more`, where a JSON null is sent as null, and open enumerations
/// preserve unknown values. Requests have generated builders. This package does not depend on the
/// bot, the client or the service.
@NullMarked
package dev.runnel.wire;

import org.jspecify.annotations.NullMarked;
