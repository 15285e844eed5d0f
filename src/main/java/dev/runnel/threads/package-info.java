/// [SupervisedThread]: threads whose end, however it comes, is told to whoever waits for them.
@NullMarked
package dev.runnel.threads;

import org.jspecify.annotations.NullMarked;
