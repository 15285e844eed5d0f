package dev.runnel.client;

import dev.runnel.wire.RunItem;

/// Whether a run that carries a key exists.
public sealed interface LookupResult {
  /// This is the one.
  record Found(RunItem run) implements LookupResult {}

  /// The service lists runs with their keys, and none has this one.
  record Absent() implements LookupResult {}

  /// The service neither filters by metadata nor shows it: nobody can tell.
  record Unknowable() implements LookupResult {}
}
