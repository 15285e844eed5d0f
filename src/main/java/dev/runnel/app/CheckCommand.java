package dev.runnel.app;

import dev.runnel.app.server.KubernetesChoice;
import dev.runnel.app.server.Platforms;
import dev.runnel.app.server.RunnelServer;
import dev.runnel.app.server.StatusLine;
import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.client.ListRuns;
import dev.runnel.client.RunsClient;
import dev.runnel.client.RunsException;
import dev.runnel.core.port.ProxyRefused;
import dev.runnel.database.Database;
import dev.runnel.database.DatabaseException;
import dev.runnel.service.egress.EgressSetting;
import dev.runnel.service.isolation.EscapeCheck;
import dev.runnel.service.isolation.Isolations;
import dev.runnel.service.workspace.Environment;
import dev.runnel.store.SqlStore;
import dev.runnel.surface.ConnectedPlatform;
import dev.runnel.surface.ConnectionCheck;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/// `./runnel check`: calls everything that is connected once, and prints one line for each: `ok`,
/// or how to fix it.
final class CheckCommand {
  private static final String NOT_ISOLATED = EgressSetting.MACHINE.line();

  private final Config config;
  private final PrintStream out;
  private final Map<String, String> environment;
  private boolean allPassed = true;
  private @Nullable Database opened;

  /// @param environment the operator's variables
  CheckCommand(Config config, PrintStream out, Map<String, String> environment) {
    this.config = config;
    this.out = out;
    this.environment = Map.copyOf(environment);
  }

  /// @param escape whether to also try to escape from the isolation of agents
  /// @return the exit code: 0 if everything works and no escape succeeded
  int run(boolean escape) {
    Platforms.require(config.settings());
    line("Data", data());
    config.settings().policy().unreachable().stream()
        .map(Optional::of)
        .forEach(problem -> line("Policy", problem));
    line("Database", database());
    line("Agent", agentApi());
    var isKubernetes =
        config.agentApi().isEmpty() && config.isolation().equals(Isolations.KUBERNETES);
    if (isKubernetes) {
      line("Kubernetes", KubernetesChoice.problem(config, environment, RunnelServer.AGENT_GRACE));
    }
    try (var platforms =
        Platforms.of(
            config.settings(),
            InstantSource.system(),
            config.publicUrlOr(config.port()),
            this::rows)) {
      for (var platform : platforms.all()) {
        platform
            .connected()
            .map(ConnectedPlatform::check)
            .orElse(List.of())
            .forEach(checked -> line(platform.definition().name(), checked));
      }
    } finally {
      if (opened != null) {
        opened.close();
      }
    }
    if (escape && isKubernetes) {
      line("Escape", Optional.of("not tried: this works for agents on this machine only."));
    } else if (escape) {
      escape();
    }
    return allPassed ? 0 : 1;
  }

  private void escape() {
    var machine = config.machine(environment, config.data());
    var environments = config.settings().environments();
    var chosen =
        Stream.concat(environments.defaultEnvironment().stream(), environments.all().stream())
            .filter(each -> each.image().isPresent())
            .findFirst()
            .orElse(Environment.NONE);
    try {
      var isolation = Isolations.choose(config.isolation(), machine, config.limitsEgress());
      out.println(StatusLine.of("Isolation", isolation.line()));
      var problem = isolation.problem(chosen);
      if (problem.isPresent()) {
        line("Escape", problem);
        return;
      }
      var egress = chosen.egress().orElse(config.egress()).resolve(config.egress());
      out.println(StatusLine.of("Network", isolation.isOn() ? egress.line() : NOT_ISOLATED));
      for (var finding : new EscapeCheck(isolation, machine, chosen, egress).run(config.data())) {
        allPassed &= finding.result() != EscapeCheck.Result.OPEN;
        out.println(
            StatusLine.of(
                "Escape",
                switch (finding.result()) {
                  case CLOSED -> "closed: " + finding.what();
                  case OPEN -> "OPEN: %s: %s".formatted(finding.what(), finding.detail());
                  case UNKNOWN -> "not tried: %s: %s".formatted(finding.what(), finding.detail());
                }));
      }
    } catch (IllegalArgumentException e) {
      line("Isolation", Optional.of("agents.isolation " + e.getMessage()));
    } catch (IOException e) {
      line("Escape", Optional.of("not tried: " + e.getMessage()));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// The bot's own tables, which a running Runnel may be using.
  private DataSource rows() {
    try {
      opened = config.databaseUrl().map(Database::postgres).orElseGet(this::file);
      return opened.migrate(SqlStore.SCHEMA).dataSource();
    } catch (DatabaseException e) {
      throw new SettingsException(
          "The workspaces that installed the app are in the database, which cannot be reached."
              + " Check RUNNEL_DATABASE_URL, and that the server is up.");
    }
  }

  /// Uses a database in memory if there is no file, because a check must not create files.
  private Database file() {
    var file = config.data().resolve("runnel.db");
    return Files.exists(file) ? Database.sqlite(file) : Database.inMemory();
  }

  private void line(String name, Optional<String> problem) {
    line(name, ConnectionCheck.of(problem));
  }

  private void line(String name, ConnectionCheck checked) {
    allPassed &= checked.isOk();
    out.println(StatusLine.of(name, checked.text()));
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
      return Optional.of(
          "cannot be reached. Check RUNNEL_DATABASE_URL, and that the server is up.");
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
            .http(config.proxy()::apply)
            .build()) {
      client.runs().list(ListRuns.ALL.limit(1)).send();
      return Optional.empty();
    } catch (RunsException e) {
      return Optional.of(
          ProxyRefused.in(e)
              .map(why -> "cannot be reached: " + why + ".")
              .orElse(e.getMessage() + " Check RUNNEL_AGENT_API_URL and RUNNEL_AGENT_API_KEY."));
    }
  }
}
