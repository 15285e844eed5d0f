package dev.runnel.memory;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A share that counts its bytes, alone or as a part of another one.
final class CountedShare implements Share.Part {
  private final String name;
  private final long size;

  /// What others can take without borrowing. All of a share that is no part.
  private final long guaranteed;

  private final @Nullable CountedShare parent;

  /// One lock for a share and its parts, because a part borrows from the share.
  private final ReentrantLock lock;

  private final Condition freed;

  // What follows is guarded by the lock.
  private long taken;
  private long refusals;
  private boolean isClosed;

  CountedShare(String name, long size) {
    this.name = name;
    this.size = size;
    this.guaranteed = size;
    this.parent = null;
    this.lock = new ReentrantLock();
    this.freed = lock.newCondition();
  }

  private CountedShare(String name, long guaranteed, long size, CountedShare parent) {
    this.name = name;
    this.size = size;
    this.guaranteed = guaranteed;
    this.parent = parent;
    this.lock = parent.lock;
    this.freed = parent.freed;
  }

  @Override
  public Optional<Lease> tryTake(long bytes) {
    lock.lock();
    try {
      if (!take(bytes)) {
        countRefusal();
        return Optional.empty();
      }
      return Optional.of(new CountedLease(this, bytes));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Lease await(long bytes, Duration most) throws InterruptedException {
    var left = most.toNanos();
    lock.lockInterruptibly();
    try {
      while (!take(bytes)) {
        if (left <= 0 || bytes > size) {
          countRefusal();
          throw new MemorySpentException(name, bytes, free());
        }
        left = freed.awaitNanos(left);
      }
      return new CountedLease(this, bytes);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Share.Part part(String owner, long guaranteed, long most) {
    lock.lock();
    try {
      if (!take(guaranteed)) {
        countRefusal();
        throw new MemorySpentException(name, guaranteed, free());
      }
      return new CountedShare(name + " (" + owner + ")", guaranteed, most, this);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (!isClosed && parent != null) {
        isClosed = true;
        // Open leases keep what they took; the unused rest of the guarantee is free.
        parent.giveBack(Math.max(0, guaranteed - taken));
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public long taken() {
    lock.lock();
    try {
      return taken;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long refusals() {
    lock.lock();
    try {
      return refusals;
    } finally {
      lock.unlock();
    }
  }

  /// Those of a part count for its share, too, which is what operators see. Guarded by the lock.
  private void countRefusal() {
    refusals++;
    if (parent != null) {
      parent.countRefusal();
    }
  }

  private long free() {
    return size - taken;
  }

  /// What is not covered by the guarantee is borrowed from the parent. Guarded by the lock.
  private boolean take(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("bytes must not be negative: " + bytes);
    }
    if (bytes > size - taken) {
      return false;
    }
    if (parent != null && !parent.take(borrowed(taken + bytes) - borrowed(taken))) {
      return false;
    }
    taken += bytes;
    return true;
  }

  /// Guarded by the lock.
  private void giveBack(long bytes) {
    if (parent != null) {
      parent.giveBack(borrowed(taken) - borrowed(taken - bytes));
    }
    taken -= bytes;
    freed.signalAll();
  }

  /// What this part has from its parent beyond what it holds for its guarantee. Guarded by the
  /// lock.
  private long borrowed(long bytes) {
    return isClosed ? bytes : Math.max(0, bytes - guaranteed);
  }

  private static final class CountedLease implements Lease {
    // Guarded by the lock of the share, which is the old one's during a move.
    private CountedShare share;
    private long bytes;

    CountedLease(CountedShare share, long bytes) {
      this.share = share;
      this.bytes = bytes;
    }

    @Override
    public synchronized long bytes() {
      return bytes;
    }

    @Override
    public synchronized boolean grow(long more) {
      var isTaken = share.tryMore(more);
      if (isTaken) {
        bytes += more;
      }
      return isTaken;
    }

    @Override
    public synchronized void shrink(long less) {
      var freed = Math.min(less, bytes);
      bytes -= freed;
      share.free(freed);
    }

    @Override
    public synchronized boolean moveTo(Share other) {
      if (!(other instanceof CountedShare next)) {
        throw new IllegalArgumentException("not a share of a budget: " + other);
      }
      if (!next.tryMore(bytes)) {
        return false;
      }
      share.free(bytes);
      share = next;
      return true;
    }

    @Override
    public void close() {
      shrink(Long.MAX_VALUE);
    }
  }

  private boolean tryMore(long bytes) {
    lock.lock();
    try {
      var isTaken = take(bytes);
      if (!isTaken) {
        countRefusal();
      }
      return isTaken;
    } finally {
      lock.unlock();
    }
  }

  private void free(long bytes) {
    lock.lock();
    try {
      giveBack(bytes);
    } finally {
      lock.unlock();
    }
  }
}
