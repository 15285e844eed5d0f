package dev.runnel.service.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SocketProcessTest {
  @TempDir Path folder;

  @BeforeEach
  void isPossibleHere() {
    assumeThat(SocketProcess.isPossible()).isTrue();
  }

  @Test
  void whatAProgramStartsCannotOpenItsInputAndOutputByPath() throws Exception {
    var forge = "for i in 0 1; do (echo forged > /proc/$PPID/fd/$i) 2>/dev/null; done";
    var attempt = forge.replace("$PPID", "$$");

    assertThat(output("sh", "-c", attempt + "; sh -c '" + forge + "'; echo true"))
        .isEqualTo("true\n");
  }

  @Test
  void standardErrorCanBeOpenedByPath() throws Exception {
    var process = start("sh", "-c", "echo x > /dev/stderr");

    assertThat(process.getErrorStream().readAllBytes()).asString().isEqualTo("x\n");
  }

  @Test
  void programHasTheGivenVariablesAndFolderAndNothingElse() throws Exception {
    assertThat(output("/usr/bin/env").lines())
        // The shell adds the folder.
        .filteredOn(it -> !it.startsWith("PWD="))
        .containsExactlyInAnyOrder("PATH=" + System.getenv("PATH"), "NAME=é=1");
    assertThat(output("pwd")).isEqualTo(folder.toRealPath() + "\n");
    assertThat(output("sh", "-c", "ls -1 /proc/$$/fd")).isEqualTo("0\n1\n2\n");
  }

  @Test
  void programIgnoresAndBlocksNoSignal() throws Exception {
    assertThat(output("grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"))
        // Except for the two that the C library keeps for itself.
        .matches("SigBlk:\\s+0{16}\nSigIgn:\\s+(0{16}|0000000180000000)\n");
  }

  @Test
  void inputEndsWhenItIsClosed() throws Exception {
    var process = start("sh", "-c", "wc -c");
    try (var input = process.getOutputStream()) {
      input.write(new byte[3_000_000]);
    }

    assertThat(process.getInputStream().readAllBytes()).asString().isEqualTo("3000000\n");
    assertThat(process.waitFor()).isZero();
  }

  @Test
  void inputThatNobodyReadsAnyMoreIsRefused() throws Exception {
    var process = start("true");
    process.waitFor();

    assertThatThrownBy(() -> process.getOutputStream().write(new byte[1]))
        .isInstanceOf(IOException.class)
        .hasMessage("cannot write: error=32");
  }

  @Test
  void exitStatusIsThatOfOtherProcesses() throws Exception {
    assertThat(start("sh", "-c", "exit 7").waitFor()).isEqualTo(7);
    assertThat(start("sh", "-c", "kill -9 $$").waitFor()).isEqualTo(137);
    assertThat(start("/no/such/program").waitFor()).isEqualTo(127);
  }

  @Test
  void processIsEndedOnRequest() throws Exception {
    var process = start("sleep", "300");
    assertThat(process.isAlive()).isTrue();
    assertThat(process.waitFor(1, TimeUnit.MILLISECONDS)).isFalse();
    assertThatThrownBy(process::exitValue).isInstanceOf(IllegalThreadStateException.class);

    process.destroyForcibly();

    assertThat(process.waitFor()).isEqualTo(137);
    assertThat(process.isAlive()).isFalse();
    assertThat(ProcessHandle.of(process.pid())).isEmpty();
  }

  @Test
  void folderThatDoesNotExistIsAnError() {
    var builder = builder("true").directory(folder.resolve("none").toFile());

    assertThatThrownBy(() -> Spawner.system().process(builder, Spawner.Channel.SOCKET))
        .isInstanceOf(IOException.class)
        .hasMessage("cannot start a process: error=2");
  }

  @Test
  void wordWithANullCharacterIsAnError() {
    assertThatThrownBy(() -> start("echo", "a\0b")).isInstanceOf(IOException.class);
  }

  @Test
  void thousandProcessesLeaveNoOpenFileBehind() throws Exception {
    var before = openFiles();
    for (var i = 0; i < 1000; i++) {
      assertThat(output("echo", "x")).isEqualTo("x\n");
    }

    assertThat(openFiles()).isLessThan(before + 100);
  }

  @Test
  void processIsAChildThatOthersFind() throws Exception {
    var spawner = Spawner.system();
    var process = spawner.process(builder("sleep", "300"), Spawner.Channel.SOCKET);
    try {
      assertThat(process.toHandle().parent()).contains(ProcessHandle.current());
      assertThat(process.info().startInstant()).isPresent();
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private static long openFiles() throws IOException {
    try (var all = Files.list(Path.of("/proc/self/fd"))) {
      return all.count();
    }
  }

  private String output(String... command) throws Exception {
    var process = start(command);
    process.getOutputStream().close();
    process.getErrorStream().close();
    try (var output = process.getInputStream()) {
      var text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      return text;
    }
  }

  private Process start(String... command) throws IOException {
    return Spawner.system().process(builder(command), Spawner.Channel.SOCKET);
  }

  private ProcessBuilder builder(String... command) {
    var builder = new ProcessBuilder(List.of(command)).directory(folder.toFile());
    builder.environment().clear();
    builder.environment().putAll(Map.of("PATH", System.getenv("PATH")));
    builder.environment().put("NAME", "é=1");
    return builder;
  }
}
