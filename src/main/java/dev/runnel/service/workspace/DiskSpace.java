package dev.runnel.service.workspace;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Optional;

/// The space that a file has on the disk, which Java does not tell: one can be given far more than
/// its size (`fallocate --keep-size`).
public final class DiskSpace {
  private static final int HERE = -100; // AT_FDCWD
  private static final int NO_FOLLOW = 0x100; // AT_SYMLINK_NOFOLLOW
  private static final int BLOCKS = 0x400; // STATX_BLOCKS
  private static final int LENGTH = 256;
  private static final int OFFSET_OF_BLOCKS = 48;
  private static final long SECTOR = 512;
  private static final long BLOCK = 4096;

  private static final Optional<MethodHandle> STATX = statx();

  private DiskSpace() {}

  /// @param size of the file in bytes
  /// @return what it takes: its size, or what it was given if that is more than a block beyond
  static long of(Path file, long size) {
    return of(file, size, NO_FOLLOW);
  }

  /// The same for what a link leads to.
  public static long behind(Path link, long size) {
    return of(link, size, 0);
  }

  private static long of(Path file, long size, int flags) {
    if (STATX.isEmpty()) {
      return size;
    }
    try (var arena = Arena.ofConfined()) {
      var result = arena.allocate(LENGTH, Long.BYTES);
      var path = arena.allocateFrom(file.toString());
      var failed = (int) STATX.get().invokeExact(HERE, path, flags, BLOCKS, result);
      var given = result.get(ValueLayout.JAVA_LONG, OFFSET_OF_BLOCKS) * SECTOR;
      return failed == 0 && given - size >= BLOCK ? given : size;
    } catch (Throwable _) {
      return size;
    }
  }

  @SuppressWarnings("restricted") // its shape is as declared by Linux
  private static Optional<MethodHandle> statx() {
    var linker = Linker.nativeLinker();
    var number = ValueLayout.JAVA_INT;
    return linker
        .defaultLookup()
        .find("statx")
        .map(
            function ->
                linker.downcallHandle(
                    function,
                    FunctionDescriptor.of(
                        ValueLayout.JAVA_INT,
                        number,
                        ValueLayout.ADDRESS,
                        number,
                        number,
                        ValueLayout.ADDRESS)));
  }
}
