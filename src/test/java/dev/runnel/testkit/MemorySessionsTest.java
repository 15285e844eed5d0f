package dev.runnel.testkit;

import dev.runnel.core.port.Sessions;

class MemorySessionsTest implements SessionsContract {
  private final Sessions sessions = new MemorySessions();

  @Override
  public Sessions sessions() {
    return sessions;
  }
}
