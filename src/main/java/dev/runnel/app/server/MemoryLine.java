package dev.runnel.app.server;

import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.MemoryBudget.Kind;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Describes the heap and its shares for operators: `heap 256 MiB; of these 48 MiB for runs, …`.
public final class MemoryLine {
  private static final long MIB = 1024 * 1024;

  private MemoryLine() {}

  public static String of(MemoryBudget memory) {
    return Stream.of(Kind.values())
        .map(kind -> "%d MiB for %s".formatted(memory.share(kind).size() / MIB, kind.title()))
        .collect(Collectors.joining(", ", "heap %d MiB: ".formatted(memory.heap() / MIB), ""));
  }
}
