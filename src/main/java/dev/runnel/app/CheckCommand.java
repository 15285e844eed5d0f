package dev.runnel.app;

import dev.runnel.app.data.BotDatabase;
import dev.runnel.app.data.RunDatabase;
import dev.runnel.app.server.IsolationChoice;
import dev.runnel.app.server.KubernetesChoice;
import dev.runnel.app.server.MemoryLine;
import dev.runnel.app.server.Platforms;
import dev.runnel.app.server.PortCheck;
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
import dev.runnel.memory.MemoryBudget;
import dev.runnel.service.agent.Agents;
import dev.runnel.service.egress.EgressSetting;
import dev.runnel.service.isolation.EscapeCheck;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.Isolations;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.Executables;
import dev.runnel.service.workspace.Environment;
import dev.runnel.store.SqlStore;
import dev.runnel.surface.ConnectedPlatform;
import dev.runnel.surface.ConnectionCheck;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/// `./runnel check`: calls everything that is connected once, and prints one line for each: `ok`,
/// or how to fix it.
final class CheckCommand {
  private static final String NOT_ISOLATED = EgressSetting.MACHINE.line();

  /// The isolations whose agents are not on this machine, or in images of their own.
  private static final Set<String> ELSEWHERE = Set.of("container", Isolations.KUBERNETES);

  /// A word that the shell takes as it is.
  private static final Pattern FIRST_WORD =
      Pattern.compile("^\\s*([A-Za-z0-9_./+@%:,-]+)(?=\\s|$)");

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
    out.println(StatusLine.of("Memory", MemoryLine.of(MemoryBudget.ofThisProcess())));
    PortCheck.of(config).forEach(checked -> line("Port", checked));
    config.settings().policy().unreachable().stream()
        .map(Optional::of)
        .forEach(problem -> line("Policy", problem));
    line("Database", database());
    if (config.agentApi().isEmpty()) {
      line("Git", git());
    }
    line("Agent", agent());
    var isKubernetes =
        config.agentApi().isEmpty() && config.isolation().equals(Isolations.KUBERNETES);
    if (isKubernetes) {
      line("Kubernetes", KubernetesChoice.problem(config, environment, RunnelServer.AGENT_GRACE));
    }
    var isHere = config.agentApi().isEmpty() && !isKubernetes;
    var isolation = isHere ? isolation() : Optional.<Isolation.Local>empty();
    try (var platforms =
        Platforms.of(
            config.settings(),
            InstantSource.system(),
            config.addresses().publicUrlOr(config.addresses().port()),
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
    if (escape && !isHere) {
      line("Escape", Optional.of("not tried: this works for agents on this machine only."));
    } else if (escape) {
      isolation.ifPresent(this::escape);
    }
    return allPassed ? 0 : 1;
  }

  /// Prints the isolation that the next start chooses.
  ///
  /// @return empty if it refuses to start
  private Optional<Isolation.Local> isolation() {
    try {
      var isolation = IsolationChoice.onThisMachine(config, environment, config.data());
      out.println(StatusLine.of("Isolation", isolation.line()));
      return Optional.of(isolation);
    } catch (SettingsException e) {
      line("Isolation", Optional.of(String.valueOf(e.getMessage())));
      return Optional.empty();
    }
  }

  private void escape(Isolation.Local isolation) {
    var machine = config.machine(environment, config.data()).with(isolation.user());
    var environments = config.settings().environments();
    var chosen =
        Stream.concat(environments.defaultEnvironment().stream(), environments.all().stream())
            .filter(each -> each.image().isPresent())
            .findFirst()
            .orElse(Environment.NONE);
    try {
      var problem = isolation.problem(chosen);
      if (problem.isPresent()) {
        line("Escape", problem);
        return;
      }
      var egress = chosen.egress().orElse(config.egress()).resolve(config.egress());
      out.println(StatusLine.of("Network", isolation.isOn() ? egress.line() : NOT_ISOLATED));
      var check = new EscapeCheck(isolation, machine, chosen, egress, CheckCommand::start);
      for (var finding : check.run(config.data())) {
        allPassed &= finding.result() != EscapeCheck.Result.OPEN;
        out.println(
            StatusLine.of(
                "Escape",
                switch (finding.result()) {
                  case CLOSED -> "closed: " + finding.what();
                  case LIMITED ->
                      "open to a degree: %s: %s".formatted(finding.what(), finding.detail());
                  case OPEN -> "OPEN: %s: %s".formatted(finding.what(), finding.detail());
                  case UNKNOWN -> "not tried: %s: %s".formatted(finding.what(), finding.detail());
                }));
      }
    } catch (IOException e) {
      line("Escape", Optional.of("not tried: " + e.getMessage()));
    }
  }

  private static Process start(ProcessBuilder builder, boolean needsSocket) throws IOException {
    return Spawner.system()
        .process(builder, needsSocket ? Spawner.Channel.SOCKET : Spawner.Channel.PIPE);
  }

  /// The bot's own tables, which a running Runnel may be using.
  private DataSource rows() {
    try {
      opened = config.databaseUrl().map(Database::postgres).orElseGet(this::file);
      return opened.migrate(SqlStore.SCHEMA).dataSource();
    } catch (RuntimeException e) {
      throw new SettingsException(
          "The workspaces that installed the app are in the database, which cannot be read. See the"
              + " line Database.");
    }
  }

  /// Uses a database in memory if there is no file, because a check must not create files.
  private Database file() {
    var file = BotDatabase.file(config);
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
      var files = new ArrayList<>(List.of(BotDatabase.file(config)));
      if (config.agentApi().isEmpty()) {
        files.add(RunDatabase.file(config));
      }
      return files.stream().flatMap(file -> damage(file).stream()).findFirst();
    }
    try (var database = Database.postgres(config.databaseUrl().get())) {
      database.<Optional<Integer>>read(rows -> rows.first("SELECT 1", row -> row.getInt(1)));
      return Optional.empty();
    } catch (DatabaseException e) {
      return Optional.of(
          "cannot be reached. Check RUNNEL_DATABASE_URL, and that the server is up.");
    }
  }

  private static Optional<String> damage(Path file) {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    String found;
    try (var database = Database.sqlite(file)) {
      found =
          database
              .<Optional<String>>read(
                  rows -> rows.first("PRAGMA quick_check(1)", row -> row.getString(1)))
              .orElse("");
      if (found.equals("ok")) {
        return Optional.empty();
      }
    } catch (RuntimeException e) {
      found = String.valueOf(e.getMessage());
    }
    return Optional.of(
        "%s cannot be read: %s. If it is damaged, move the data folder away and restore a backup with ./runnel restore DIR."
            .formatted(file, found.strip()));
  }

  /// Workspaces are clones.
  private ConnectionCheck git() {
    var program = Executables.find("git", environment);
    if (program.isPresent()) {
      try {
        var version = new ProcessBuilder(program.get().toString(), "--version").start();
        var said = new String(version.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (version.waitFor() == 0) {
          return ConnectionCheck.ok("ok: " + said.strip());
        }
      } catch (IOException _) {
        // It cannot be started.
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
    return config.settings().environments().all().stream()
            .allMatch(each -> each.repositories().isEmpty())
        ? ConnectionCheck.ok("ok: there is none, and no environment has a repository")
        : ConnectionCheck.problem(
            "does not work, and environments have repositories. Install git on the PATH.");
  }

  private ConnectionCheck agent() {
    if (config.agentApi().isPresent()) {
      return ConnectionCheck.of(agentApi(config.agentApi().get()));
    }
    if (ELSEWHERE.contains(config.isolation())) {
      return ConnectionCheck.OK;
    }
    var program = config.agentCommand().flatMap(this::missingProgram);
    if (program.isPresent()) {
      return ConnectionCheck.problem(
          "RUNNEL_AGENT_COMMAND begins with %s, and the shell finds no such program. Install it, or change the setting."
              .formatted(program.get()));
    }
    var agent = Agents.find(config.agentCommand(), environment).defaultAgent().name();
    return ConnectionCheck.ok("ok: " + RunnelServer.agentLine(config, agent));
  }

  /// The first word of a command if it is a program that the shell does not find. Relative paths
  /// depend on the workspace.
  private Optional<String> missingProgram(String command) {
    var word = FIRST_WORD.matcher(command);
    if (!word.lookingAt() || (word.group(1).contains("/") && !word.group(1).startsWith("/"))) {
      return Optional.empty();
    }
    var shell = new ProcessBuilder("sh", "-c", "command -v -- \"$1\"", "sh", word.group(1));
    shell.environment().clear();
    Optional.ofNullable(environment.get("PATH"))
        .ifPresent(path -> shell.environment().put("PATH", path));
    shell.redirectOutput(Redirect.DISCARD).redirectError(Redirect.DISCARD);
    try {
      return shell.start().waitFor() == 0 ? Optional.empty() : Optional.of(word.group(1));
    } catch (IOException _) {
      // There is no shell to ask.
      return Optional.empty();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private Optional<String> agentApi(URI address) {
    try (var client =
        RunsClient.builder()
            .baseUrl(address)
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
