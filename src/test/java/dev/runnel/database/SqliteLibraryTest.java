package dev.runnel.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class SqliteLibraryTest {
  private static final String PATH = "org.sqlite.lib.path";
  @TempDir Path folder;
  private String before;

  @BeforeEach
  void forgetThePath() {
    before = System.clearProperty(PATH);
  }

  @AfterEach
  void restoreThePath() {
    if (before == null) {
      System.clearProperty(PATH);
    } else {
      System.setProperty(PATH, before);
    }
  }

  @Test
  void sqliteLibraryIsUnpackedOnceAndItsPathIsSetForTheDriver() throws IOException {
    SqliteLibrary.unpack(folder);
    var home = Path.of(System.getProperty(PATH));
    var library = onlyFile(home);
    var written = Files.getLastModifiedTime(library);
    System.clearProperty(PATH);

    SqliteLibrary.unpack(folder);

    assertThat(home).startsWith(folder);
    assertThat(System.getProperty(PATH)).isEqualTo(home.toString());
    assertThat(onlyFile(home)).isEqualTo(library);
    assertThat(Files.getLastModifiedTime(library)).isEqualTo(written);
    // It is the whole library: the loader of the JDK takes it.
    assertThat(Files.size(library)).isGreaterThan(500_000);
  }

  @Test
  void configuredLibraryPathIsKept() {
    System.setProperty(PATH, "/elsewhere");

    SqliteLibrary.unpack(folder);

    assertThat(System.getProperty(PATH)).isEqualTo("/elsewhere");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void driverUnpacksItsLibraryIfRunnelCannot() throws IOException {
    Files.createFile(folder.resolve(SqliteLibrary.FOLDER));

    SqliteLibrary.unpack(folder);

    assertThat(System.getProperty(PATH)).isNull();
  }

  private static Path onlyFile(Path home) throws IOException {
    try (var files = Files.list(home)) {
      var all = files.toList();
      assertThat(all).hasSize(1);
      return List.copyOf(all).getFirst();
    }
  }
}
