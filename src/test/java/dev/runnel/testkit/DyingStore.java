package dev.runnel.testkit;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.port.Store;
import java.util.function.Function;

/// A store whose process dies around its n-th commit: before it, or after it and before anybody
/// hears of it. From then on nothing works, as for a process that is gone.
public final class DyingStore implements Store {
  /// The process is gone. An error, so that nothing that handles exceptions can go on.
  public static final class ProcessDied extends Error {
    private static final long serialVersionUID = 1;
  }

  private final Store store;
  private final int commits;
  private final boolean afterIt;
  private int count;

  public DyingStore(Store store, int commits, boolean afterIt) {
    this.store = store;
    this.commits = commits;
    this.afterIt = afterIt;
  }

  @Override
  public <T> T commit(Function<Work, T> step) {
    count++;
    if (count > commits || (count == commits && !afterIt)) {
      throw new ProcessDied();
    }
    var result = store.commit(step);
    if (count == commits) {
      throw new ProcessDied();
    }
    return result;
  }

  @Override
  public boolean accept(Delivery delivery) {
    return store.accept(delivery);
  }

  @Override
  public <T> T read(Function<Bindings, T> question) {
    return store.read(question);
  }
}
