package dev.runnel.service.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.workspace.Snapshots.Outcome;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What is kept of a workspace, and what is taken out of an archive that somebody else wrote.
class SnapshotsTest {
  private static final long MIB = 1024L * 1024;
  private static final Outcome UNREADABLE =
      new Outcome.Missing("The snapshot of the workspace could not be read.");

  @TempDir Path folder;
  private Path root;
  private Path home;
  private Path staging;
  private Snapshots snapshots;

  @BeforeEach
  void open() throws IOException {
    root = Files.createDirectories(folder.resolve("workspaces/r1"));
    home = Files.createDirectories(folder.resolve("homes/r1/home"));
    staging = folder.resolve("staging");
    snapshots = snapshots(MIB);
  }

  private Snapshots snapshots(long limit) {
    return new Snapshots(folder.resolve("shared"), limit, Duration.ofSeconds(30));
  }

  private void keep(String... sessions) throws InterruptedException {
    snapshots.save(new Snapshots.Source("r1", 3, root, home, List.of(sessions)));
  }

  private Outcome restore() throws InterruptedException {
    return snapshots.restore("r1", staging, root, MIB);
  }

  private Path restored(String name) {
    return staging.resolve("workspace").resolve(name);
  }

  private void write(String name, String content) throws IOException {
    var file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  @Nested
  class Keeping {
    @Test
    void filesLinksAndFoldersAreRestoredUnchanged() throws Exception {
      var deep = "a-folder-with-a-long-name/".repeat(8) + "größe.txt";
      write("src/Main.java", "class Main {}");
      write(deep, "deep");
      write("empty.txt", "");
      write("run.sh", "echo");
      Files.setPosixFilePermissions(
          root.resolve("run.sh"), PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.createDirectory(root.resolve("nothing"));
      Files.createSymbolicLink(root.resolve("src/link"), Path.of("../run.sh"));
      var changed = Instant.parse("2026-01-02T03:04:05Z");
      Files.setLastModifiedTime(root.resolve("run.sh"), FileTime.from(changed));
      keep();

      assertThat(restore()).isEqualTo(new Outcome.Restored(3, false));
      assertThat(restored("src/Main.java")).hasContent("class Main {}");
      assertThat(restored(deep)).hasContent("deep");
      assertThat(restored("empty.txt")).isEmptyFile();
      assertThat(restored("nothing")).isEmptyDirectory();
      assertThat(restored("run.sh")).isExecutable();
      assertThat(Files.getLastModifiedTime(restored("run.sh")).toInstant()).isEqualTo(changed);
      assertThat(Files.readSymbolicLink(restored("src/link"))).isEqualTo(Path.of("../run.sh"));
    }

    @Test
    void snapshotIsReadableOnlyByItsOwner() throws Exception {
      write("a", "x");
      keep();
      restore();

      for (var each : List.of(folder.resolve("shared"), staging.resolve("workspace"))) {
        assertThat(permissions(each)).isEqualTo("rwx------");
      }
      for (var each : List.of(folder.resolve("shared/r1.tar.gz"), restored("a"))) {
        assertThat(permissions(each)).isEqualTo("rw-------");
      }
      assertThat(folder.resolve("shared")).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void regenerableFoldersAreOmittedUnlessGitTracksThem() throws Exception {
      write("node_modules/x/index.js", "x");
      write("pom.xml", "<project/>");
      write("target/classes/A.class", "x");
      write("docs/target/notes.md", "notes");
      write("cache/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n");
      write("tracked/.git/index", "DIRC\0\0\0\2 … node_modules/kept.js\0");
      write("tracked/node_modules/kept.js", "kept");
      write("tracked/__pycache__/a.pyc", "x");
      keep();
      restore();

      assertThat(restored("docs/target/notes.md")).exists();
      assertThat(restored("tracked/node_modules/kept.js")).exists();
      assertThat(Stream.of("node_modules", "target", "cache", "tracked/__pycache__"))
          .noneMatch(each -> Files.exists(restored(each)));
    }

    @Test
    void linksOutOfTheWorkspaceAreOmitted() throws Exception {
      write("d/file", "x");
      Files.createSymbolicLink(root.resolve("absolute"), Path.of("/etc/passwd"));
      Files.createSymbolicLink(root.resolve("above"), Path.of("../other"));
      Files.createSymbolicLink(root.resolve("d/inside"), Path.of("../d/file"));
      Files.createSymbolicLink(root.resolve("self"), Path.of("."));
      Files.createSymbolicLink(root.resolve("through"), Path.of("self/../../other"));
      keep();
      restore();

      assertThat(restored("d/inside")).hasContent("x");
      assertThat(Stream.of("absolute", "above", "through"))
          .noneMatch(each -> Files.exists(restored(each), LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void theSessionIsKeptWithoutTheLogin() throws Exception {
      Files.createDirectories(home.resolve(".claude/projects/p"));
      Files.writeString(home.resolve(".claude/projects/p/s.jsonl"), "said");
      Files.writeString(home.resolve(".claude/.credentials.json"), "secret");
      keep(".claude/projects", ".claude/none");

      assertThat(restore()).isEqualTo(new Outcome.Restored(3, true));
      var there = staging.resolve("home/.claude");
      assertThat(there.resolve("projects/p/s.jsonl")).hasContent("said");
      assertThat(there.resolve(".credentials.json")).doesNotExist();
    }

    @Test
    void aSessionThatIsALinkIsNotFollowed() throws Exception {
      Files.writeString(folder.resolve("secret"), "secret");
      Files.createDirectories(home.resolve(".claude"));
      Files.createSymbolicLink(home.resolve(".claude/projects"), folder);
      keep(".claude/projects");

      assertThat(restore()).isEqualTo(new Outcome.Restored(3, false));
    }

    @Test
    void sessionIsOmittedIfTheWorkspaceHasAnotherPath() throws Exception {
      Files.createDirectories(home.resolve("sessions"));
      Files.writeString(home.resolve("sessions/s"), "said");
      keep("sessions");

      assertThat(snapshots.restore("r1", staging, folder.resolve("elsewhere/r1"), MIB))
          .isEqualTo(new Outcome.Restored(3, false));
      assertThat(staging.resolve("home")).doesNotExist();
    }

    @Test
    void missingSnapshotOfATooLargeWorkspaceIsExplained() throws Exception {
      write("a", "small");
      keep();
      snapshots = snapshots(1000);
      var noise = new byte[5000];
      new Random(1).nextBytes(noise);
      Files.write(root.resolve("b"), noise);
      keep();

      assertThat(restore())
          .isEqualTo(
              new Outcome.Missing(
                  "The workspace was too large for a snapshot (agents.snapshots_limit)."));
      assertThat(Files.size(folder.resolve("shared/r1.tar.gz"))).isLessThan(1000);
    }

    @Test
    void oldSnapshotsAndUnfinishedFilesAreDeleted() throws Exception {
      keep();
      var part = Files.writeString(folder.resolve("shared/.r1.x.part"), "x");
      var now = Instant.now();
      snapshots.deleteBefore(now.minusSeconds(60), now);
      assertThat(restore()).isInstanceOf(Outcome.Restored.class);

      Files.setLastModifiedTime(part, FileTime.from(now.minus(Duration.ofDays(2))));
      snapshots.deleteBefore(now.plusSeconds(60), now);
      assertThat(folder.resolve("shared")).isEmptyDirectory();
      assertThat(restore())
          .isEqualTo(new Outcome.Missing("There is no snapshot of the workspace."));
    }

    private String permissions(Path path) throws IOException {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
  }

  @Nested
  class Attacks {
    @ParameterizedTest
    @ValueSource(
        strings = {
          "../out",
          "/tmp/out",
          "workspace/../out",
          "workspace/../../out",
          "workspace/./out",
          "workspace",
          "elsewhere/out",
          "",
          "workspace/a\0b"
        })
    void aNameOutsideOfTheWorkspaceIsRefused(String name) throws Exception {
      archive(tar -> file(tar, name, "x"));

      assertThat(restore()).isEqualTo(UNREADABLE);
      assertThat(folder.resolve("out")).doesNotExist();
      assertThat(staging.resolve("out")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/etc/passwd", "..", "../..", "d/..", "d/../../x", "../workspace/x"})
    void aLinkOutOfTheWorkspaceIsRefused(String target) throws Exception {
      archive(tar -> tar.link("workspace/link", target));

      assertThat(restore()).isEqualTo(UNREADABLE);
      assertThat(Files.exists(restored("link"), LinkOption.NOFOLLOW_LINKS)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"workspace/l", "workspace/l/", "workspace//l", "workspace//l//"})
    void nothingIsWrittenThroughALink(String link) throws Exception {
      archive(
          tar -> {
            tar.folder("workspace/d");
            tar.link(link, "d");
            file(tar, "workspace/l/file", "x");
          });
      restore();

      assertThat(restored("d")).isEmptyDirectory();
    }

    @Test
    void duplicateFileIsRefused() throws Exception {
      archive(
          tar -> {
            file(tar, "workspace/a", "x");
            file(tar, "workspace/a", "y");
          });

      assertThat(restore()).isEqualTo(UNREADABLE);
    }

    @ParameterizedTest
    @ValueSource(chars = {'1', '3', '4', '6', '7', 'L', 'g'})
    void hardLinksDevicesAndPipesAreRefused(char type) throws Exception {
      archive(bytes(tar -> tar.folder("workspace/d")), type);

      assertThat(restore()).isEqualTo(UNREADABLE);
      assertThat(restored("d")).doesNotExist();
    }

    @Test
    void oversizedArchiveIsRefusedBeforeItIsUnpacked() throws Exception {
      archive(
          tar ->
              tar.file(
                  "workspace/bomb",
                  false,
                  Instant.EPOCH,
                  2 * MIB,
                  new ByteArrayInputStream(new byte[0])));

      assertThat(restore()).isEqualTo(UNREADABLE);
      assertThat(restored("bomb")).doesNotExist();
    }

    /// They would take no space of the workspace, and no end.
    @Test
    void anEntryWithSeveralLongNamesIsRefused() throws Exception {
      var bytes = bytes(tar -> tar.folder("workspace/" + "d".repeat(150)));
      var begin = 2 * TarWriter.BLOCK;
      var name = Arrays.copyOfRange(bytes, begin, begin + 2 * TarWriter.BLOCK);
      var all = new ByteArrayOutputStream();
      all.write(bytes, 0, begin);
      all.writeBytes(name);
      all.write(bytes, begin, bytes.length - begin);
      archive(all.toByteArray(), '\0');

      assertThat(restore()).isEqualTo(UNREADABLE);
    }

    @Test
    void anArchiveThatEndsEarlyIsRefused() throws Exception {
      write("a", "x".repeat(100_000));
      keep();
      var file = folder.resolve("shared/r1.tar.gz");
      var bytes = Files.readAllBytes(file);
      Files.write(file, List.of(), StandardCharsets.UTF_8);
      Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));

      assertThat(restore()).isEqualTo(UNREADABLE);
    }

    @Test
    void anArchiveThatIsALinkIsNotRead() throws Exception {
      keep();
      var file = folder.resolve("shared/r1.tar.gz");
      Files.move(file, folder.resolve("elsewhere"));
      Files.createSymbolicLink(file, folder.resolve("elsewhere"));

      assertThat(restore()).isEqualTo(UNREADABLE);
    }

    @Test
    void invalidRunIdAccessesNoFile() throws Exception {
      assertThat(snapshots.restore("../r1", staging, root, MIB)).isEqualTo(UNREADABLE);
      snapshots.delete("../r1");
    }

    private interface Content {
      void write(TarWriter tar) throws IOException;
    }

    private void file(TarWriter tar, String name, String content) throws IOException {
      var bytes = content.getBytes(StandardCharsets.UTF_8);
      tar.file(name, false, Instant.EPOCH, bytes.length, new ByteArrayInputStream(bytes));
    }

    private void archive(Content content) throws IOException {
      archive(bytes(content), '\0');
    }

    private byte[] bytes(Content content) throws IOException {
      var bytes = new ByteArrayOutputStream();
      try (var tar = new TarWriter(bytes)) {
        file(tar, "snapshot", "execution=1\nworkspace=%s\nwhole=true\n".formatted(root));
        content.write(tar);
      }
      return bytes.toByteArray();
    }

    /// @param type of the entry after the first; NUL to leave it
    private void archive(byte[] bytes, char type) throws IOException {
      if (type != '\0') {
        var at = 2 * TarWriter.BLOCK;
        bytes[at + TarWriter.TYPE] = (byte) type;
        var header = Arrays.copyOfRange(bytes, at, at + TarWriter.BLOCK);
        var sum =
            "%06o\0 ".formatted(TarWriter.checksum(header)).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(sum, 0, bytes, at + TarWriter.CHECKSUM, sum.length);
      }
      Files.createDirectories(folder.resolve("shared"));
      try (var out =
          new GZIPOutputStream(Files.newOutputStream(folder.resolve("shared/r1.tar.gz")))) {
        out.write(bytes);
      }
    }
  }
}
