package dev.runnel.memory;

/// A share of the memory is spent, so that what needs it must wait or be refused.
public final class MemorySpentException extends RuntimeException {
  private static final long serialVersionUID = 1;

  MemorySpentException(String share, long bytes, long free) {
    super(
        "The share of memory for %s is spent: %,d bytes are needed and %,d are free"
            .formatted(share, bytes, Math.max(0, free)));
  }
}
