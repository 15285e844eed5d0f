/// The numbers page: results, durations and costs of runs, and the use of budgets.
@NullMarked
package dev.runnel.console.numbers;

import org.jspecify.annotations.NullMarked;
