package dev.runnel.service.workspace;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Optional;

/// The disk space that is allocated to a file. Java does not report it, and it can be much more
/// than the size (`fallocate --keep-size`).
public final class DiskSpace {
  private static final int CURRENT_FOLDER = -100; // AT_FDCWD
  private static final int NO_FOLLOW = 0x100; // AT_SYMLINK_NOFOLLOW
  private static final int BLOCKS = 0x400; // STATX_BLOCKS
  private static final int STRUCT_SIZE = 256;
  private static final int BLOCKS_OFFSET = 48;
  private static final long SECTOR = 512;
  private static final long BLOCK = 4096;

  private static final Optional<MethodHandle> STATX = statx();

  private DiskSpace() {}

  /// @param size of the file in bytes
  /// @return the size, or the allocated space if that is at least one block larger
  static long of(Path file, long size) {
    return of(file, size, NO_FOLLOW);
  }

  /// The same for the target of a link.
  public static long ofTarget(Path link, long size) {
    return of(link, size, 0);
  }

  private static long of(Path file, long size, int flags) {
    if (STATX.isEmpty()) {
      return size;
    }
    try (var arena = Arena.ofConfined()) {
      var result = arena.allocate(STRUCT_SIZE, Long.BYTES);
      var path = arena.allocateFrom(file.toString());
      var failed = (int) STATX.get().invokeExact(CURRENT_FOLDER, path, flags, BLOCKS, result);
      var allocated = result.get(ValueLayout.JAVA_LONG, BLOCKS_OFFSET) * SECTOR;
      return failed == 0 && allocated - size >= BLOCK ? allocated : size;
    } catch (Throwable _) {
      return size;
    }
  }

  @SuppressWarnings("restricted") // its signature is as declared by Linux
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
