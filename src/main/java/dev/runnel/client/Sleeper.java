package dev.runnel.client;

import java.time.Duration;

/// Waits, interruptibly.
interface Sleeper {
  void sleep(Duration time) throws InterruptedException;
}
