/// Measurements that anyone can repeat. They print figures and judge nothing; no test depends on
/// time.
@NullMarked
package dev.runnel.bench;

import org.jspecify.annotations.NullMarked;
