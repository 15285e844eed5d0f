package dev.runnel.app.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.app.Main;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A port that is taken is known before anything is built or opened.
class PortProbeTest {
  private ServerSocket taken;
  private String port;

  @BeforeEach
  void listen() throws IOException {
    taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    port = Integer.toString(taken.getLocalPort());
  }

  @AfterEach
  void close() throws IOException {
    taken.close();
  }

  @Test
  void occupiedPortIsDetectedFromTheArgumentsAndTheEnvironment() {
    var problem =
        "Port %s on 127.0.0.1 is not free. Stop what listens there, or choose another port with PORT or --port."
            .formatted(port);

    assertThat(PortProbe.problem(List.of("--port", port), Map.of())).contains(problem);
    assertThat(PortProbe.problem(List.of("serve", "--data", "d"), Map.of("PORT", port)))
        .contains(problem);
    assertThat(PortProbe.problem(List.of(), Map.of("RUNNEL_PORT", port))).contains(problem);
    assertThat(PortProbe.problem(List.of("--port", "0"), Map.of("PORT", port))).isEmpty();
  }

  @Test
  void hostAddressOfAnotherMachineIsReported() {
    assertThat(PortProbe.problem(List.of("--port", "0"), Map.of("RUNNEL_HOST", "192.0.2.1")))
        .contains(
            "RUNNEL_HOST is 192.0.2.1, and this machine has no such address. Leave it out to listen"
                + " on 127.0.0.1.");
  }

  @Test
  void portIsNotProbedForCommandsThatDoNotListen() {
    assertThat(PortProbe.problem(List.of("check", "--port", port), Map.of())).isEmpty();
    assertThat(PortProbe.problem(List.of("run", "list"), Map.of("PORT", port))).isEmpty();
    assertThat(PortProbe.problem(List.of("--help"), Map.of("PORT", port))).isEmpty();
  }

  @Test
  void occupiedPortIsNotReportedIfASettingsFileMayOverrideIt() {
    assertThat(PortProbe.problem(List.of("--config", "c.yaml"), Map.of("PORT", port))).isEmpty();
    assertThat(PortProbe.problem(List.of(), Map.of("PORT", port, "RUNNEL_CONFIG", "c"))).isEmpty();
  }

  @Test
  void startOnAnOccupiedPortOpensNoDatabase(@TempDir Path folder) {
    var said = new ByteArrayOutputStream();
    var print = new PrintStream(said, true, StandardCharsets.UTF_8);

    var status =
        new Main(print, print, Map.of())
            .run(List.of("serve", "--port", port, "--data", folder.resolve("data").toString()));

    assertThat(status).isOne();
    assertThat(said.toString(StandardCharsets.UTF_8))
        .isEqualToIgnoringNewLines(
            "Port %s on 127.0.0.1 is not free. Stop what listens there, or choose another port with PORT or --port."
                .formatted(port));
    assertThat(Files.exists(folder.resolve("data/runnel.db"))).isFalse();
  }
}
