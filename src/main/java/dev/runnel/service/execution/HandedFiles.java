package dev.runnel.service.execution;

import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.NewArtifact;
import dev.runnel.service.workspace.AgentUser;
import dev.runnel.service.workspace.Folders;
import dev.runnel.text.Redactor;
import dev.runnel.text.Sha256;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The files that an agent hands over to people: all regular files in one folder of the workspace,
/// which [#VARIABLE] names.
///
/// They are collected when all processes of the execution have ended, so that they do not change
/// between the check and the next execution.
final class HandedFiles {
  /// The name of the variable with the path of the folder.
  static final String VARIABLE = "RUNNEL_ARTIFACTS";

  private static final Logger log = LoggerFactory.getLogger(HandedFiles.class);

  // Hidden, so that it is neither the name of a repository nor visible in one.
  private static final String FOLDER = ".artifacts";
  private static final int MAX_FILES = 20;
  private static final int MAX_VISITED = 1_000;

  /// The contents of larger files are withheld, because they are not checked for secrets.
  private static final long MAX_CHECKED = 20L * 1024 * 1024;

  /// @param notes notes for the transcript about files that are not handed over or withheld
  record Found(List<NewArtifact> files, List<String> notes) {}

  private HandedFiles() {}

  /// @param root the run's workspace
  static Path folder(Path root) {
    return root.resolve(FOLDER);
  }

  /// Creates the folder. If that fails, the agent can still work.
  static void createFolder(Path root, AgentUser owner) {
    try {
      if (!Files.exists(folder(root), LinkOption.NOFOLLOW_LINKS)) {
        var _ = Folders.createBelow(root, Path.of(FOLDER), owner);
      }
    } catch (IOException e) {
      log.warn("cannot make folder for handed files folder={}", folder(root), e);
    }
  }

  /// @param redactor detects secrets, which must not be handed over
  static Found collect(ExecutionRequest executionRequest, Path root, Redactor redactor) {
    var files = new ArrayList<NewArtifact>();
    var notes = new ArrayList<String>();
    try {
      var paths = paths(folder(root));
      for (var path : paths.subList(0, Math.min(paths.size(), MAX_FILES))) {
        var relativePath = folder(root).relativize(path).toString();
        if (!redactor.redact(relativePath).equals(relativePath)) {
          notes.add("A file was not handed over: its name contains a secret.");
          continue;
        }
        if (Files.size(path) > MAX_CHECKED) {
          notes.add(relativePath + " was not handed over: it is larger than 20 MiB.");
          continue;
        }
        var bytes = Files.readAllBytes(path);
        var hasSecret = hasSecret(bytes, redactor);
        if (hasSecret) {
          notes.add(relativePath + " is withheld: it contains a secret.");
        }
        files.add(
            NewArtifact.handedOver(
                executionRequest,
                root,
                path,
                bytes.length,
                HexFormat.of().formatHex(Sha256.of(bytes)),
                hasSecret));
      }
      if (paths.size() > MAX_FILES) {
        notes.add("Only the first %d files were handed over.".formatted(MAX_FILES));
      }
    } catch (IOException e) {
      log.warn("cannot read handed files run={}", executionRequest.runId(), e);
      notes.add("The files that the agent handed over could not be read.");
    }
    return new Found(files, notes);
  }

  /// The regular files below the folder, sorted; links are neither followed nor listed.
  private static List<Path> paths(Path folder) throws IOException {
    var found = new ArrayList<Path>();
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return found;
    }
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          private int visited;

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile() && attributes.size() > 0) {
              found.add(file);
            }
            return ++visited < MAX_VISITED ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
          }
        });
    found.sort(null);
    return found;
  }

  /// Checks all bytes, also those of an image, whose metadata may contain a secret.
  private static boolean hasSecret(byte[] bytes, Redactor redactor) {
    var text = text(bytes);
    return !redactor.redact(text).equals(text);
  }

  private static String text(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException _) {
      return new String(bytes, StandardCharsets.ISO_8859_1);
    }
  }
}
