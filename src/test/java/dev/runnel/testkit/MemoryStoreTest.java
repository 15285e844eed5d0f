package dev.runnel.testkit;

import dev.runnel.core.port.Store;

class MemoryStoreTest implements StoreContract {
  private final MemoryStore store = new MemoryStore();

  @Override
  public Store store() {
    return store;
  }

  @Override
  public long audited() {
    return store.audit().size();
  }
}
