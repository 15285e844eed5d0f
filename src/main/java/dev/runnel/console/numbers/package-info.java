/// The numbers page: what runs came to, how long they took and cost, and what is left of budgets.
@NullMarked
package dev.runnel.console.numbers;

import org.jspecify.annotations.NullMarked;
