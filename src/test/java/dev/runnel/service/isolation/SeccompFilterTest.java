package dev.runnel.service.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.runnel.testkit.Bubblewrapped;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SeccompFilterTest {
  private static final int ALLOWED = 0x7fff0000;
  private static final int REFUSED = 0x00050001;
  private static final int READ = 0;

  @ParameterizedTest
  @CsvSource({
    // processor, architecture, ptrace, process_vm_readv, process_vm_writev
    "amd64, 0xC000003E, 101, 310, 311",
    "amd64, 0x40000003, 26, 347, 348",
    "aarch64, 0xC00000B7, 117, 270, 271",
    "aarch64, 0x40000028, 26, 376, 377"
  })
  void callsThatReachIntoARunningProcessAreRefused(
      String processor, String architecture, int ptrace, int read, int write) {
    var audit = Long.decode(architecture).intValue();

    assertThat(judge(processor, audit, ptrace, 16)).as("attach").isEqualTo(REFUSED);
    assertThat(judge(processor, audit, ptrace, 0x4206)).as("seize").isEqualTo(REFUSED);
    assertThat(judge(processor, audit, read, 1)).isEqualTo(REFUSED);
    assertThat(judge(processor, audit, write, 1)).isEqualTo(REFUSED);
    assertThat(judge(processor, audit, 438, 1)).as("pidfd_getfd").isEqualTo(REFUSED);
    assertThat(judge(processor, audit, ptrace, 0)).as("traceme").isEqualTo(ALLOWED);
    assertThat(judge(processor, audit, READ, 1)).isEqualTo(ALLOWED);
    assertThat(judge(processor, audit, 434, 1)).as("pidfd_open").isEqualTo(ALLOWED);
  }

  @Test
  void callsOfOtherInterfacesAreRefused() {
    assertThat(judge("amd64", 0xC000003E, 0x40000000 | 521, 16)).as("x32").isEqualTo(REFUSED);
    assertThat(judge("amd64", 0xC00000B7, READ, 0)).as("other processor").isEqualTo(REFUSED);
  }

  @Test
  void otherProcessorHasNoFilter() {
    assertThat(SeccompFilter.program("riscv64")).hasSize(8);
  }

  /// Each line is a call and its error: 1 is EPERM.
  @Test
  @Tag("slow")
  void processInBubblewrapCannotAttachToItsParentAndADebuggerCanStartOne() throws Exception {
    Bubblewrapped.require();
    assumeThat(Path.of("/usr/bin/perl")).exists();
    var script =
        """
        use strict; my ($trace, $read) = @ARGV; my $parent = getppid();
        sub call { my ($name, @call) = @_; $! = 0; syscall(shift @call, @call); print "$name " . ($!+0) . "\\n" }
        call("attach", $trace, 16, $parent, 0, 0);
        call("seize", $trace, 0x4206, $parent, 0, 0);
        call("read", $read, $parent, 0, 0, 0, 0, 0);
        call("write", $read + 1, $parent, 0, 0, 0, 0, 0);
        call("getfd", 438, 0, 1, 0);
        call("traceme", $trace, 0, 0, 0, 0);
        """;
    var filter = new SeccompFilter();
    var command = new java.util.ArrayList<>(filter.command());
    command.add("bwrap");
    command.addAll(filter.options());
    command.addAll(List.of("--bind", "/", "/", "--dev", "/dev", "--unshare-user", "--"));
    command.addAll(List.of("sh", "-c", "perl -e \"$0\" \"$@\"; :", script));
    command.add(Integer.toString(SeccompFilter.ptrace()));
    command.add(Integer.toString(SeccompFilter.readMemory()));
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();

    assertThat(said).isEqualTo("attach 1\nseize 1\nread 1\nwrite 1\ngetfd 1\ntraceme 0\n");
  }

  @Test
  void filterIsWrittenAgainIfItWasDeleted() throws Exception {
    var filter = new SeccompFilter();
    assumeThat(filter.command()).isNotEmpty();
    Files.delete(Path.of(filter.command().getLast()));

    assertThat(Path.of(filter.command().getLast())).isNotEmptyFile();
  }

  /// Runs the filter as the kernel does, with the instructions that it uses.
  private static int judge(String processor, int architecture, int call, int argument) {
    var data = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
    data.putInt(0, call).putInt(4, architecture).putInt(16, argument);
    var program = ByteBuffer.wrap(SeccompFilter.program(processor)).order(ByteOrder.LITTLE_ENDIAN);
    var register = 0;
    for (int at = 0; ; at++) {
      var value = program.getInt(at * 8 + 4);
      var ifTrue = Byte.toUnsignedInt(program.get(at * 8 + 2));
      var ifFalse = Byte.toUnsignedInt(program.get(at * 8 + 3));
      switch (program.getShort(at * 8)) {
        case 0x20 -> register = data.getInt(value);
        case 0x15 -> at += register == value ? ifTrue : ifFalse;
        case 0x35 -> at += Integer.compareUnsigned(register, value) >= 0 ? ifTrue : ifFalse;
        case 0x06 -> {
          return value;
        }
        default -> throw new AssertionError("unknown instruction at " + at);
      }
    }
  }
}
