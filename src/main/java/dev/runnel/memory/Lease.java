package dev.runnel.memory;

/// Bytes taken from a [Share] until it is closed. Who owns the data closes the lease; who hands the
/// data on hands the lease on. Thread-safe.
public interface Lease extends AutoCloseable {
  /// A lease of nothing, for data that takes no memory of its own.
  Lease NONE =
      new Lease() {
        @Override
        public long bytes() {
          return 0;
        }

        @Override
        public boolean grow(long more) {
          return false;
        }

        @Override
        public void shrink(long less) {}

        @Override
        public boolean moveTo(Share other) {
          return false;
        }

        @Override
        public void close() {}
      };

  long bytes();

  /// Takes more bytes.
  ///
  /// @return false if the share is spent; the lease is then unchanged
  boolean grow(long more);

  /// Returns a part of the bytes.
  void shrink(long less);

  /// Takes the bytes from another share and returns them to the present one.
  ///
  /// @return false if the other share is spent; the lease is then unchanged
  boolean moveTo(Share other);

  /// Returns the bytes. Has no effect the second time.
  @Override
  void close();
}
