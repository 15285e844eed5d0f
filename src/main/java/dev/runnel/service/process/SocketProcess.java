package dev.runnel.service.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.runnel.service.process.SystemCalls.Function;
import dev.runnel.threads.SupervisedThread;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A process whose standard input and output are sockets. Unlike a pipe, a socket cannot be opened
/// by path, as `/proc/PID/fd/1`: so what the program starts cannot write there unless the program
/// hands it on. Standard error is a pipe, because programs open `/dev/stderr`.
///
/// Java cannot start such a process, so this needs functions of Linux' glibc 2.34.
final class SocketProcess extends Process {
  /// Whether the system has all functions that are needed.
  static boolean isPossible() {
    return Functions.ALL.isPresent();
  }

  private final ProcessHandle handle;
  private final OutputStream input;
  private final InputStream output;
  private final InputStream errors;
  private final CompletableFuture<Integer> exit;

  private SocketProcess(
      ProcessHandle handle,
      OutputStream input,
      InputStream output,
      InputStream errors,
      CompletableFuture<Integer> exit) {
    this.handle = handle;
    this.input = input;
    this.output = output;
    this.errors = errors;
    this.exit = exit;
  }

  /// Starts a process with the command, folder and environment of a builder.
  ///
  /// @param builder its first word is the path of a program
  /// @throws IOException if that fails; the message contains the system's error number
  /// @throws OutOfMemoryError if there is no thread to wait for its end; it is killed then
  static SocketProcess start(ProcessBuilder builder) throws IOException {
    var functions = Functions.ALL.orElseThrow();
    try (var ends = new Ends(functions)) {
      var input = ends.sockets();
      var output = ends.sockets();
      var errors = ends.pipe();
      var pid = functions.start(builder, input.theirs(), output.theirs(), errors.theirs());
      // It exists until this process has asked for its status.
      var handle = ProcessHandle.of(pid).orElseThrow();
      var exit = new CompletableFuture<Integer>();
      try {
        SupervisedThread.daemon(
            "process-end",
            () -> exit.complete(functions.awaitExit(pid)),
            // Without effect if it is complete.
            failure ->
                exit.completeExceptionally(
                    failure.orElseGet(() -> new IllegalStateException("Nobody waits for it"))));
      } catch (Throwable e) {
        handle.destroyForcibly();
        throw e;
      }
      ends.keepOurs();
      return new SocketProcess(
          handle,
          new Output(functions, input.ours()),
          new Input(functions, output.ours()),
          new Input(functions, errors.ours()),
          exit);
    }
  }

  @Override
  public OutputStream getOutputStream() {
    return input;
  }

  @Override
  public InputStream getInputStream() {
    return output;
  }

  @Override
  public InputStream getErrorStream() {
    return errors;
  }

  @Override
  public int waitFor() throws InterruptedException {
    try {
      return exit.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("Nobody knows how the process has ended", e.getCause());
    }
  }

  @Override
  public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
    try {
      exit.get(timeout, unit);
      return true;
    } catch (TimeoutException _) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("Nobody knows how the process has ended", e.getCause());
    }
  }

  @Override
  public int exitValue() {
    if (!exit.isDone()) {
      throw new IllegalThreadStateException("The process has not ended");
    }
    try {
      return exit.join();
    } catch (CompletionException e) {
      throw new IllegalStateException("Nobody knows how the process has ended", e.getCause());
    }
  }

  @Override
  public boolean isAlive() {
    return !exit.isDone();
  }

  @Override
  public CompletableFuture<Process> onExit() {
    return exit.handle((_, _) -> this);
  }

  @Override
  public void destroy() {
    handle.destroy();
  }

  @Override
  public Process destroyForcibly() {
    handle.destroyForcibly();
    return this;
  }

  @Override
  public boolean supportsNormalTermination() {
    return true;
  }

  @Override
  public ProcessHandle toHandle() {
    return handle;
  }

  @Override
  public long pid() {
    return handle.pid();
  }

  @Override
  public ProcessHandle.Info info() {
    return handle.info();
  }

  /// Two connected open files, by their numbers.
  private record Pair(int ours, int theirs) {}

  /// Closes all open files unless they are kept.
  private static final class Ends implements AutoCloseable {
    private final Functions functions;
    private final ArrayList<Pair> all = new ArrayList<>();
    private boolean keepsOurs;

    Ends(Functions functions) {
      this.functions = functions;
    }

    Pair sockets() throws IOException {
      return add(functions.sockets());
    }

    Pair pipe() throws IOException {
      return add(functions.pipe());
    }

    private Pair add(Pair pair) {
      all.add(pair);
      return pair;
    }

    void keepOurs() {
      keepsOurs = true;
    }

    @Override
    public void close() {
      for (var each : all) {
        functions.close(each.theirs);
        if (!keepsOurs) {
          functions.close(each.ours);
        }
      }
    }
  }

  /// Reads an open file. For one thread.
  private static final class Input extends InputStream {
    private final Functions functions;
    private final int file;
    private final MemorySegment buffer = Functions.buffer();
    private boolean isClosed;

    Input(Functions functions, int file) {
      this.functions = functions;
      this.file = file;
    }

    @Override
    public int read() throws IOException {
      var one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      if (isClosed) {
        throw new IOException("The stream is closed");
      }
      if (length == 0) {
        return 0;
      }
      var count = functions.read(file, buffer, Math.min(length, (int) buffer.byteSize()));
      MemorySegment.copy(buffer, JAVA_BYTE, 0, bytes, offset, count);
      return count == 0 ? -1 : count;
    }

    @Override
    public void close() {
      if (!isClosed) {
        isClosed = true;
        functions.close(file);
      }
    }
  }

  /// Writes to a socket. For one thread.
  private static final class Output extends OutputStream {
    private final Functions functions;
    private final int socket;
    private final MemorySegment buffer = Functions.buffer();
    private boolean isClosed;

    Output(Functions functions, int socket) {
      this.functions = functions;
      this.socket = socket;
    }

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (isClosed) {
        throw new IOException("The stream is closed");
      }
      for (int done = 0; done < length; ) {
        var part = Math.min(length - done, (int) buffer.byteSize());
        MemorySegment.copy(bytes, offset + done, buffer, JAVA_BYTE, 0, part);
        done += functions.write(socket, buffer, part);
      }
    }

    @Override
    public void close() {
      if (!isClosed) {
        isClosed = true;
        functions.close(socket);
      }
    }
  }

  /// Functions of the C library. The numbers are those of Linux.
  private record Functions(
      Function socketpair,
      Function pipe2,
      Function read,
      Function send,
      Function close,
      Function spawn,
      Function actionsInit,
      Function actionsDestroy,
      Function actionsDup2,
      Function actionsChdir,
      Function actionsCloseFrom,
      Function attributesInit,
      Function attributesDestroy,
      Function attributesFlags,
      Function attributesMask,
      Function attributesDefault,
      Function emptySet,
      Function fullSet,
      Function waitpid) {
    static final Optional<Functions> ALL = find();

    private static final int AF_UNIX = 1;
    private static final int SOCK_STREAM = 1;
    private static final int CLOSE_ON_EXEC = 02000000;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int EINTR = 4;
    private static final int POSIX_SPAWN_SETSIGDEF = 0x04;
    private static final int POSIX_SPAWN_SETSIGMASK = 0x08;
    private static final int BUFFER_BYTES = 8 * 1024;

    /// More than each of the library's structures takes: 80, 336 and 128 bytes.
    private static final int STRUCTURE_BYTES = 1024;

    private static final int ALIGNMENT = 16;

    private static Optional<Functions> find() {
      if (!System.getProperty("os.name").equals("Linux")) {
        return Optional.empty();
      }
      try {
        return Optional.of(
            new Functions(
                Function.of("socketpair", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS),
                Function.of("pipe2", JAVA_INT, ADDRESS, JAVA_INT),
                Function.of("read", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG),
                Function.of("send", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT),
                Function.of("close", JAVA_INT, JAVA_INT),
                Function.of(
                    "posix_spawn", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS),
                Function.of("posix_spawn_file_actions_init", JAVA_INT, ADDRESS),
                Function.of("posix_spawn_file_actions_destroy", JAVA_INT, ADDRESS),
                Function.of(
                    "posix_spawn_file_actions_adddup2", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
                Function.of("posix_spawn_file_actions_addchdir_np", JAVA_INT, ADDRESS, ADDRESS),
                Function.of(
                    "posix_spawn_file_actions_addclosefrom_np", JAVA_INT, ADDRESS, JAVA_INT),
                Function.of("posix_spawnattr_init", JAVA_INT, ADDRESS),
                Function.of("posix_spawnattr_destroy", JAVA_INT, ADDRESS),
                Function.of("posix_spawnattr_setflags", JAVA_INT, ADDRESS, JAVA_SHORT),
                Function.of("posix_spawnattr_setsigmask", JAVA_INT, ADDRESS, ADDRESS),
                Function.of("posix_spawnattr_setsigdefault", JAVA_INT, ADDRESS, ADDRESS),
                Function.of("sigemptyset", JAVA_INT, ADDRESS),
                Function.of("sigfillset", JAVA_INT, ADDRESS),
                Function.of("waitpid", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT)));
      } catch (SystemCalls.MissingException _) {
        return Optional.empty();
      }
    }

    static MemorySegment buffer() {
      return Arena.ofAuto().allocate(BUFFER_BYTES);
    }

    Pair sockets() throws IOException {
      try (var arena = Arena.ofConfined()) {
        var pair = arena.allocate(JAVA_INT, 2);
        require(socketpair.call(AF_UNIX, SOCK_STREAM | CLOSE_ON_EXEC, 0, pair), "connect sockets");
        return pair(pair);
      }
    }

    Pair pipe() throws IOException {
      try (var arena = Arena.ofConfined()) {
        var pair = arena.allocate(JAVA_INT, 2);
        require(pipe2.call(pair, CLOSE_ON_EXEC), "make a pipe");
        return pair(pair);
      }
    }

    private static Pair pair(MemorySegment numbers) {
      return new Pair(numbers.getAtIndex(JAVA_INT, 0), numbers.getAtIndex(JAVA_INT, 1));
    }

    /// @return 0 at the end
    int read(int file, MemorySegment buffer, int length) throws IOException {
      return again(() -> read.call(file, buffer, (long) length), "read");
    }

    int write(int socket, MemorySegment buffer, int length) throws IOException {
      return again(() -> send.call(socket, buffer, (long) length, MSG_NOSIGNAL), "write");
    }

    void close(int file) {
      var _ = close.call(file);
    }

    /// A process that was ended by a signal has 128 and its number as its status.
    int awaitExit(int pid) throws IOException {
      try (var arena = Arena.ofConfined()) {
        var status = arena.allocate(JAVA_INT);
        again(() -> waitpid.call(pid, status, 0), "wait");
        var value = status.get(JAVA_INT, 0);
        var signal = value & 0x7f;
        return signal == 0 ? value >> 8 & 0xff : 0x80 + signal;
      }
    }

    /// @return its process id
    int start(ProcessBuilder builder, int input, int output, int errors) throws IOException {
      try (var arena = Arena.ofConfined()) {
        var actions = arena.allocate(STRUCTURE_BYTES, ALIGNMENT);
        var attributes = arena.allocate(STRUCTURE_BYTES, ALIGNMENT);
        var signals = arena.allocate(STRUCTURE_BYTES, ALIGNMENT);
        require(actionsInit.call(actions), "start a process");
        require(attributesInit.call(attributes), "start a process");
        try {
          add(actionsDup2.call(actions, input, 0));
          add(actionsDup2.call(actions, output, 1));
          add(actionsDup2.call(actions, errors, 2));
          add(actionsCloseFrom.call(actions, 3));
          add(actionsChdir.call(actions, text(arena, builder.directory().getPath())));
          // As for every process: no signal is ignored or blocked.
          add(emptySet.call(signals));
          add(attributesMask.call(attributes, signals));
          add(fullSet.call(signals));
          add(attributesDefault.call(attributes, signals));
          add(
              attributesFlags.call(
                  attributes, (short) (POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)));
          var variables =
              builder.environment().entrySet().stream()
                  .map(it -> it.getKey() + "=" + it.getValue())
                  .toList();
          var pid = arena.allocate(JAVA_INT);
          var program = text(arena, builder.command().getFirst());
          add(
              spawn.call(
                  pid,
                  program,
                  actions,
                  attributes,
                  texts(arena, builder.command()),
                  texts(arena, variables)));
          return pid.get(JAVA_INT, 0);
        } finally {
          var _ = actionsDestroy.call(actions);
          var _ = attributesDestroy.call(attributes);
        }
      }
    }

    /// These functions return the error number.
    private static void add(SystemCalls.Result result) throws IOException {
      if (result.value() != 0) {
        throw failure("start a process", (int) result.value());
      }
    }

    private static void require(SystemCalls.Result result, String what) throws IOException {
      if (result.value() != 0) {
        throw failure(what, result.error());
      }
    }

    private interface Call {
      SystemCalls.Result make();
    }

    /// Repeats a call that a signal interrupts.
    private static int again(Call call, String what) throws IOException {
      while (true) {
        var result = call.make();
        if (result.value() >= 0) {
          return (int) result.value();
        }
        if (result.error() != EINTR) {
          throw failure(what, result.error());
        }
      }
    }

    private static IOException failure(String what, int error) {
      return new IOException("cannot %s: error=%d".formatted(what, error));
    }

    private static MemorySegment texts(Arena arena, List<String> all) throws IOException {
      var addresses = arena.allocate(ADDRESS, all.size() + 1);
      for (int i = 0; i < all.size(); i++) {
        addresses.setAtIndex(ADDRESS, i, text(arena, all.get(i)));
      }
      addresses.setAtIndex(ADDRESS, all.size(), MemorySegment.NULL);
      return addresses;
    }

    /// In the encoding that Java uses for processes.
    private static MemorySegment text(Arena arena, String text) throws IOException {
      if (text.indexOf(0) >= 0) {
        throw new IOException("invalid null character in the command, folder or environment");
      }
      var bytes = text.getBytes(Charset.forName(System.getProperty("sun.jnu.encoding")));
      var segment = arena.allocate(bytes.length + 1L);
      MemorySegment.copy(bytes, 0, segment, JAVA_BYTE, 0, bytes.length);
      return segment;
    }
  }
}
