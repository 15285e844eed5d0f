/// `./runnel connect`: guides through connecting a platform. A `Guide` is a pure function from what
/// is known to the next step; `ConnectCommand` takes the steps.
@NullMarked
package dev.runnel.app.connect;

import org.jspecify.annotations.NullMarked;
