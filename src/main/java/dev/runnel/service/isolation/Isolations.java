package dev.runnel.service.isolation;

import dev.runnel.service.run.Executables;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Chooses the isolation for this machine.
public final class Isolations {
  /// The permitted values of the setting.
  public static final List<String> KINDS = List.of("auto", "none", "bubblewrap", "container");

  /// Where known agents and common build tools keep their state, in the home folder.
  private static final List<String> STATE =
      List.of(
          ".claude",
          ".claude.json",
          ".codex",
          ".gemini",
          ".config/opencode",
          ".local/share/opencode",
          ".local/state/opencode",
          ".cache",
          ".npm",
          ".m2",
          ".gradle",
          ".cargo/registry",
          "go/pkg");

  private static final long PATIENCE_SECONDS = 10;

  private Isolations() {}

  /// Chooses an isolation. For bubblewrap, checks that it works here.
  ///
  /// @param kind one of [#KINDS]; `auto` selects bubblewrap if it works, else none
  /// @param environment the operator's variables, of which `PATH` and `HOME` are used
  /// @param data the folder that agents must not see
  /// @throws IllegalArgumentException if the machine does not support it; the message says what to
  ///   do
  public static Isolation choose(String kind, Map<String, String> environment, Path data) {
    return switch (kind) {
      case "none" -> new Isolation.None();
      case "auto" ->
          bubblewrap(environment, data)
              .filter(found -> works(found, environment))
              .<Isolation>map(found -> found)
              .orElseGet(Isolation.None::new);
      case "bubblewrap" -> {
        var found =
            bubblewrap(environment, data)
                .orElseThrow(
                    () ->
                        new IllegalArgumentException(
                            "is bubblewrap, and there is no bwrap on the PATH. Install bubblewrap,"
                                + " or choose another isolation."));
        if (!works(found, environment)) {
          throw new IllegalArgumentException(
              "is bubblewrap, and bwrap does not work here: this user may make no namespaces. Allow"
                  + " them (in a container: a looser seccomp profile), or choose another"
                  + " isolation.");
        }
        yield found;
      }
      case "container" ->
          Executables.find("docker", environment)
              .or(() -> Executables.find("podman", environment))
              .<Isolation>map(Container::new)
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "is container, and there is no docker or podman on the PATH. Install one"
                              + " of them, or choose another isolation."));
      default ->
          throw new IllegalArgumentException(
              "is %s, and must be one of %s.".formatted(kind, String.join(", ", KINDS)));
    };
  }

  private static Optional<Bubblewrap> bubblewrap(Map<String, String> environment, Path data) {
    var home = Optional.ofNullable(environment.get("HOME")).filter(path -> path.startsWith("/"));
    var writable =
        home.map(path -> STATE.stream().map(each -> Path.of(path).resolve(each)).toList())
            .orElse(List.of());
    return Executables.find("bwrap", environment)
        .map(program -> new Bubblewrap(program, data, writable));
  }

  private static boolean works(Bubblewrap found, Map<String, String> environment) {
    var builder =
        new ProcessBuilder(
            found.program().toString(),
            "--ro-bind",
            "/",
            "/",
            "--unshare-pid",
            "--unshare-ipc",
            "--unshare-uts",
            "--proc",
            "/proc",
            "/bin/sh",
            "-c",
            "exit 0");
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    try {
      var process = builder.start();
      if (process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        return process.exitValue() == 0;
      }
      process.destroyForcibly();
      return false;
    } catch (IOException _) {
      return false;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
