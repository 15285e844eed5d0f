package dev.runnel.app.data;

import dev.runnel.app.settings.Config;
import dev.runnel.core.model.AuditEntry;
import dev.runnel.database.Database;
import dev.runnel.database.DatabaseException;
import dev.runnel.database.SqliteCopy;
import dev.runnel.service.store.RunErasure;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.SharedCaches;
import dev.runnel.store.Erasure;
import dev.runnel.store.PersonalData;
import dev.runnel.store.PersonalData.PersonId;
import dev.runnel.store.SqlStore;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// `./runnel forget run ID` and `./runnel forget person ID`: removes all traces from the tables and
/// files of a running or stopped server. It works on the databases directly, as a second node does,
/// and then overwrites what was deleted.
public final class ForgetCommand {
  /// The folders of runs.
  @FunctionalInterface
  interface Folders {
    /// Deletes the folders of a run; does nothing if there are none.
    void delete(String run) throws IOException;
  }

  private final Config config;
  private final InstantSource clock;
  private final Folders folders;
  private final SharedCaches caches;

  /// The environments whose caches are deleted.
  private final Set<String> forgottenCaches = new TreeSet<>();

  private final PrintStream out;
  private final PrintStream err;

  public ForgetCommand(Config config, InstantSource clock, PrintStream out, PrintStream err) {
    this(
        config,
        clock,
        run -> DataFolder.deleteOfRun(config.data(), config.agentSnapshots(), run),
        out,
        err);
  }

  ForgetCommand(
      Config config, InstantSource clock, Folders folders, PrintStream out, PrintStream err) {
    this.config = config;
    this.clock = clock;
    this.folders = folders;
    this.caches = new SharedCaches(config.data().resolve("caches"));
    this.out = out;
    this.err = err;
  }

  /// The result of the command, printed at its end.
  private sealed interface Result {
    /// @param lines what was removed
    record Done(List<String> lines) implements Result {}

    /// Nothing is left to remove.
    record NothingFound(int code, String line) implements Result {}

    /// Nothing was removed.
    record Refused(String why) implements Result {}
  }

  /// @param kind run or person
  /// @return the exit code
  public int run(String kind, String id) {
    var person = PersonId.parse(id);
    if (kind.equals("person") && person.isEmpty()) {
      err.println(
          "%s is not the id of a person, like slack:U012345, slack:T012AB/U012345 or github:octocat."
              .formatted(id));
      return 2;
    }
    var file = RunDatabase.file(config);
    try (var database = BotDatabase.open(config);
        var service = RunDatabase.openIfThere(config).orElse(null)) {
      var known = new PersonalData(database.migrate(SqlStore.SCHEMA));
      var erasure = new Erasure(database);
      var runs = Optional.ofNullable(service).map(RunErasure::new);
      var answer =
          kind.equals("run")
              ? run(known, erasure, runs, id)
              : person(known, erasure, runs, person.orElseThrow(), id);
      return switch (answer) {
        case Result.Refused(var why) -> {
          err.println(why);
          yield 1;
        }
        case Result.NothingFound(var code, var line) -> {
          // An earlier attempt may have ended before this.
          yield scrub(database, service, file) ? print(code, List.of(line)) : 1;
        }
        case Result.Done(var lines) -> scrub(database, service, file) ? print(0, lines) : 1;
      };
    } catch (DatabaseException e) {
      err.println("Not everything was removed: %s Repeat the command.".formatted(e.problem()));
      return 1;
    } catch (IOException e) {
      err.println("Not every file was removed: %s. Repeat the command.".formatted(e.getMessage()));
      return 1;
    }
  }

  private int print(int code, List<String> lines) {
    lines.forEach((code == 0 ? out : err)::println);
    return code;
  }

  private Result run(PersonalData known, Erasure erasure, Optional<RunErasure> runs, String prefix)
      throws IOException {
    var ids = new LinkedHashSet<String>();
    known.runs(prefix).forEach(run -> ids.add(run.id()));
    runs.ifPresent(it -> it.runs(prefix).forEach(run -> ids.add(run.id())));
    if (ids.isEmpty()) {
      return new Result.NothingFound(
          1, "There is no run %s. ./runnel run list shows them.".formatted(prefix));
    }
    if (ids.size() > 1 && !ids.contains(prefix)) {
      return new Result.Refused(
          "The ids of %2$d runs begin with %1$s. Enter more of the id."
              .formatted(prefix, ids.size()));
    }
    var id = ids.contains(prefix) ? prefix : ids.getFirst();
    var tree = tree(runs, Set.of(id));
    var unfinished = unfinished(known, runs, tree);
    if (unfinished.isPresent()) {
      return new Result.Refused(stopFirst(unfinished.get()));
    }
    forget(erasure, runs, tree);
    erasure.audit(entry("a run"));
    var lines = new ArrayList<String>();
    lines.add("ok: the run %s is forgotten".formatted(id) + also(tree.size() - 1));
    deleteCaches().ifPresent(lines::add);
    lines.addAll(outside());
    return new Result.Done(lines);
  }

  private static String also(int children) {
    return children == 0 ? "" : ", and %d that it had started".formatted(children);
  }

  private Result person(
      PersonalData known, Erasure erasure, Optional<RunErasure> runs, PersonId person, String id)
      throws IOException {
    var traces = known.traces(person);
    var own = new LinkedHashSet<String>();
    traces.own().forEach(run -> own.add(run.id()));
    var tree = tree(runs, own);
    var unfinished = unfinished(known, runs, tree);
    if (unfinished.isPresent()) {
      return new Result.Refused(stopFirst(unfinished.get()));
    }
    forget(erasure, runs, tree);
    // The bot's rows are deleted last, because they name the person's other data.
    var changed = runs.map(it -> it.deleteFollowUps(traces.deliveries())).orElse(0);
    changed += erasure.forgetPerson(person);
    if (traces.isEmpty() && changed == 0) {
      return new Result.NothingFound(0, "Nothing is known of %s.".formatted(id));
    }
    erasure.audit(entry("a person"));
    var lines = new ArrayList<String>();
    lines.add("ok: %s is forgotten, with %d runs".formatted(id, tree.size()));
    deleteCaches().ifPresent(lines::add);
    if (!traces.others().isEmpty()) {
      lines.add(
          "They also sent messages to these runs of others, whose agents may have repeated them."
              + " ./runnel forget run ID removes one:");
      traces.others().forEach(run -> lines.add("  " + run));
    }
    lines.addAll(outside());
    return new Result.Done(lines);
  }

  /// What this command cannot remove.
  private List<String> outside() {
    var lines = new ArrayList<String>();
    config
        .agentApi()
        .map("The runs themselves are at %s, and stay there."::formatted)
        .ifPresent(lines::add);
    if (config.databaseUrl().isPresent()) {
      lines.add(
          "PostgreSQL keeps deleted rows in its files until it reuses their space, and in its log"
              + " and its backups. VACUUM FULL, run in the bot's database while Runnel is stopped,"
              + " rewrites the files.");
    }
    if (config.databaseUrl().isPresent() && config.agentApi().isEmpty()) {
      lines.add(
          "Only the workspaces and caches of this node were deleted. Other nodes delete theirs when"
              + " they are old (agents.limits.keep_workspaces).");
    }
    if (Files.exists(RunDatabase.moved(config))) {
      lines.add(
          "%s has the runs from before they were moved to PostgreSQL, and this one may be among them. Delete the file, unless you need it to go back to an older version."
              .formatted(RunDatabase.moved(config)));
    }
    return lines;
  }

  private AuditEntry entry(String what) {
    return AuditEntry.of(clock.instant(), CommandLinePerson.here(), AuditEntry.Verb.FORGET, what);
  }

  private static String stopFirst(String run) {
    return "The run %s has not ended. Stop it first: ./runnel run cancel %s".formatted(run, run);
  }

  /// The runs and their child runs; each run after its children, so that a repeated command finds
  /// the rest after a crash.
  private static Set<String> tree(Optional<RunErasure> runs, Set<String> ids) {
    var all = new LinkedHashSet<String>();
    runs.ifPresent(it -> ids.forEach(id -> it.tree(id).forEach(each -> all.add(each.id()))));
    all.addAll(ids);
    return all;
  }

  private static Optional<String> unfinished(
      PersonalData known, Optional<RunErasure> runs, Set<String> ids) {
    return ids.stream()
        .filter(
            id ->
                known.runs(id).stream().anyMatch(run -> run.id().equals(id) && run.active())
                    || runs.filter(
                            it ->
                                it.runs(id).stream()
                                    .anyMatch(run -> run.id().equals(id) && !run.ended()))
                        .isPresent())
        .findFirst();
  }

  /// Forgets runs. The bot's rows are deleted last, because they name the person of each run.
  private void forget(Erasure erasure, Optional<RunErasure> runs, Set<String> ids)
      throws IOException {
    for (var id : ids) {
      if (runs.isPresent()) {
        forgetCaches(runs.get().environment(id));
      }
      folders.delete(id);
      runs.ifPresent(it -> it.delete(id));
      erasure.forgetRun(id);
    }
  }

  /// Files of a run in the caches of its environment cannot be told from those of other runs.
  private void forgetCaches(Optional<String> environment) throws IOException {
    var uid =
        environment
            .flatMap(config.settings().environments()::find)
            .map(Environment::uid)
            .or(() -> environment)
            .orElse(Environment.NONE.uid());
    if (caches.forget(uid)) {
      forgottenCaches.add(uid);
    }
  }

  /// A running server deletes them itself, because its agents may be using them.
  ///
  /// @return what to say about it
  private Optional<String> deleteCaches() throws IOException {
    var isRunning = DataFolder.isInUse(config.data());
    if (!isRunning) {
      caches.deleteForgotten();
    }
    return forgottenCaches.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "The runs may have written to the download caches that their environments share (%s). %s"
                .formatted(
                    String.join(", ", forgottenCaches),
                    isRunning
                        ? "The server deletes these caches as soon as no agent uses them."
                        : "These caches were deleted."));
  }

  /// Deleted text stays in free pages and in the log of an embedded database until it is written
  /// anew.
  ///
  /// @return false if that failed; the reason has been printed
  private boolean scrub(Database database, @Nullable Database service, Path serviceFile) {
    try {
      if (database.isEmbedded()) {
        SqliteCopy.scrub(BotDatabase.file(config));
      }
      if (service != null && service.isEmbedded()) {
        new RunErasure(service).rebuildIndex();
        SqliteCopy.scrub(serviceFile);
      }
      return true;
    } catch (DatabaseException e) {
      err.println(
          "Rows and files are removed, but their text may still be in the database file: %s. Repeat the command."
              .formatted(e.getMessage()));
      return false;
    }
  }
}
