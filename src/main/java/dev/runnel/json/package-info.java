/// JSON that others wrote: [BoundedJson] has the limits of every parser, and reads no more of a
/// document than a [Projection] names, so that neither its size nor its shape can fill the memory.
@NullMarked
package dev.runnel.json;

import org.jspecify.annotations.NullMarked;
