package dev.runnel.bench;

import java.util.Collection;
import java.util.List;

/// How long deliveries took.
///
/// @param nanos shortest first
record Latencies(List<Long> nanos) {
  Latencies {
    nanos = nanos.stream().sorted().toList();
  }

  static Latencies all(Collection<Latencies> several) {
    return new Latencies(several.stream().flatMap(each -> each.nanos().stream()).toList());
  }

  int count() {
    return nanos.size();
  }

  /// 0 when there was none.
  double millis(double quantile) {
    return nanos.isEmpty() ? 0 : nanos.get((int) (quantile * (nanos.size() - 1))) / 1e6;
  }
}
