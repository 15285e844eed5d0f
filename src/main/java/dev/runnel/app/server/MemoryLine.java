package dev.runnel.app.server;

import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.MemoryBudget.Kind;
import java.util.Comparator;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Describes the heap and its shares for operators, the largest share first: `heap 256 MiB, 128 MiB
/// of it for what waits: 48 for runs, …`.
public final class MemoryLine {
  private static final long MIB = 1024 * 1024;

  private MemoryLine() {}

  public static String of(MemoryBudget memory) {
    ToLongFunction<Kind> size = kind -> memory.share(kind).size() / MIB;
    return Stream.of(Kind.values())
        .sorted(Comparator.comparingLong(size).reversed())
        .map(kind -> "%d for %s".formatted(size.applyAsLong(kind), kind.title()))
        .collect(
            Collectors.joining(
                ", ",
                "heap %d MiB, %d MiB of it for what waits: "
                    .formatted(memory.heap() / MIB, Stream.of(Kind.values()).mapToLong(size).sum()),
                ""));
  }
}
