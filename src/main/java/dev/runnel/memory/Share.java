package dev.runnel.memory;

import java.time.Duration;
import java.util.Optional;

/// A part of the heap for one kind of data. Nobody may wait for a share while holding a lease of
/// another one, because both could wait for each other for ever. Thread-safe.
public interface Share {
  /// @return empty if the share is spent
  Optional<Lease> tryTake(long bytes);

  /// Waits until the bytes are free.
  ///
  /// @throws MemorySpentException if they are not free in time, or if the share is smaller
  Lease await(long bytes, Duration most) throws InterruptedException;

  /// A part of this share for one owner, who can always take `guaranteed` bytes and never more than
  /// `most`. The guaranteed bytes are taken from this share until the part is closed.
  ///
  /// @throws MemorySpentException if the guaranteed bytes are not free
  Part part(String owner, long guaranteed, long most);

  /// The bytes that can be taken at the same time.
  long size();

  /// The bytes that are taken now, with those that are guaranteed to parts.
  long taken();

  /// How often bytes were not free, since the start, also in a part.
  long refusals();

  /// A part of a share. Leases that are open when the part is closed stay valid.
  interface Part extends Share, AutoCloseable {
    @Override
    void close();
  }
}
