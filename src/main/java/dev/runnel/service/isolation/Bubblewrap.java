package dev.runnel.service.isolation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.runnel.service.workspace.AgentUser;
import dev.runnel.service.workspace.RunHome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Namespaces created by [bubblewrap](https://github.com/containers/bubblewrap). The file system
/// begins empty. It gets the [SystemFolders] and the [ProgramFolders], which are readable, and the
/// run's workspace, home folder, `/tmp` and the caches of its environment, which are writable.
/// Processes, users and other namespaces are the run's own; the network, too, if the place has a
/// proxy.
///
/// @param program path of `bwrap`
/// @param change the command that changes to the account of agents; empty for that of this process,
///   and for root
record Bubblewrap(Path program, Machine machine, List<String> change) implements Isolation.Local {
  private static final Path ACCOUNTS = Path.of("/etc/passwd");
  private static final SeccompFilter FILTER = new SeccompFilter();

  /// What is about the machine as a whole. Root may write there, whatever its capabilities.
  private static final List<String> KERNEL =
      List.of("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus");

  /// What the change of the account needs, and gives up: also to enter a folder that belongs to
  /// that account.
  private static final List<String> TO_CHANGE =
      List.of("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_DAC_READ_SEARCH");

  Bubblewrap {
    change = List.copyOf(change);
  }

  @Override
  public List<String> wrap(List<String> command, Place place) {
    var mounts = new Mounts();
    var home = place.home();
    // On disk, where they count toward the run's limit. A tmpfs would use memory without a limit.
    mounts.add("--bind", home.temporary(), Path.of("/tmp"));
    mounts.add("--bind", home.temporary(), Path.of("/var/tmp"));
    mounts.add("--bind", home.sharedMemory(), Path.of("/dev/shm"));
    mounts.readable(ProgramFolders.of(machine));
    mounts.readable(machine.readable());
    mounts.hide(machine);
    if (machine.user().isAnother()) {
      mounts.add("--ro-bind", accounts(home), ACCOUNTS);
    }
    mounts.writable(home.folder());
    home.mounts().forEach((where, what) -> mounts.add("--bind", what, where));
    mounts.writable(place.root());
    mounts.readable(place.readable());
    var limited =
        new ArrayList<>(
            machine.quotas().limitCommand(machine.environment(), Quotas.limitsOfThisProcess()));
    limited.addAll(command);
    var whole = new ArrayList<>(AgentAccount.openInputAndOutput(machine.user(), place));
    if (place.network().isEmpty()) {
      whole.addAll(bwrapCommand(mounts, place.folder(), limited));
      return whole;
    }
    var relay = RelayCommand.forThisSystem(place.network().get());
    relay.readable().forEach((where, what) -> mounts.add("--ro-bind", what, where));
    mounts.add("--bind", place.network().get().socket(), RelayCommand.SOCKET);
    mounts.arguments.add("--unshare-net");
    whole.addAll(bwrapCommand(mounts, place.folder(), relay.wrap(limited)));
    return whole;
  }

  /// The machine's accounts and that of the agent, since programs such as ssh refuse to work as a
  /// number without an account.
  private Path accounts(RunHome home) {
    try {
      var user = machine.user();
      var all = Files.exists(ACCOUNTS) ? Files.readString(ACCOUNTS, ISO_8859_1) : "";
      var isMissing = !AgentAccount.isListed(user.uid(), all);
      var own =
          "%s:x:%d:%d::%s:/bin/sh\n"
              .formatted(AgentAccount.NAME, user.uid(), user.gid(), home.folder());
      // Beside the home folder, where the agent cannot write.
      return Files.writeString(
          home.folder().resolveSibling("passwd"), isMissing ? all + own : all, ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException("The account of the agent cannot be written", e);
    }
  }

  /// The command that checks whether bubblewrap works here.
  ///
  /// @param ownNetwork whether it must also create a network of its own
  List<String> probeCommand(boolean ownNetwork) {
    var mounts = new Mounts();
    if (ownNetwork) {
      mounts.arguments.add("--unshare-net");
    }
    return bwrapCommand(mounts, Path.of("/"), List.of("/bin/sh", "-c", "exit 0"));
  }

  private List<String> bwrapCommand(Mounts mounts, Path folder, List<String> command) {
    var whole = new ArrayList<>(FILTER.command());
    whole.add(program.toString());
    whole.addAll(FILTER.options());
    whole.addAll(List.of("--unshare-pid", "--unshare-ipc", "--unshare-uts"));
    whole.addAll(List.of("--unshare-cgroup-try", "--cap-drop", "ALL", "--new-session"));
    if (change.isEmpty()) {
      // Without capabilities and in a user namespace of its own, even root cannot unmount anything.
      whole.add("--unshare-user");
    } else {
      TO_CHANGE.forEach(each -> whole.addAll(List.of("--cap-add", each)));
    }
    // The thread that starts bubblewrap lives as long as Runnel; see Spawner.
    whole.add("--die-with-parent");
    whole.addAll(mounts.arguments);
    mounts.hidden.forEach(each -> whole.addAll(List.of("--remount-ro", each)));
    whole.addAll(List.of("--remount-ro", "/dev"));
    whole.addAll(List.of("--remount-ro", "/", "--chdir", folder.toAbsolutePath().toString()));
    whole.add("--");
    whole.addAll(change);
    whole.addAll(command);
    return whole;
  }

  @Override
  public AgentUser user() {
    return machine.user();
  }

  @Override
  public List<String> homeFiles() {
    return machine.homeFiles();
  }

  @Override
  public String line() {
    return "bubblewrap: agents see the system's programs, and of Runnel's user only their own"
        + " workspace and home folder"
        + (machine.user().isAnother() ? "; they work as the account " + machine.user().uid() : "");
  }

  /// What is mounted, in order: later mounts cover earlier ones.
  private static final class Mounts {
    private final List<String> arguments = new ArrayList<>();
    // From the path inside to the real path on the machine.
    private final Map<Path, Path> readable = new LinkedHashMap<>();
    private final List<String> hidden = new ArrayList<>();
    private final Set<Path> created = new HashSet<>();

    Mounts() {
      for (var each : SystemFolders.programs()) {
        if (Files.isSymbolicLink(each)) {
          arguments.addAll(List.of("--symlink", target(each), each.toString()));
          readable.put(each, Machine.real(each));
        } else {
          readable(List.of(each));
        }
      }
      readable(SystemFolders.others());
      arguments.addAll(List.of("--proc", "/proc", "--dev", "/dev"));
      KERNEL.forEach(each -> arguments.addAll(List.of("--ro-bind-try", each, each)));
    }

    void readable(Iterable<Path> paths) {
      for (var each : paths) {
        var real = Machine.real(each);
        var path = each.toAbsolutePath();
        // A link in a mounted folder is mounted, too; its target needs a mount of its own.
        var place = readable.keySet().stream().anyMatch(path::startsWith) ? real : path;
        if (Files.exists(real) && !isMounted(place)) {
          readable.put(place, real);
          add("--ro-bind", real, place);
        }
      }
    }

    private boolean isMounted(Path path) {
      return readable.entrySet().stream()
          .anyMatch(it -> it.getKey().equals(it.getValue()) && path.startsWith(it.getKey()));
    }

    void writable(Path path) {
      // The path that the agent is given, and the one that tools see when they resolve links.
      add("--bind", path, path);
      if (!Machine.real(path).equals(path.toAbsolutePath())) {
        add("--bind", path, Machine.real(path));
      }
    }

    /// Covers hidden paths in readable folders, at every path where links make them visible.
    void hide(Machine machine) {
      for (var each : machine.hiddenPaths(readable)) {
        if (Files.isDirectory(each)) {
          // Becomes read-only after everything in it is mounted.
          arguments.addAll(List.of("--tmpfs", each.toString()));
          hidden.add(each.toString());
        } else {
          add("--ro-bind", Path.of("/dev/null"), each);
        }
      }
    }

    /// Resolves links in the source; the path inside is unchanged.
    void add(String how, Path source, Path place) {
      var path = place.toAbsolutePath();
      createFoldersAbove(path);
      arguments.addAll(List.of(how, Machine.real(source).toString(), path.toString()));
    }

    /// Folders that bubblewrap creates for a mount are closed to accounts other than root. Those
    /// that exist stay as they are.
    private void createFoldersAbove(Path path) {
      for (int i = 1; i < path.getNameCount(); i++) {
        var folder = path.getRoot().resolve(path.subpath(0, i));
        if (created.add(folder)) {
          arguments.addAll(List.of("--dir", folder.toString()));
        }
      }
    }

    private static String target(Path link) {
      try {
        return Files.readSymbolicLink(link).toString();
      } catch (IOException _) {
        return "usr" + link;
      }
    }
  }
}
