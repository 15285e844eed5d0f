package dev.runnel.service.agent;

import dev.runnel.service.run.AgentAccess;
import dev.runnel.service.workspace.AgentUser;
import dev.runnel.service.workspace.Folders;
import dev.runnel.service.workspace.PermissionRules;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The files that are created to launch the agent of one execution, in a private folder outside the
/// workspaces, since configuration can contain secrets. Closing deletes them. Files that remain
/// after a crash of the service are overwritten by the next execution.
public final class LaunchFiles implements AutoCloseable {
  private static final int MAX_NAME_LENGTH = 100;
  private static final int MAX_READ_BYTES = 1024 * 1024;

  private final Path folder;
  private final Path workspace;
  private final Map<String, String> environment;
  private final AgentAccess agentAccess;
  private final PermissionRules permissionRules;
  private final boolean isHomeOfRun;
  private final boolean isInputOpen;
  private final AgentUser user;
  private final List<Path> written = new ArrayList<>();
  private boolean attached;
  private Optional<Path> conversationFile = Optional.empty();

  /// @param folder private folder of this run, created with the first file; isolated agents cannot
  ///   write there
  /// @param environment the agent's variables, including its credentials
  /// @param permissionRules the tools for which the agent asks a person
  /// @param isHomeOfRun whether the home folder belongs to this run alone, so that the agent
  ///   controls its content
  /// @param isInputOpen whether the agent's standard input can stay open after the start; depends
  ///   on the isolation
  /// @param user the account of the agent, the owner of the files
  public LaunchFiles(
      Path folder,
      Path workspace,
      Map<String, String> environment,
      AgentAccess agentAccess,
      PermissionRules permissionRules,
      boolean isHomeOfRun,
      boolean isInputOpen,
      AgentUser user) {
    this.folder = folder.toAbsolutePath();
    this.workspace = workspace.toAbsolutePath();
    this.environment = Map.copyOf(environment);
    this.agentAccess = agentAccess;
    this.permissionRules = permissionRules;
    this.isHomeOfRun = isHomeOfRun;
    this.isInputOpen = isInputOpen;
    this.user = user;
  }

  /// For an agent that works as the account of this process.
  public LaunchFiles(
      Path folder,
      Path workspace,
      Map<String, String> environment,
      AgentAccess agentAccess,
      PermissionRules permissionRules,
      boolean isHomeOfRun,
      boolean isInputOpen) {
    this(
        folder,
        workspace,
        environment,
        agentAccess,
        permissionRules,
        isHomeOfRun,
        isInputOpen,
        AgentUser.SAME);
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

  PermissionRules permissionRules() {
    return permissionRules;
  }

  Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }

  /// The home folder, which contains the agent's login and sessions.
  Path home() {
    return Path.of(variable("HOME").orElse(System.getProperty("user.home")));
  }

  /// Whether the home folder belongs to this run alone.
  boolean isHomeOfRun() {
    return isHomeOfRun;
  }

  /// Whether the agent's standard input stays open after the start.
  boolean isInputOpen() {
    return isInputOpen;
  }

  /// The folder of the launch files, and the files and folders that variables name.
  List<Path> readablePaths(List<String> variables) {
    var all = new ArrayList<>(List.of(folder));
    variables.forEach(name -> variable(name).map(Path::of).ifPresent(all::add));
    return all;
  }

  /// Writes a file to the private folder.
  Path write(String name, String content) throws IOException {
    return write(folder, name, content);
  }

  /// Writes an attachment of the prompt where the agent can read it.
  ///
  /// @param name the sender's file name
  public Path attach(int number, String name, byte[] content) throws IOException {
    var safeName = name.replaceAll("[^A-Za-z0-9._-]", "_");
    var shortName = safeName.substring(Math.max(safeName.length() - MAX_NAME_LENGTH, 0));
    attached = true;
    return write(attachments(), number + "-" + shortName, content);
  }

  /// The folder of the attachments; empty if there are none.
  Optional<Path> attached() {
    return attached ? Optional.of(attachments()) : Optional.empty();
  }

  /// Writes the earlier conversation to a file that a command can read.
  public void writeConversation(String text) throws IOException {
    conversationFile = Optional.of(write("conversation.txt", text));
  }

  /// The file with the earlier conversation; empty if the conversation begins with this run.
  Optional<Path> conversationFile() {
    return conversationFile;
  }

  private Path attachments() {
    return folder.resolve("attachments");
  }

  /// Writes a file where an agent expects it. The file is created with permissions for this user
  /// only, so that it is never readable by others.
  Path write(Path where, String name, String content) throws IOException {
    return write(where, name, content.getBytes(StandardCharsets.UTF_8));
  }

  private Path write(Path where, String name, byte[] content) throws IOException {
    if (isControlledByAgent(where)) {
      var file = where.resolve(name);
      written.add(file);
      Folders.writeBelow(home(), home().relativize(file), content, user);
      return file;
    }
    makeFolder(where);
    var file = where.resolve(name);
    written.add(file);
    if (isOfAnother(where)) {
      Folders.writeBelow(above(), above().relativize(file), content, user);
      return file;
    }
    Files.deleteIfExists(file);
    Folders.createFile(file, content);
    return file;
  }

  /// Reads a file of the home folder.
  ///
  /// @return empty unless it is a regular file of at most 1 MiB
  Optional<String> read(Path file) throws IOException {
    if (isControlledByAgent(file)) {
      return Folders.readBelow(home(), home().relativize(file), MAX_READ_BYTES)
          .map(content -> new String(content, StandardCharsets.UTF_8));
    }
    return Files.isRegularFile(file) && Files.size(file) <= MAX_READ_BYTES
        ? Optional.of(Files.readString(file))
        : Optional.empty();
  }

  /// An agent may have replaced anything in the home folder of its run by a link.
  private boolean isControlledByAgent(Path path) {
    return isHomeOfRun && path.startsWith(home());
  }

  /// Creates a symbolic link in the private folder to a file or folder elsewhere.
  void link(Path where, String name, Path target) throws IOException {
    makeFolder(where);
    var link = where.resolve(name);
    if (Files.isDirectory(link, LinkOption.NOFOLLOW_LINKS)) {
      return; // the agent has replaced the link by a folder
    }
    Files.deleteIfExists(link);
    written.add(Files.createSymbolicLink(link, target));
  }

  private void makeFolder(Path where) throws IOException {
    if (isOfAnother(where)) {
      Files.createDirectories(above(), Folders.PRIVATE_FOLDER);
      user.admit(above());
      user.takeOver(folder);
      var _ = Folders.createBelow(above(), above().relativize(where), user);
    } else {
      Files.createDirectories(where, Folders.PRIVATE_FOLDER);
    }
  }

  /// Whether the agent has another account than this process, and so must not lead it elsewhere by
  /// a link in its private folder.
  private boolean isOfAnother(Path path) {
    return user.isAnother() && path.startsWith(folder);
  }

  /// The folder of the private folders of all runs.
  private Path above() {
    return folder.resolve("..").normalize();
  }

  @Override
  public void close() throws IOException {
    for (var file : written.reversed()) {
      if (isControlledByAgent(file)) {
        Folders.deleteBelow(home(), home().relativize(file));
      } else if (isOfAnother(file)) {
        Folders.deleteBelow(above(), above().relativize(file));
      } else {
        Files.deleteIfExists(file);
      }
    }
  }

  @Override
  public String toString() {
    return "LaunchFiles[" + folder + "]";
  }
}
