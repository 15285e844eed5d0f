package dev.runnel.app;

import dev.runnel.app.settings.Config;
import dev.runnel.core.model.AuditEntry;
import dev.runnel.database.Database;
import dev.runnel.database.DatabaseException;
import dev.runnel.database.SqliteCopy;
import dev.runnel.service.store.RunErasure;
import dev.runnel.store.Erasure;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// `./runnel forget run ID` and `./runnel forget person ID`: removes all traces from the tables and
/// files of a running or stopped server. It works on the databases directly, as a second node does,
/// and then overwrites what was deleted.
final class ForgetCommand {
  private final Config config;
  private final InstantSource clock;
  private final PrintStream out;
  private final PrintStream err;

  ForgetCommand(Config config, InstantSource clock, PrintStream out, PrintStream err) {
    this.config = config;
    this.clock = clock;
    this.out = out;
    this.err = err;
  }

  /// @param kind run or person
  /// @return the exit code
  int run(String kind, String id) {
    var person = Erasure.PersonId.parse(id);
    if (kind.equals("person") && person.isEmpty()) {
      err.println(
          "%s is not the id of a person, like slack:U012345, slack:T012AB/U012345 or github:octocat."
              .formatted(id));
      return 2;
    }
    var bot = config.data().resolve(BackupCommand.BOT);
    if (config.databaseUrl().isEmpty() && !Files.exists(bot)) {
      err.println(
          "There is no Runnel in %s. Name its data folder with --data.".formatted(config.data()));
      return 1;
    }
    var file = config.data().resolve(BackupCommand.SERVICE);
    var hasService = config.agentApi().isEmpty() && Files.exists(file);
    try (var database =
            config.databaseUrl().map(Database::postgres).orElseGet(() -> Database.sqlite(bot));
        var service = hasService ? Database.sqlite(file).migrate("db/service") : null) {
      var erasure = new Erasure(database.migrate("db/bot"));
      var runs = Optional.ofNullable(service).map(RunErasure::new);
      var code =
          kind.equals("run")
              ? run(erasure, runs, id)
              : person(erasure, runs, person.orElseThrow(), id);
      if (code == 0) {
        scrub(database, bot, service, file);
      }
      return code;
    } catch (DatabaseException e) {
      err.println("Not everything was removed: %s Repeat the command.".formatted(e.inWords()));
      return 1;
    } catch (IOException e) {
      err.println("Not every file was removed: %s. Repeat the command.".formatted(e.getMessage()));
      return 1;
    }
  }

  private int run(Erasure erasure, Optional<RunErasure> runs, String prefix) throws IOException {
    var ids = new LinkedHashSet<String>();
    erasure.runs(prefix).forEach(run -> ids.add(run.id()));
    runs.ifPresent(it -> it.runs(prefix).forEach(run -> ids.add(run.id())));
    if (ids.isEmpty()) {
      err.println("There is no run %s. ./runnel run list shows them.".formatted(prefix));
      return 1;
    }
    if (ids.size() > 1 && !ids.contains(prefix)) {
      err.println(
          "%s is the beginning of %d runs. Write more of the id.".formatted(prefix, ids.size()));
      return 1;
    }
    var id = ids.contains(prefix) ? prefix : ids.getFirst();
    var tree = tree(runs, Set.of(id));
    var unfinished = unfinished(erasure, runs, tree);
    if (unfinished.isPresent()) {
      err.println(stopFirst(unfinished.get()));
      return 1;
    }
    forget(erasure, runs, tree);
    erasure.audit(entry("a run"));
    out.println("ok: the run %s is forgotten".formatted(id) + also(tree.size() - 1));
    tellOfOutside();
    return 0;
  }

  private static String also(int children) {
    return children == 0 ? "" : ", and %d that it had started".formatted(children);
  }

  private int person(Erasure erasure, Optional<RunErasure> runs, Erasure.PersonId person, String id)
      throws IOException {
    var traces = erasure.traces(person);
    var own = new LinkedHashSet<String>();
    traces.own().forEach(run -> own.add(run.id()));
    var tree = tree(runs, own);
    var unfinished = unfinished(erasure, runs, tree);
    if (unfinished.isPresent()) {
      err.println(stopFirst(unfinished.get()));
      return 1;
    }
    forget(erasure, runs, tree);
    var rows = erasure.forgetPerson(person);
    if (runs.isPresent()) {
      rows += runs.get().forgetFollowUps(traces.deliveries());
    }
    if (traces.isEmpty() && rows == 0) {
      out.println("Nothing is known of %s.".formatted(id));
      return 0;
    }
    erasure.audit(entry("a person"));
    out.println("ok: %s is forgotten, with %d runs".formatted(id, tree.size()));
    if (!traces.others().isEmpty()) {
      out.println(
          "They also spoke to these runs of others, whose agents may have repeated what they said."
              + " ./runnel forget run ID removes one:");
      traces.others().forEach(run -> out.println("  " + run));
    }
    tellOfOutside();
    return 0;
  }

  private void tellOfOutside() {
    config
        .agentApi()
        .ifPresent(
            api -> out.println("The runs themselves are at %s, and stay there.".formatted(api)));
  }

  private AuditEntry entry(String what) {
    return AuditEntry.of(clock.instant(), CommandLinePerson.here(), AuditEntry.Verb.FORGET, what);
  }

  private static String stopFirst(String run) {
    return "The run %s has not ended. Stop it first: ./runnel run cancel %s".formatted(run, run);
  }

  /// The runs, and those that their agents started.
  private static Set<String> tree(Optional<RunErasure> runs, Set<String> ids) {
    var all = new LinkedHashSet<>(ids);
    runs.ifPresent(it -> ids.forEach(id -> it.tree(id).forEach(each -> all.add(each.id()))));
    return all;
  }

  private static Optional<String> unfinished(
      Erasure erasure, Optional<RunErasure> runs, Set<String> ids) {
    return ids.stream()
        .filter(
            id ->
                erasure.runs(id).stream().anyMatch(run -> run.id().equals(id) && run.active())
                    || runs.filter(
                            it ->
                                it.runs(id).stream()
                                    .anyMatch(run -> run.id().equals(id) && !run.ended()))
                        .isPresent())
        .findFirst();
  }

  private void forget(Erasure erasure, Optional<RunErasure> runs, Set<String> ids)
      throws IOException {
    for (var id : ids) {
      erasure.forgetRun(id);
      runs.ifPresent(it -> it.forget(id));
      DataFolder.deleteOfRun(config.data(), id);
    }
  }

  /// Deleted text stays in free pages and in the log of an embedded database until it is written
  /// anew.
  private static void scrub(
      Database database, Path bot, @Nullable Database service, Path serviceFile) {
    if (database.isEmbedded()) {
      SqliteCopy.scrub(bot);
    }
    if (service != null) {
      new RunErasure(service).rebuildIndex();
      SqliteCopy.scrub(serviceFile);
    }
  }
}
