package dev.runnel.core.port;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.run.Run;

/// Is notified of each stored change to a conversation's run, and of budgets. Must return quickly
/// and not throw. Called within or after the commit: if a commit fails, it is notified of the
/// change again.
@FunctionalInterface
public interface RunChangeListener {
  RunChangeListener NONE = (_, _) -> {};

  /// @param before the conversation's run before the change
  void changed(Binding before, Run now);

  /// A start brings a budget near its limit.
  default void budgetNearlyUsed() {}
}
