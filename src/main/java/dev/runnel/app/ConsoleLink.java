package dev.runnel.app;

import dev.runnel.app.data.BotDatabase;
import dev.runnel.app.data.DataFolder;
import dev.runnel.app.settings.Config;
import dev.runnel.console.access.ConsoleAuthentication;
import dev.runnel.database.DatabaseException;
import dev.runnel.store.SqlSessions;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.time.InstantSource;

/// `./runnel console`: prints a single-use link to the console of the running server. Available to
/// everybody who can read its data folder or has the settings of its database.
record ConsoleLink(Config config, PrintStream out, PrintStream err) {
  /// @return the exit code
  int run() {
    var clock = InstantSource.system();
    try (var database = BotDatabase.open(config)) {
      var authentication =
          new ConsoleAuthentication(
              config.consoleToken().orElse(null), new SqlSessions(database, clock), clock);
      out.println(address() + authentication.newLink());
      return 0;
    } catch (DatabaseException e) {
      err.println(
          "The link could not be stored. Check that the running Runnel has the version of this"
              + " command, and that you may write its database.");
      return 1;
    }
  }

  private String address() {
    try {
      return Files.readString(config.data().resolve(DataFolder.CONSOLE_ADDRESS)).strip();
    } catch (IOException neverStartedHere) {
      return config.addresses().consoleUrl(config.addresses().consolePort()).toString();
    }
  }
}
