package dev.runnel.client;

import dev.runnel.wire.RunItem;

/// Whether a run that carries a key exists.
public sealed interface LookupResult {
  /// The run with the key.
  record Found(RunItem run) implements LookupResult {}

  /// No run has the key; the service returns the keys of runs.
  record Absent() implements LookupResult {}

  /// Cannot be determined: the service neither filters by metadata nor returns it.
  record Unknowable() implements LookupResult {}
}
