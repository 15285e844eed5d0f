package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.testkit.EmbeddedService;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `./runnel run …` before the real service.
@Timeout(60)
class RunCommandsTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final ObjectMapper json = new ObjectMapper();

  private EmbeddedService service;

  @BeforeEach
  void start(@TempDir Path folder) {
    service = new EmbeddedService(folder, "cat");
  }

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void aRunIsStartedWatchedListedAndShownForPeople() {
    assertThat(run("run", "start", "fix", "it")).isZero();
    var id = said().strip().replace("Started ", "");

    assertThat(run("run", "watch", id)).isZero();
    assertThat(said()).contains(id + "  SUCCEEDED");
    assertThat(run("run", "list")).isZero();
    assertThat(said()).startsWith(id + "  SUCCEEDED");
    assertThat(run("run", "show", id)).isZero();
    assertThat(said()).startsWith(id + "  SUCCEEDED");
    assertThat(run("run", "cancel", id)).isZero();
    assertThat(said().strip()).isEqualTo(id + " had already ended: SUCCEEDED");
  }

  @Test
  void programsAreToldTheSameAsJson() throws Exception {
    assertThat(run("run", "start", "fix it", "--json")).isZero();
    var id = json.readTree(said()).path("run_id").asText();

    assertThat(run("run", "list", "--json")).isZero();
    assertThat(json.readTree(said()).path("runs").path(0).path("run_id").asText()).isEqualTo(id);
    assertThat(run("run", "show", id, "--json")).isZero();
    assertThat(json.readTree(said()).path("run_id").asText()).isEqualTo(id);
    assertThat(run("run", "follow", id, "and", "that", "--json")).isZero();
    assertThat(json.readTree(said()).path("outcome").isTextual()).isTrue();
  }

  @Test
  void whatGoesWrongIsASentence() {
    assertThat(run("run", "show", "no-such-run")).isOne();
    assertThat(complained()).startsWith("Could not read run no-such-run: ").hasLineCount(1);

    assertThat(run("run", "start", " ")).isOne();
    assertThat(complained()).contains("A run needs a prompt").hasLineCount(1);

    assertThat(run("run", "follow", "no-such-run", " ")).isOne();
    assertThat(complained()).hasLineCount(1);
  }

  private int run(String... words) {
    out.reset();
    err.reset();
    var environment =
        Map.of(
            "RUNNEL_AGENT_API_URL",
            service.uri() + "/api/v1",
            "RUNNEL_AGENT_API_KEY",
            EmbeddedService.KEY);
    return new Main(stream(out), stream(err), environment).run(List.of(words));
  }

  private String said() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String complained() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private static PrintStream stream(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }
}
