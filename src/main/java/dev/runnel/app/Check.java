package dev.runnel.app;

import dev.runnel.client.ListRuns;
import dev.runnel.client.RunsClient;
import dev.runnel.client.RunsException;
import dev.runnel.database.Database;
import dev.runnel.database.DatabaseException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.time.InstantSource;
import java.util.Optional;

/// `./runnel check`: calls everything that is connected once, and says in a line each what is
/// well, and what to do about what is not.
final class Check {
  private final Config config;
  private final PrintStream out;
  private boolean allWell = true;

  Check(Config config, PrintStream out) {
    this.config = config;
    this.out = out;
  }

  /// @return the exit code: 0 when all is well
  int run() {
    try (var platforms = Platforms.of(config.settings(), InstantSource.system())) {
      line("Data", data());
      line("Database", database());
      line("Agent", agentApi());
      platforms.slack().ifPresent(slack -> line("Slack", slack.check()));
      platforms.github().ifPresent(github -> line("GitHub", github.check()));
      platforms.gitlab().ifPresent(gitlab -> line("GitLab", gitlab.check()));
      platforms.linear().ifPresent(linear -> line("Linear", linear.check()));
      platforms.gitea().ifPresent(gitea -> line("Gitea", gitea.check()));
    }
    return allWell ? 0 : 1;
  }

  private void line(String name, Optional<String> problem) {
    allWell &= problem.isEmpty();
    out.println(Wiring.line(name, problem.orElse("ok")));
  }

  private Optional<String> data() {
    return Files.isDirectory(config.data()) && !Files.isWritable(config.data())
        ? Optional.of(
            "%s cannot be written. Change its owner, or choose another folder with RUNNEL_DATA."
                .formatted(config.data()))
        : Optional.empty();
  }

  private Optional<String> database() {
    if (config.databaseUrl().isEmpty()) {
      return Optional.empty();
    }
    try (var database = Database.postgres(config.databaseUrl().get())) {
      database.<Optional<Integer>>read(rows -> rows.first("SELECT 1", row -> row.getInt(1)));
      return Optional.empty();
    } catch (DatabaseException e) {
      return Optional.of("not reached. Check RUNNEL_DATABASE_URL, and that the server is up.");
    }
  }

  private Optional<String> agentApi() {
    if (config.agentApi().isEmpty()) {
      return Optional.empty();
    }
    try (var client =
        RunsClient.builder()
            .baseUrl(config.agentApi().get())
            .apiKey(config.agentApiKey().orElseThrow())
            .build()) {
      client.runs().list(ListRuns.ALL.limit(1)).send();
      return Optional.empty();
    } catch (RunsException e) {
      return Optional.of(e.getMessage() + " Check RUNNEL_AGENT_API_URL and RUNNEL_AGENT_API_KEY.");
    }
  }
}
