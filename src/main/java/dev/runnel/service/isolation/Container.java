package dev.runnel.service.isolation;

import dev.runnel.service.workspace.AgentUser;
import dev.runnel.service.workspace.Environment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs every command in a container of the environment's image, by `docker` or `podman`. The
/// workspace and the run's home folder are mounted at their own paths; the image must contain the
/// agent. If the place has a proxy, the container has no other network.
///
/// @param program path of `docker` or `podman`
record Container(Path program, Machine machine) implements Isolation.Local {
  private static final Logger log = LoggerFactory.getLogger(Container.class);
  private static final long TIMEOUT_SECONDS = 20;

  @Override
  public List<String> wrap(List<String> command, Place place) {
    var root = place.root().toAbsolutePath().toString();
    var containerCommand =
        new ArrayList<>(List.of(program.toString(), "run", "--rm", "--interactive"));
    containerCommand.addAll(List.of("--init", "--name", place.name(), "--cap-drop", "ALL"));
    containerCommand.addAll(List.of("--security-opt", "no-new-privileges"));
    containerCommand.addAll(List.of("--oom-score-adj", Priority.oomScore()));
    containerCommand.addAll(machine.quotas().containerOptions());
    containerCommand.addAll(user(place.root()));
    containerCommand.addAll(List.of("--volume", root + ":" + root));
    containerCommand.addAll(List.of("--workdir", place.folder().toAbsolutePath().toString()));
    var home = place.home();
    containerCommand.addAll(volume(home.temporary(), Path.of("/tmp"), ""));
    containerCommand.addAll(volume(home.temporary(), Path.of("/var/tmp"), ""));
    containerCommand.addAll(volume(home.folder(), home.folder(), ""));
    home.mounts().forEach((where, what) -> containerCommand.addAll(volume(what, where, "")));
    var readable = new LinkedHashMap<Path, Path>();
    Stream.concat(place.readable().stream(), machine.readable().stream())
        .filter(Files::exists)
        .forEach(each -> readable.put(each.toAbsolutePath(), Machine.real(each)));
    readable.keySet().forEach(each -> containerCommand.addAll(volume(each, each, ":ro")));
    for (var each : machine.hiddenPaths(readable)) {
      containerCommand.addAll(
          Files.isDirectory(each)
              ? List.of("--tmpfs", each + ":size=1m")
              : volume(Path.of("/dev/null"), each, ":ro"));
    }
    var relay = place.network().map(RelayCommand::forAnySystem);
    relay.ifPresent(
        it -> {
          containerCommand.addAll(List.of("--network", "none"));
          containerCommand.addAll(volume(it.network().socket(), RelayCommand.SOCKET, ""));
          it.readable()
              .forEach((where, what) -> containerCommand.addAll(volume(what, where, ":ro")));
        });
    // Only names: the values come from the environment, since arguments are visible to every user.
    place.names().forEach(name -> containerCommand.addAll(List.of("--env", name)));
    containerCommand.add(place.environment().image().orElseThrow());
    containerCommand.addAll(relay.map(it -> it.wrap(command)).orElse(command));
    return containerCommand;
  }

  @Override
  public List<String> variables() {
    return List.of(
        "DOCKER_*",
        "CONTAINER_HOST",
        "CONTAINERS_*",
        "REGISTRY_AUTH_FILE",
        "XDG_RUNTIME_DIR",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "DBUS_SESSION_BUS_ADDRESS");
  }

  /// Removes the container, which survives if the client program that started it is killed.
  @Override
  public boolean cleanUp(String runId, int execution, Map<String, String> environment) {
    var name = Isolation.Place.name(runId, execution);
    if (runProgram(environment, "rm", "--force", name).isPresent()) {
      return true;
    }
    // Some versions fail if the container does not exist.
    var left = runProgram(environment, "ps", "--all", "--quiet", "--filter", "name=^" + name + "$");
    if (left.map(String::isBlank).orElse(false)) {
      return true;
    }
    log.error("cannot remove container run={} container={}", runId, name);
    return false;
  }

  /// @return its output; empty if it fails or takes too long
  private Optional<String> runProgram(Map<String, String> environment, String... arguments) {
    var builder = new ProcessBuilder(program.toString());
    builder.command().addAll(List.of(arguments));
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    try {
      var process = builder.start();
      process.getOutputStream().close();
      // The output is one line, which fits into the pipe's buffer.
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return Optional.empty();
      }
      var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.exitValue() == 0 ? Optional.of(output) : Optional.empty();
    } catch (IOException e) {
      log.warn("cannot run {}", program, e);
      return Optional.empty();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  @Override
  public Optional<String> problem(Environment environment) {
    return environment.image().isPresent()
        ? Optional.empty()
        : Optional.of(
            "Agents work in containers here, and the environment %s names no image. Set its docker_image."
                .formatted(environment.name()));
  }

  @Override
  public String line() {
    return "containers, by " + program.getFileName() + ", of the environments' images";
  }

  private static List<String> volume(Path what, Path where, String mode) {
    return List.of("--volume", what.toAbsolutePath() + ":" + where.toAbsolutePath() + mode);
  }

  @Override
  public List<String> homeFiles() {
    return machine.homeFiles();
  }

  /// The runtime makes the pipes of the program inside.
  @Override
  public boolean needsSocket() {
    return false;
  }

  @Override
  public AgentUser user() {
    return machine.user();
  }

  /// Files written by the container must belong to this user, to be deleted later, or to that of
  /// agents.
  private List<String> user(Path root) {
    try {
      if (program.endsWith("podman") && !machine.user().isAnother()) {
        // Root is already the same user inside.
        return Files.getAttribute(root, "unix:uid").equals(0)
            ? List.of()
            : List.of("--userns", "keep-id");
      }
      return List.of(
          "--user",
          Files.getAttribute(root, "unix:uid") + ":" + Files.getAttribute(root, "unix:gid"));
    } catch (IOException | UnsupportedOperationException _) {
      return List.of();
    }
  }
}
