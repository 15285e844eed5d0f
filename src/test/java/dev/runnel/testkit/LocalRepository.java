package dev.runnel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A real git repository on this disk, with the default branch `main`.
public record LocalRepository(Path folder) {
  public static LocalRepository make(Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var repository = new LocalRepository(folder);
    repository.git("init", "--quiet", "--initial-branch=main");
    return repository;
  }

  /// Hosts a repository for a Runnel with this data folder, as the only one of its only
  /// environment: an emulator of a forge has no git, so what would be cloned from it is here.
  ///
  /// @param forge the address of the emulator, as it writes its links
  /// @param name `dana/shop`
  public static void host(Path data, String forge, String name) throws IOException {
    make(data.resolve("forge/" + name + ".git")).commit("README.md", "The shop\n");
    Files.writeString(
        data.resolve(".gitconfig"),
        """
        [user]
        name = Agent
        email = agent@example.com
        [url "file://%s/"]
        insteadOf = %s/
        """
            .formatted(data.resolve("forge"), forge));
    Files.writeString(
        data.resolve("runnel.yaml"),
        """
        agents:
          default_environment: shop
          environments:
            shop:
              repositories: ["%s/%s.git"]
        """
            .formatted(forge, name));
  }

  /// Writes a file and commits it.
  ///
  /// @return the commit
  public String commit(String path, String text) {
    try {
      var file = folder.resolve(path);
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return commitAll();
  }

  public String commitAll() {
    git("add", "--all");
    git("commit", "--quiet", "--message", "A change");
    return git("rev-parse", "HEAD").strip();
  }

  public String url() {
    return "file://" + folder.toAbsolutePath();
  }

  /// @return what git printed, after checking that it went well
  public String git(String... arguments) {
    var command = new ArrayList<>(List.of("git"));
    command.addAll(List.of("-c", "user.name=Ann", "-c", "user.email=ann@example.com"));
    command.addAll(List.of(arguments));
    try {
      var process =
          new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
      var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(output).isZero();
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
