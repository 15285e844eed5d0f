package dev.runnel.service.agent;

import dev.runnel.service.run.AgentAccess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The place from which one execution's agent is set up: a private folder beside the workspaces,
/// never in one, for configuration that holds secrets. What was laid there is taken away at the
/// end of the execution; what an execution of a killed service left is overwritten by the next.
public final class LaunchFiles implements AutoCloseable {
  private static final int MAX_NAME = 100;

  private final Path folder;
  private final Path workspace;
  private final Map<String, String> environment;
  private final AgentAccess agentAccess;
  private final List<Path> written = new ArrayList<>();
  private boolean attached;
  private Optional<Path> recalled = Optional.empty();

  /// @param folder of this run alone; made when something is laid there
  /// @param environment what the agent will find, its credentials among it
  public LaunchFiles(
      Path folder, Path workspace, Map<String, String> environment, AgentAccess agentAccess) {
    this.folder = folder.toAbsolutePath();
    this.workspace = workspace.toAbsolutePath();
    this.environment = Map.copyOf(environment);
    this.agentAccess = agentAccess;
  }

  Path folder() {
    return folder;
  }

  Path workspace() {
    return workspace;
  }

  AgentAccess access() {
    return agentAccess;
  }

  Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }

  /// The home folder of who runs the agents, where they find their logins.
  public Path home() {
    return Path.of(variable("HOME").orElse(System.getProperty("user.home")));
  }

  /// Lays a file into the private folder.
  Path lay(String name, String content) throws IOException {
    return lay(folder, name, content);
  }

  /// Lays what came with the prompt where the agent can read it.
  ///
  /// @param name as the sender calls it
  public Path attach(int number, String name, byte[] content) throws IOException {
    var plain = name.replaceAll("[^A-Za-z0-9._-]", "_");
    var end = plain.substring(Math.max(plain.length() - MAX_NAME, 0));
    attached = true;
    return lay(attachments(), number + "-" + end, content);
  }

  /// The folder of what came with the prompt; empty when nothing did.
  Optional<Path> attached() {
    return attached ? Optional.of(attachments()) : Optional.empty();
  }

  /// Lays what was said before in this conversation where a command can read it.
  public void recall(String talk) throws IOException {
    recalled = Optional.of(lay("conversation.txt", talk));
  }

  /// What was said before in this conversation; empty when it begins with this run.
  Optional<Path> recalled() {
    return recalled;
  }

  private Path attachments() {
    return folder.resolve("attachments");
  }

  /// Lays a file where an agent looks for it; nobody else can read it, at no moment.
  Path lay(Path where, String name, String content) throws IOException {
    return lay(where, name, content.getBytes(StandardCharsets.UTF_8));
  }

  private Path lay(Path where, String name, byte[] content) throws IOException {
    makeFolder(where);
    var file = where.resolve(name);
    Files.deleteIfExists(file);
    written.add(file);
    try (var channel =
        Files.newByteChannel(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      var bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
    return file;
  }

  /// Lets a name in the private folder stand for a file or folder elsewhere.
  void link(Path where, String name, Path target) throws IOException {
    makeFolder(where);
    var link = where.resolve(name);
    if (Files.isDirectory(link, LinkOption.NOFOLLOW_LINKS)) {
      return; // the agent's own by now
    }
    Files.deleteIfExists(link);
    written.add(Files.createSymbolicLink(link, target));
  }

  private static void makeFolder(Path where) throws IOException {
    Files.createDirectories(
        where, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  @Override
  public void close() throws IOException {
    for (var file : written.reversed()) {
      Files.deleteIfExists(file);
    }
  }

  @Override
  public String toString() {
    return "Desk[" + folder + "]";
  }
}
