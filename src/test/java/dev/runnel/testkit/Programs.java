package dev.runnel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Runs programs of this machine with an operator's home folder and no other variable than `PATH`.
public final class Programs extends FakeCommandRunner {
  private final Path home;

  public Programs(Path home) {
    this.home = home;
  }

  @Override
  public Result program(List<String> command, Path folder, Map<String, String> variables)
      throws InterruptedException {
    var builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().keySet().retainAll(List.of("PATH"));
    builder.environment().put("HOME", home.toString());
    builder.environment().putAll(variables);
    try {
      var process = builder.start();
      var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Result(process.waitFor(), output, output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The output of git, which must succeed.
  public String git(Path folder, String... arguments) throws InterruptedException {
    var command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    var result = program(command, folder, Map.of());
    assertThat(result.status()).as(result.lastLines()).isZero();
    return result.output();
  }

  public boolean isInstalled(String program) {
    return List.of(System.getenv("PATH").split(":")).stream()
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }
}
