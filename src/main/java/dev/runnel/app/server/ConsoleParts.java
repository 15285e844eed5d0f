package dev.runnel.app.server;

import dev.runnel.client.RunsClient;
import dev.runnel.console.Console;
import dev.runnel.console.ConsoleData;
import dev.runnel.console.ConsoleVisitors;
import dev.runnel.console.access.ConsoleAuthentication;
import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.console.access.SignInProviders;
import dev.runnel.console.numbers.Numbers;
import dev.runnel.console.transcript.Transcripts;
import dev.runnel.console.view.About;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.RunStatistics;
import dev.runnel.core.redact.RedactedCatalog;
import dev.runnel.database.DatabaseException;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.runs.ClientRunCatalog;
import dev.runnel.service.AgentRunService;
import dev.runnel.store.SqlSessions;
import dev.runnel.store.SqlStartStatistics;
import dev.runnel.store.audit.AuditLog;
import java.net.URI;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The console, and the numbers that it shows.
///
/// @param agent the name of the agent; empty if it is not known
record ConsoleParts(Console console, Numbers numbers, String agent) {
  private static final Logger log = LoggerFactory.getLogger(ConsoleParts.class);

  static ConsoleAuthentication authentication(ServerContext context, Storage storage) {
    return new ConsoleAuthentication(
        context.config().consoleToken().orElse(null),
        new SqlSessions(storage.database(), context.clock()),
        context.clock());
  }

  /// @param surface the surface of the console
  /// @param service empty where another run service works
  static ConsoleParts of(
      ServerContext context,
      Storage storage,
      LiveSettings settings,
      Platforms platforms,
      Bot bot,
      ConsoleAuthentication authentication,
      ConsoleSurface surface,
      RunsClient client,
      AgentRuns runs,
      Optional<AgentRunService> service) {
    var config = context.config();
    var clock = context.clock();
    var agent =
        service
            .map(AgentRunService::agentName)
            .or(() -> config.agentApi().map(URI::getHost))
            .orElse("");
    var catalog =
        service.isPresent() ? new ClientRunCatalog(client, agent) : new ClientRunCatalog(client);
    var about = new About(agent, platforms.forConsole());
    var numbers =
        new Numbers(
            service.<RunStatistics>map(ServiceStatistics::new).orElse(RunStatistics.NONE),
            new SqlStartStatistics(storage.database()),
            storage.store(),
            settings::policy,
            about::source,
            about::isReadable,
            clock);
    var console =
        new Console(
            new ConsoleData(
                storage.store(),
                runs,
                new RedactedCatalog(catalog, context.redactor()),
                service.<Transcripts>map(ServiceTranscripts::new).orElse(Transcripts.NONE),
                new AuditLog(storage.database()),
                numbers,
                new ConsoleOperation(
                    new ConsoleOperation.Parts(
                        bot.healthCheck(),
                        platforms,
                        bot.requestMetrics(),
                        storage.store(),
                        storage.health(),
                        service,
                        settings::policy,
                        settings::inForce,
                        context.redactor(),
                        context.memory()),
                    clock),
                DatabaseException.class::isInstance),
            new ConsoleVisitors(
                authentication,
                new SignInProviders(
                    config.signIn().stream().map(it -> it.open(platforms.http(), clock)).toList(),
                    context.consoleUrl(),
                    new PlatformGroups(bot.surfaces(), settings::policy, clock)::of),
                settings::policy,
                "https".equals(context.consoleUrl().getScheme())),
            surface,
            about,
            context.redactor()::redact,
            clock,
            context.memory().share(MemoryBudget.Kind.READERS));
    return new ConsoleParts(console, numbers, agent);
  }

  /// Reads the numbers before somebody opens the page.
  void readAhead() {
    try {
      numbers.readAhead();
    } catch (DatabaseException e) {
      log.info("numbers not read ahead, the first page reads them why={}", e.problem());
    }
  }
}
