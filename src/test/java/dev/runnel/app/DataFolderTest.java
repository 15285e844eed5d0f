package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DataFolderTest {
  @TempDir Path folder;

  @Test
  void isItsOwnersAlone() throws IOException {
    var data = folder.resolve("deep/data");
    DataFolder.open(data).close();

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
        .isEqualTo("rwx------");
  }

  @Test
  void aFileInItsPlaceIsNamed() throws IOException {
    var file = Files.createFile(folder.resolve("data"));

    assertThatThrownBy(() -> DataFolder.open(file))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("a file has that name");
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
  void aDamagedKeyIsNeitherUsedNorQuoted(String key) throws IOException {
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
