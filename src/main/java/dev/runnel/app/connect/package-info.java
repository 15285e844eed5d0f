/// `./runnel connect`: guides through connecting a platform. A `Guide` is a pure function from the
/// known facts to the next step; `ConnectCommand` takes the steps.
@NullMarked
package dev.runnel.app.connect;

import org.jspecify.annotations.NullMarked;
