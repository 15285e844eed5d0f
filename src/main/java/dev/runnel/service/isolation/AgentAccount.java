package dev.runnel.service.isolation;

import dev.runnel.service.run.Executables;
import dev.runnel.service.workspace.AgentUser;
import dev.runnel.service.workspace.Folders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Chooses the account of agents. Only root can start programs as another account, and root's files
/// and the kernel's settings are open to every process of root, in bubblewrap too. So if Runnel
/// runs as root, agents work as another account.
public final class AgentAccount {
  /// The account that agents of root use if it exists.
  static final String NAME = "runnel-agents";

  private static final String ROOT = "root";

  /// The ids that systemd, too, gives to services without an account.
  private static final int FIRST = 61184;

  private static final int LAST = 65519;
  private static final Path ACCOUNTS = Path.of("/etc/passwd");
  private static final String KEPT = "agents-user";
  private static final Path PROC = Path.of("/proc");
  private static final String OPEN =
      """
      chown "$1" /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 2> /dev/null; shift
      exec "$@"
      """;

  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");
  private static final long TIMEOUT_SECONDS = 10;

  private AgentAccount() {}

  /// @param wanted name or number of an account; blank for the default
  /// @param data the data folder, where the number of a default without an account is kept, if the
  ///   folder exists
  /// @throws IllegalArgumentException if agents cannot work as this account; the message says what
  ///   to do
  public static AgentUser choose(String wanted, Map<String, String> environment, Path data) {
    if (!Files.isDirectory(PROC.resolve("self"))) {
      // Not Linux.
      return AgentUser.SAME;
    }
    try {
      var own = (int) Files.getAttribute(PROC.resolve("self"), "unix:uid");
      return own == 0 ? ofRoot(wanted, environment, data) : ofOther(wanted, own, environment);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "cannot be looked up on this machine: %s".formatted(e.getMessage()), e);
    }
  }

  private static AgentUser ofOther(String wanted, int own, Map<String, String> environment)
      throws IOException {
    if (wanted.isBlank() || find(wanted, environment).filter(it -> it.uid() == own).isPresent()) {
      return AgentUser.SAME;
    }
    throw new IllegalArgumentException(
        "is %s, and Runnel runs as the account %d: only root can start agents as another account. Remove it, or run Runnel as root."
            .formatted(wanted, own));
  }

  private static AgentUser ofRoot(String wanted, Map<String, String> environment, Path data)
      throws IOException {
    if (wanted.equals(ROOT)) {
      return new AgentUser(0, 0);
    }
    var found = find(wanted.isBlank() ? NAME : wanted, environment);
    if (found.isEmpty() && !wanted.isBlank()) {
      throw new IllegalArgumentException(
          "is %s, and there is no such account. Create it, or name another.".formatted(wanted));
    }
    var user = found.isPresent() ? found.get() : withoutAccount(environment, data);
    if (user.isAnother() && !canEnter(user, environment, Path.of("/"))) {
      throw new IllegalArgumentException(
          ("is %s, so agents of Runnel, which runs as root, work as the account %d, and root may"
               + " not change to it here (as in a user namespace with few accounts). Run Runnel as"
               + " another user, or set it to root to accept that agents work as root.")
              .formatted(wanted.isBlank() ? "not set" : wanted, user.uid()));
    }
    return user;
  }

  /// The command that changes to an account, without any right of root, and starts another one.
  ///
  /// @return empty if that is the account of this process
  /// @throws IllegalArgumentException if the program for it is missing
  static List<String> change(AgentUser user, Map<String, String> environment) {
    if (!user.isAnother()) {
      return List.of();
    }
    var setpriv =
        Executables.find("setpriv", environment)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        ("makes agents work as the account %d, and there is no setpriv on the PATH"
                                + " to change to it. Install util-linux, run Runnel as another user"
                                + " than root, or set it to root to accept that agents work as"
                                + " root.")
                            .formatted(user.uid())));
    return List.of(
        setpriv.toString(),
        "--reuid=" + user.uid(),
        "--regid=" + user.gid(),
        "--clear-groups",
        "--bounding-set=-all",
        "--inh-caps=-all",
        "--no-new-privs",
        "--");
  }

  /// Starts another command, whose input and output that account may open by path, as with `>
  /// /dev/stdout`. A pipe that root made is otherwise closed to it there.
  ///
  /// @return empty if the command has the account of this process, or speaks alone
  static List<String> openInputAndOutput(AgentUser user, Isolation.Place place) {
    return user.isAnother() && !place.speaksAlone()
        ? List.of("/bin/sh", "-c", OPEN, "sh", Integer.toString(user.uid()))
        : List.of();
  }

  /// Lets the account pass through the data folder, if agents work there without isolation.
  ///
  /// @param data need not exist
  /// @throws IllegalArgumentException if it, or a folder above, is closed to the account
  public static void admit(AgentUser user, Map<String, String> environment, Path data) {
    if (!user.isAnother() || canEnter(user, environment, existing(data))) {
      return;
    }
    try {
      if (isOfRoot(data)) {
        user.admit(data);
      }
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "makes agents work as the account %d, which cannot be let into the data folder %s: %s"
              .formatted(user.uid(), data, e.getMessage()));
    }
    if (!canEnter(user, environment, existing(data))) {
      throw new IllegalArgumentException(
          ("makes agents work as the account %d, which cannot enter the data folder %s, because a"
                  + " folder above it is closed to other accounts. Install bubblewrap, move the"
                  + " data folder with RUNNEL_DATA, such as to /var/lib/runnel, or set it to root"
                  + " to accept that agents work as root.")
              .formatted(user.uid(), data));
    }
  }

  /// The folder, or the nearest one above that exists.
  private static Path existing(Path folder) {
    var path = folder.toAbsolutePath().normalize();
    for (var above = path.getParent();
        above != null && !Files.isDirectory(path);
        above = above.getParent()) {
      path = above;
    }
    return path;
  }

  private static boolean canEnter(AgentUser user, Map<String, String> environment, Path folder) {
    var command = new ArrayList<>(change(user, environment));
    command.addAll(List.of("/bin/sh", "-c", "cd \"$1\"", "sh", folder.toString()));
    return succeeds(command, environment);
  }

  /// An account by its name or number. A number need not have an account.
  private static Optional<AgentUser> find(String wanted, Map<String, String> environment)
      throws IOException {
    var local = accounts().filter(it -> it.name.equals(wanted) || it.uid.equals(wanted));
    var first = local.findFirst().flatMap(it -> user(it.uid, it.gid));
    if (first.isPresent()) {
      return first;
    }
    // A directory service may have it.
    var known = user(id("-u", wanted, environment), id("-g", wanted, environment));
    return known.or(() -> user(wanted, wanted));
  }

  /// @return empty unless both are numbers
  private static Optional<AgentUser> user(String uid, String gid) {
    return NUMBER.matcher(uid).matches() && NUMBER.matcher(gid).matches()
        ? Optional.of(new AgentUser(Integer.parseInt(uid), Integer.parseInt(gid)))
        : Optional.empty();
  }

  /// @return blank if there is no such account, or no program that knows
  private static String id(String what, String account, Map<String, String> environment)
      throws IOException {
    var program = Executables.find("id", environment);
    return program.isPresent()
        ? output(List.of(program.get().toString(), what, "--", account), environment)
            .orElse("")
            .strip()
        : "";
  }

  /// A line of `/etc/passwd`.
  private record Account(String name, String uid, String gid) {}

  private static Stream<Account> accounts() throws IOException {
    return accounts(
        Files.isReadable(ACCOUNTS) ? Files.readString(ACCOUNTS, StandardCharsets.ISO_8859_1) : "");
  }

  private static Stream<Account> accounts(String passwd) {
    return passwd
        .lines()
        .map(line -> line.split(":", -1))
        .filter(parts -> parts.length > 3)
        .map(parts -> new Account(parts[0], parts[2], parts[3]));
  }

  /// @param passwd the text of `/etc/passwd`
  static boolean isListed(int number, String passwd) {
    return accounts(passwd).anyMatch(it -> it.uid.equals(Integer.toString(number)));
  }

  /// A number that no account and no process has. The same again after a restart, so that the files
  /// of runs keep their owner.
  private static AgentUser withoutAccount(Map<String, String> environment, Path data)
      throws IOException {
    var kept = data.resolve(KEPT);
    if (Files.isRegularFile(kept)) {
      var number = Files.readString(kept).strip();
      if (NUMBER.matcher(number).matches() && !hasAccount(Integer.parseInt(number), environment)) {
        return new AgentUser(Integer.parseInt(number), Integer.parseInt(number));
      }
    }
    var used = usedByProcesses();
    var size = LAST - FIRST + 1;
    // So that two data folders on one machine have different ones.
    var start = Math.floorMod(data.toAbsolutePath().normalize().hashCode(), size);
    for (int i = 0; i < size; i++) {
      var number = FIRST + (start + i) % size;
      if (!used.contains(number) && !hasAccount(number, environment)) {
        if (isOfRoot(data)) {
          Files.deleteIfExists(kept);
          Folders.createFile(kept, (number + "\n").getBytes(StandardCharsets.UTF_8));
        }
        return new AgentUser(number, number);
      }
    }
    throw new IllegalArgumentException(
        "is not set, and all numbers from %d to %d for an account of agents are used. Create the account %s, or name another."
            .formatted(FIRST, LAST, NAME));
  }

  private static boolean hasAccount(int number, Map<String, String> environment)
      throws IOException {
    var uid = Integer.toString(number);
    return accounts().anyMatch(it -> it.uid.equals(uid)) || !id("-un", uid, environment).isBlank();
  }

  /// Whether it is a folder of root, and not of another account that root only looks at.
  private static boolean isOfRoot(Path folder) throws IOException {
    return Files.isDirectory(folder) && Files.getAttribute(folder, "unix:uid").equals(0);
  }

  private static Set<Object> usedByProcesses() throws IOException {
    var used = new HashSet<Object>();
    try (var processes = Files.list(PROC)) {
      for (var each : processes.toList()) {
        if (NUMBER.matcher(each.getFileName().toString()).matches()) {
          try {
            used.add(Files.getAttribute(each, "unix:uid"));
          } catch (IOException _) {
            // It has ended.
          }
        }
      }
    }
    return used;
  }

  private static boolean succeeds(List<String> command, Map<String, String> environment) {
    try {
      return output(command, environment).isPresent();
    } catch (IOException _) {
      return false;
    }
  }

  /// @return its output; empty if it fails or takes too long
  private static Optional<String> output(List<String> command, Map<String, String> environment)
      throws IOException {
    var builder = new ProcessBuilder(command);
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    var process = builder.start();
    try {
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return Optional.empty();
      }
      var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.exitValue() == 0 ? Optional.of(output) : Optional.empty();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
