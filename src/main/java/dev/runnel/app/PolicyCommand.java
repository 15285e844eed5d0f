package dev.runnel.app;

import dev.runnel.app.command.CommandLine;
import dev.runnel.app.server.Platforms;
import dev.runnel.app.server.PolicyTester;
import dev.runnel.app.settings.Config;
import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import java.io.PrintStream;
import java.time.InstantSource;
import java.util.List;

/// `./runnel policy test WHO VERB WHERE`: prints which rule decides about a request, and how. Asks
/// the platform, if it is connected, which of its groups contain the person. Knows the defaults of
/// the configuration, but not those that people set.
record PolicyCommand(Config config, PrintStream out, PrintStream err) {
  /// @return the exit code: 0 permitted, 1 refused, 2 not understood, 3 waits for an approval
  int run(CommandLine.PolicyTest test) {
    try (var database = Database.inMemory();
        var platforms =
            Platforms.of(
                config.settings(),
                InstantSource.system(),
                config.addresses().publicUrlOr(config.addresses().port()),
                () -> database.migrate(SqlStore.SCHEMA).dataSource())) {
      var answer =
          new PolicyTester(
                  config.settings().policy(),
                  platforms::find,
                  (request, where, who) ->
                      config
                          .settings()
                          .defaults()
                          .resolve(request, where, who, List.of(), config.settings().profiles()))
              .test(test.who(), test.verb(), test.where(), test.own(), test.chosen());
      answer
          .lines()
          .forEach(
              answer.result() == PolicyTester.Result.NOT_UNDERSTOOD ? err::println : out::println);
      return switch (answer.result()) {
        case PERMITTED -> 0;
        case REFUSED -> 1;
        case NOT_UNDERSTOOD -> 2;
        case WAITS_FOR_APPROVAL -> 3;
      };
    }
  }
}
