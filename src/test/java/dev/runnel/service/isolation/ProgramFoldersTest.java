package dev.runnel.service.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgramFoldersTest {
  @TempDir Path temporary;
  private Path home;

  @BeforeEach
  void haveAHome() throws IOException {
    home = Files.createDirectories(temporary.toRealPath().resolve("home"));
  }

  @Test
  void binFolderOfAnInstallationExposesTheInstallation() throws IOException {
    var node = Files.createDirectories(home.resolve(".nvm/v22"));
    Files.createDirectories(node.resolve("lib"));
    Files.createDirectories(node.resolve("bin"));

    assertThat(of(node + "/bin")).containsExactly(node);
  }

  @Test
  void linkedProgramIsExposedAloneOrWithItsModules() throws IOException {
    var bin = Files.createDirectories(home.resolve(".local/bin"));
    Files.createDirectories(home.resolve(".local/lib"));
    var claude = program(home.resolve(".local/share/claude/versions/2"));
    var codex = program(home.resolve("npm/node_modules/codex/cli.js"));
    Files.createSymbolicLink(bin.resolve("claude"), claude);
    Files.createSymbolicLink(bin.resolve("codex"), codex);
    Files.createSymbolicLink(
        bin.resolve("notes"), Files.writeString(home.resolve("notes.txt"), "private"));

    assertThat(of(bin.toString()))
        .containsExactlyInAnyOrder(bin, claude, home.resolve("npm/node_modules"));
  }

  @Test
  void pathFoldersDoNotExposeTheHomeFolderOrHiddenPaths() throws IOException {
    var data = Files.createDirectories(home.resolve("runnel/data"));
    Files.createDirectories(home.resolve("lib"));
    var bin = Files.createDirectories(home.resolve("bin"));

    assertThat(of(home + ":" + temporary.toRealPath() + ":/:" + data.getParent() + ":" + bin))
        .containsExactly(bin);
  }

  private Iterable<Path> of(String path) {
    return ProgramFolders.of(
        new Machine(
            Map.of("PATH", path, "HOME", home.toString()), List.of(home.resolve("runnel/data"))));
  }

  private static Path program(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file;
  }
}
