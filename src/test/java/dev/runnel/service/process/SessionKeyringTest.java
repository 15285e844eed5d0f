package dev.runnel.service.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class SessionKeyringTest {
  @Test
  void everyProcessHasItsOwnEmptySessionKeyring() throws Exception {
    Assumptions.assumeTrue(Files.isReadable(Path.of("/proc/keys")), "Skipped: no keyrings here");
    var spawner = Spawner.system();

    var one = sessionKeyrings(spawner);
    var other = sessionKeyrings(spawner);

    assertThat(one).contains(" _ses: empty").isNotEqualTo(other);
  }

  /// Those that a process can see, as the kernel lists them.
  private static String sessionKeyrings(Spawner spawner) throws IOException, InterruptedException {
    var process = spawner.process(new ProcessBuilder("grep", " keyring  *_ses", "/proc/keys"));
    var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return text;
  }
}
