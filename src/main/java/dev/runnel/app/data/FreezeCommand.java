package dev.runnel.app.data;

import dev.runnel.app.settings.Config;
import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Starts.Freeze;
import dev.runnel.core.recovery.StartFreeze;
import dev.runnel.database.DatabaseException;
import dev.runnel.store.SqlStore;
import dev.runnel.store.SteadyClock;
import java.io.PrintStream;
import java.time.InstantSource;
import java.util.Optional;

/// `./runnel freeze [REASON]` and `./runnel unfreeze`: stops all starts of the running server, or
/// permits them again. Available to everybody who can write its database.
public record FreezeCommand(Config config, PrintStream out, PrintStream err) {
  private static final Actor OPERATOR = new Actor("operator", "whoever runs Runnel");

  /// @param on whether to freeze
  /// @param reason shown to everybody whose start is refused
  /// @return the exit code
  public int run(boolean on, Optional<String> reason) {
    var clock = InstantSource.system();
    try (var database = BotDatabase.open(config);
        var store = new SqlStore(database, new SteadyClock(database.clock(clock)))) {
      if (on) {
        store.change(
            work -> {
              work.starts().freeze(new Freeze(OPERATOR, reason, clock.instant()));
              audit(work, clock, "all starts" + reason.map(it -> ": " + it).orElse(""));
            });
        out.println("All starts are frozen. ./runnel unfreeze permits them again.");
      } else {
        var was =
            store.<Boolean>commit(
                work -> {
                  var frozen = StartFreeze.end(work);
                  if (frozen) {
                    audit(work, clock, "starts are permitted again");
                  }
                  return frozen;
                });
        out.println(was ? "Starts are permitted again." : "Starts were not frozen.");
      }
      return 0;
    } catch (DatabaseException e) {
      err.println(
          "The database cannot be written. Check that the running Runnel has the version of this"
              + " command, and that you may write its database.");
      return 1;
    }
  }

  private static void audit(Store.Work work, InstantSource clock, String what) {
    work.audit()
        .add(
            AuditEntry.of(clock.instant(), CommandLinePerson.here(), AuditEntry.Verb.FREEZE, what));
  }
}
