package dev.runnel.service.execution;

import dev.runnel.service.process.Spawner;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/// The machine's processes and threads, except for one that cannot be started.
final class FakeSpawner implements Spawner {
  private static final int NEVER = -1;

  private final Spawner system = Spawner.system();
  private final AtomicInteger until = new AtomicInteger(NEVER);
  private volatile boolean startsAllTheSame;

  /// @param call which of the calls from now on fails; 1 is the next
  /// @param startsAllTheSame whether a process that fails runs nevertheless
  void failAt(int call, boolean startsAllTheSame) {
    this.startsAllTheSame = startsAllTheSame;
    until.set(call);
  }

  /// Whether that call has come.
  boolean hasFailed() {
    return until.get() == 0;
  }

  @Override
  public Process process(ProcessBuilder builder) throws IOException {
    if (isFull()) {
      if (startsAllTheSame) {
        builder.redirectErrorStream(true).start();
      }
      throw noResources();
    }
    return system.process(builder);
  }

  @Override
  public Thread virtual(String name, Runnable work) {
    if (isFull()) {
      throw noResources();
    }
    return system.virtual(name, work);
  }

  @Override
  public Thread daemon(String name, Runnable work) {
    if (isFull()) {
      throw noResources();
    }
    return system.daemon(name, work);
  }

  private boolean isFull() {
    return until.getAndUpdate(left -> left > 0 ? left - 1 : left) == 1;
  }

  private static NoResourcesException noResources() {
    return new NoResourcesException(new OutOfMemoryError("unable to create native thread"));
  }
}
