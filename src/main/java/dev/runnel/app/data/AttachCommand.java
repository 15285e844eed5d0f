package dev.runnel.app.data;

import dev.runnel.app.settings.Config;
import dev.runnel.database.Database;
import dev.runnel.database.DatabaseException;
import dev.runnel.database.Like;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Workspaces;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// `./runnel attach ID`: prints how to continue a run in a terminal, in its workspace and in the
/// session of its agent. Available to everybody who can read the data folder.
///
/// The agent could write to all of an isolated run's home folder, including settings that contain
/// commands. So only the session is copied from there, and the agent starts with the operator's own
/// settings.
///
/// @param home the operator's home folder
public record AttachCommand(Config config, Path home, PrintStream out, PrintStream err) {
  private static final Set<ExecutionState> WORKING =
      Set.of(ExecutionState.QUEUED, ExecutionState.INPROGRESS);

  /// A session id from the agent's output, which must be safe to print and to search for.
  private static final Pattern SESSION = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{7,99}");

  /// An agent that resumes a session by its id.
  ///
  /// @param sessions where its sessions are in a home folder, in files with the id in their names
  private record Agent(List<String> resume, Path sessions) {}

  private static final Map<String, Agent> AGENTS =
      Map.of(
          "claude", new Agent(List.of("claude", "--resume"), Path.of(".claude/projects")),
          "codex", new Agent(List.of("codex", "resume"), Path.of(".codex/sessions")));

  /// The message is the reason, for the operator.
  private static final class NotPossible extends Exception {
    private static final long serialVersionUID = 1;

    NotPossible(String why) {
      super(why);
    }
  }

  /// @param prefix the first characters of the run's id
  /// @return the exit code
  public int run(String prefix) {
    try (var database = RunDatabase.openIfThere(config).orElse(null)) {
      if (database == null) {
        throw new NotPossible(
            "The runs are not here: %s"
                .formatted(
                    config
                        .agentApi()
                        .map(api -> "they are on the run service at " + api + ".")
                        .orElse("there is no database in " + config.data() + ".")));
      }
      attach(database, find(database, prefix));
      return 0;
    } catch (NotPossible e) {
      err.println(e.getMessage());
      return 1;
    } catch (DatabaseException e) {
      err.println(e.problem());
      return 1;
    } catch (IOException e) {
      err.println("The session cannot be copied: " + e.getMessage());
      return 1;
    }
  }

  private static RunRow find(Database database, String prefix) throws NotPossible {
    var found =
        database.<List<RunRow>>read(
            rows ->
                rows.list(
                    "SELECT * FROM runs WHERE id LIKE ? ESCAPE '!' LIMIT 2",
                    RunRow::read,
                    Like.prefix(prefix)));
    if (found.isEmpty() || prefix.isBlank()) {
      throw new NotPossible("There is no run %s. ./runnel run list shows them.".formatted(prefix));
    }
    if (found.size() > 1) {
      throw new NotPossible(
          "The ids of several runs begin with %s. Enter more of the id.".formatted(prefix));
    }
    return found.getFirst();
  }

  private void attach(Database database, RunRow run) throws NotPossible, IOException {
    if (WORKING.contains(run.state())) {
      throw new NotPossible(
          "The run %s has not ended, and two agents must not work in one folder. Stop it first: ./runnel run cancel %s"
              .formatted(run.id(), run.id()));
    }
    var root = config.data().toAbsolutePath().normalize().resolve("workspaces").resolve(run.id());
    if (!Files.isDirectory(root)) {
      throw new NotPossible(notHere(database, run));
    }
    var folder = Workspaces.workFolder(environment(run), root);
    var session = run.agentSession().orElse(":").split(":", 2);
    var agent = Optional.ofNullable(AGENTS.get(session[0]));
    if (agent.isEmpty() || !SESSION.matcher(session[1]).matches()) {
      out.println("cd " + quoted(folder.toString()));
      err.println(
          "This run has no session of Claude Code or Codex, only a folder. The sessions of other"
              + " agents cannot be continued.");
      return;
    }
    var kept = Path.of(config.data().toString(), "homes", run.id(), "home");
    if (Files.isDirectory(kept.resolve(agent.get().sessions()))) {
      copy(kept, agent.get(), session[1]);
    }
    out.println("cd " + quoted(folder.toString()));
    out.println(String.join(" ", agent.get().resume()) + " " + quoted(session[1]));
    err.println("These commands run as your user, without the isolation of agents.");
  }

  private String notHere(Database database, RunRow run) {
    var host =
        config.databaseUrl().isEmpty()
            ? Optional.<String>empty()
            : database.<Optional<String>>read(
                rows ->
                    rows.first(
                        "SELECT nodes.host FROM nodes, runs WHERE runs.id = ? AND nodes.place ="
                            + " runs.place",
                        row -> row.getString("host"),
                        run.id()));
    return "The workspace of the run %s is not in %s: %s"
        .formatted(
            run.id(),
            config.data(),
            host.map("it is on %s, unless it was deleted."::formatted)
                .orElse("it was deleted, or the data folder is another one (--data)."));
  }

  private Environment environment(RunRow run) {
    var asked = run.configNode().path("environment_id").asText("");
    return config.settings().environments().find(asked).orElse(Environment.NONE);
  }

  /// Copies the session's file to the same place in the operator's home folder, unless the one
  /// there is newer.
  private void copy(Path kept, Agent agent, String session) throws NotPossible, IOException {
    var file =
        sessionFile(kept.resolve(agent.sessions()), session)
            .orElseThrow(() -> new NotPossible("The session of the run was deleted."));
    var target = home.resolve(kept.relativize(file).toString());
    if (Files.exists(target)
        && Files.getLastModifiedTime(target).compareTo(Files.getLastModifiedTime(file)) >= 0) {
      return;
    }
    Files.createDirectories(target.getParent());
    try (var from = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      Files.deleteIfExists(target);
      Files.copy(from, target);
    }
    err.println("The session of the run is now at " + target);
  }

  /// A regular file below folders that are not links: the agent may have replaced them.
  private static Optional<Path> sessionFile(Path folder, String session) throws IOException {
    if (Files.isSymbolicLink(folder) || Files.isSymbolicLink(folder.getParent())) {
      return Optional.empty();
    }
    try (var files =
        Files.find(
            folder,
            8,
            (path, attributes) ->
                attributes.isRegularFile() && path.getFileName().toString().contains(session),
            new FileVisitOption[0])) {
      return files.filter(path -> path.toString().endsWith(".jsonl")).findFirst();
    }
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }
}
