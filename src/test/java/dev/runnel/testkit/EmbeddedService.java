package dev.runnel.testkit;

import dev.runnel.app.settings.KnownPlatforms;
import dev.runnel.database.Database;
import dev.runnel.service.AgentRunService;
import dev.runnel.service.execution.ServiceSettings;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.run.Factory;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.service.workspace.Environments;
import io.javalin.Javalin;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The real Agent Run Service on a free port, with a shell command as its agent.
public final class EmbeddedService implements AutoCloseable {
  public static final String KEY = "test-key-of-the-service";

  private final Database database;
  private final AgentRunService service;
  private final Javalin server;

  /// @param command is given the prompt on its standard input
  public EmbeddedService(Path folder, String command) {
    this(folder, command, 4);
  }

  /// @param slots how many agents work at once
  public EmbeddedService(Path folder, String command, int slots) {
    this(folder, command, slots, List.of());
  }

  /// One with factories.
  public EmbeddedService(Path folder, String command, List<Factory> factories) {
    this(folder, command, 4, factories);
  }

  /// One whose runs work in other surroundings.
  ///
  /// @param variables the operator's
  public EmbeddedService(
      Path folder,
      String command,
      Map<String, String> variables,
      Environments environments,
      Isolation isolation) {
    this(folder, plain(folder, command, variables, 4), environments, isolation, List.of());
  }

  private EmbeddedService(Path folder, String command, int slots, List<Factory> factories) {
    this(
        folder,
        plain(folder, command, System.getenv(), slots),
        Environments.NONE,
        new Isolation.None(),
        factories);
  }

  private static ServiceSettings plain(
      Path folder, String command, Map<String, String> variables, int slots) {
    return new ServiceSettings(
        folder.resolve("workspaces"),
        KEY,
        () -> URI.create("http://runnel.test/"),
        Optional.of(command),
        variables,
        slots,
        Duration.ofSeconds(1));
  }

  private EmbeddedService(
      Path folder,
      ServiceSettings plain,
      Environments environments,
      Isolation isolation,
      List<Factory> factories) {
    database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    service =
        AgentRunService.open(
            database,
            new ServiceSettings(
                plain.workspaces(),
                plain.apiKey(),
                plain.publicUrl(),
                plain.command(),
                plain.environment(),
                plain.slots(),
                plain.grace(),
                environments,
                plain.limits(),
                isolation,
                plain.access(),
                factories,
                plain.apiUrl(),
                plain.redactor(),
                KnownPlatforms.sources(),
                plain.egress(),
                plain.permissionRules(),
                plain.memory()),
            InstantSource.system());
    server =
        Javalin.create(
                config -> {
                  config.concurrency.useVirtualThreads = true;
                  config.startup.showJavalinBanner = false;
                  service.routes(config.routes);
                })
            .start("127.0.0.1", 0);
  }

  /// Without a path.
  public URI uri() {
    return URI.create("http://127.0.0.1:" + server.port());
  }

  @Override
  public void close() {
    server.stop();
    service.close();
    database.close();
  }
}
