package dev.runnel.app.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.app.settings.SettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DataFolderTest {
  @TempDir Path folder;

  @Test
  void dataFolderIsAccessibleOnlyToItsOwner() throws IOException {
    var data = folder.resolve("deep/data");
    DataFolder.open(data).close();

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
        .isEqualTo("rwx------");
  }

  @Test
  void existingFilesBecomeInaccessibleToOthers() throws IOException {
    var data = Files.createDirectory(folder.resolve("data"));
    var files =
        List.of("agent-api-key", "console-address", "runnel.db", "agent-runs.db-wal", "lock");
    var folders = List.of("workspaces", "repositories", "agents");
    for (var name : files) {
      Files.createFile(data.resolve(name));
      Files.setPosixFilePermissions(
          data.resolve(name), PosixFilePermissions.fromString("rw-r--r--"));
    }
    for (var name : folders) {
      Files.createDirectory(data.resolve(name));
      Files.setPosixFilePermissions(
          data.resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));

    DataFolder.open(data).close();

    assertThat(files)
        .allSatisfy(name -> assertThat(permissions(data, name)).isEqualTo("rw-------"));
    assertThat(folders)
        .allSatisfy(name -> assertThat(permissions(data, name)).isEqualTo("rwx------"));
    assertThat(permissions(data, "")).isEqualTo("rwx------");
  }

  @Test
  void writtenFileIsReadableOnlyByItsOwner() throws IOException {
    try (var data = DataFolder.open(folder.resolve("data"))) {
      data.write("console-address", "http://127.0.0.1:3000");
      data.write("console-address", "http://127.0.0.1:3001");

      assertThat(data.file("console-address")).hasContent("http://127.0.0.1:3001");
      assertThat(permissions(data.path(), "console-address")).isEqualTo("rw-------");
    }
  }

  @Test
  void permissionsOfASharedFolderStayUnchanged() throws IOException {
    var data = Files.createDirectory(folder.resolve("project"));
    Files.createFile(data.resolve("README.md"));
    Files.createFile(data.resolve("runnel.db"));
    for (var name : List.of("", "README.md", "runnel.db")) {
      Files.setPosixFilePermissions(
          data.resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    DataFolder.open(data).close();

    assertThat(permissions(data, "")).isEqualTo("rwxr-xr-x");
    assertThat(permissions(data, "README.md")).isEqualTo("rwxr-xr-x");
    assertThat(permissions(data, "runnel.db")).isEqualTo("rw-------");
    assertThat(permissions(data, "lock")).isEqualTo("rw-------");
  }

  private static String permissions(Path data, String name) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve(name)));
  }

  @Test
  void fileInPlaceOfTheDataFolderIsReported() throws IOException {
    var file = Files.createFile(folder.resolve("data"));

    assertThatThrownBy(() -> DataFolder.open(file))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("a file has that name");
  }

  @Test
  void aFolderThatCannotBeCreatedIsNamedWithTheReason() {
    assertThatThrownBy(() -> DataFolder.open(Path.of("/proc/runnel")))
        .isInstanceOf(SettingsException.class)
        .hasMessageStartingWith(
            "The data folder /proc/runnel cannot be used: it cannot be created.");
  }

  @Test
  void theFilesOfOneRunAreDeletedAndNoOthers() throws IOException {
    for (var name : List.of("workspaces/run-1/deep/down", "homes/run-1", "workspaces/run-10")) {
      Files.createDirectories(folder.resolve(name));
    }
    Files.createFile(folder.resolve("workspaces/run-1.ready"));
    Files.createFile(folder.resolve("workspaces/run-10.ready"));
    Files.setPosixFilePermissions(
        folder.resolve("workspaces/run-1/deep"), PosixFilePermissions.fromString("---------"));

    DataFolder.deleteOfRun(folder, "run-1");

    assertThat(folder.resolve("homes")).isEmptyDirectory();
    assertThat(names(folder.resolve("workspaces")))
        .containsExactlyInAnyOrder("run-10", "run-10.ready");
  }

  @Test
  void aDataFolderThatWasNeverMadeHasNoFilesOfARun() {
    assertThatCode(() -> DataFolder.deleteOfRun(folder.resolve("none"), "run-1"))
        .doesNotThrowAnyException();
  }

  private static List<String> names(Path parent) throws IOException {
    try (var entries = Files.list(parent)) {
      return entries.map(entry -> entry.getFileName().toString()).toList();
    }
  }

  @Test
  void theKeyIsMadeOnceAndReadableByItsOwnerAlone() throws IOException {
    var key = DataFolder.key(folder);

    assertThat(key).matches("wk-[0-9a-f]{48}");
    assertThat(DataFolder.key(folder)).isEqualTo(key);
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(folder.resolve("agent-api-key"))))
        .isEqualTo("rw-------");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " \n", "two words", "wk-ключ"})
  void damagedKeyIsRefusedWithoutBeingShown(String key) throws IOException {
    Files.writeString(folder.resolve("agent-api-key"), key);

    assertThatThrownBy(() -> DataFolder.key(folder))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("agent-api-key is damaged")
        .hasMessageNotContaining("two words");
  }

  @Test
  void aKeyFileThatIsNoTextIsNamed() throws IOException {
    Files.write(folder.resolve("agent-api-key"), new byte[] {(byte) 0xff, (byte) 0xfe});

    assertThatThrownBy(() -> DataFolder.key(folder))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("cannot be read");
  }
}
