package dev.runnel.app;

import dev.runnel.app.command.CommandLine;
import dev.runnel.app.command.Completions;
import dev.runnel.app.command.HookCommand;
import dev.runnel.app.command.Manifest;
import dev.runnel.app.command.RunCommands;
import dev.runnel.app.command.RunsOnTerminal;
import dev.runnel.app.connect.ConnectCommand;
import dev.runnel.app.data.AttachCommand;
import dev.runnel.app.data.AuditCommand;
import dev.runnel.app.data.BackupCommand;
import dev.runnel.app.data.CommandLinePerson;
import dev.runnel.app.data.ForgetCommand;
import dev.runnel.app.data.FreezeCommand;
import dev.runnel.app.data.RestoreCommand;
import dev.runnel.app.server.RedactingLayout;
import dev.runnel.app.server.RunnelServer;
import dev.runnel.app.server.Version;
import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.Settings;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.service.process.ChildSubreaper;
import dev.runnel.threads.SupervisedThread;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `java -jar runnel-all.jar …`: parses the command line and runs the command.
public final class Main {
  private static final String HELP =
      """
      Runnel hands work to coding agents, from Slack threads and issues.

        ./runnel [serve]              run the bot, the agent service and the console
        ./runnel console              print a link that opens the console of a running server, once
        ./runnel check                call everything that is connected once, and print how to fix problems
            --escape                  also try the ways out of the isolation of agents
        ./runnel connect slack        connect a Slack workspace, step by step
        ./runnel connect github       connect a repository or organisation of GitHub
            --transport --public-url --repository --channel
                                      VALUE each, answers; without a terminal, secrets are read
                                      from the standard input, as NAME=VALUE lines
            --clone --push            yes or no each: whether agents work in a clone of the
                                      repository (else yes), and may push to it (else no)
        ./runnel manifest             print the Slack app manifest for this installation
        ./runnel hook NAME [FILE]     show what a sample of JSON would start at a hook
        ./runnel policy test WHO VERB WHERE
                                      show which rule of the policy decides, and how
            --env --model --groups    VALUE each; --own for the person's own run
        ./runnel freeze [REASON]      stop all starts and replies to runs that do not work; others continue
        ./runnel unfreeze             permit starts again
        ./runnel run start PROMPT     start a run; with --wait, watch it, too
            --title --name --model --env --skill --factory  VALUE each, what the run is given
        ./runnel run list             list the latest runs
            --state --name VALUE      only these; --all for all, not only the latest
        ./runnel run show ID          show a run
        ./runnel run follow ID TEXT   send a message to a run
        ./runnel run cancel ID        stop a run
                 --all                stop all runs that are queued or work
        ./runnel run watch ID         follow a run to its end
            --logs                    with watch and --wait: print the transcript
            --json                    for programs; the first characters of an ID are enough
        ./runnel attach ID            print how to continue a run in a terminal, on its machine
        ./runnel audit export         print the audit log, one JSON object per line
            --since --until TIME      a date, or an age such as 7d
        ./runnel audit verify         check that no entry was changed or removed
        ./runnel reload               let a running server read its settings again
        ./runnel backup DIR           copy databases, keys and workspaces, also of a running server
        ./runnel restore DIR          restore the data folder from a backup
        ./runnel forget run ID        remove all traces of a run that has ended
        ./runnel forget person ID     remove all traces of a person: slack:U012345, github:octocat
        ./runnel completion SHELL     print completion for bash, zsh or fish
        ./runnel --help | --version

      Every command takes
        --config FILE                 settings (else RUNNEL_CONFIG, else runnel.yaml)
        --port N                      HTTP port, 0 for any free one (else PORT, else 8080)
        --data DIR                    database and workspaces (else RUNNEL_DATA, else data)

      Exit status: 0 success, 1 failure, 2 wrong usage. `run watch` and `run start --wait`: 0 the run
      succeeded, 1 it failed, 3 it waits for a person, 4 it was cancelled.
      """;

  /// More than there are cores, because work that pins a carrier thread, as SQLite does, must not
  /// occupy all of them.
  private static final int CARRIERS = 16;

  /// Set by the launcher for a training run, whose data is deleted afterwards.
  private static final String TRAINING = "runnel.training";

  private static final Logger log = LoggerFactory.getLogger(Main.class);

  /// How long a stop waits for the end of the start.
  private static final Duration MAX_START = Duration.ofSeconds(4);

  /// The limit of a stop, without the time for agents to finish. With [#MAX_START] it is less than
  /// the 30 seconds after which orchestrators kill a process.
  private static final Duration MAX_STOP = Duration.ofSeconds(25);

  private final PrintStream out;
  private final PrintStream err;
  private final Map<String, String> environment;
  private final boolean isWholeProcess;

  public Main(PrintStream out, PrintStream err, Map<String, String> environment) {
    this(out, err, environment, false);
  }

  /// @param isWholeProcess whether nothing else starts processes in this JVM, as tests do
  private Main(
      PrintStream out, PrintStream err, Map<String, String> environment, boolean isWholeProcess) {
    this.isWholeProcess = isWholeProcess;
    this.out = out;
    this.err = err;
    this.environment = environment;
  }

  public static void main(String[] args) {
    // The JDK reads this property when the first virtual thread is created.
    if (System.getProperty("jdk.virtualThreadScheduler.parallelism") == null) {
      System.setProperty("jdk.virtualThreadScheduler.parallelism", Integer.toString(CARRIERS));
    }
    var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    var err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
    System.exit(new Main(out, err, System.getenv(), true).run(List.of(args)));
  }

  /// @return the exit code, as described in the help
  public int run(List<String> words) {
    try {
      return switch (CommandLine.parse(words)) {
        case CommandLine.Serve serve -> serve(serve);
        case CommandLine.Console(var options) -> new ConsoleLink(config(options), out, err).run();
        case CommandLine.Check(var options, var escape) ->
            new CheckCommand(config(options), out, environment).run(escape);
        case CommandLine.Manifest(var options) -> {
          Manifest.print(config(options), out, err);
          yield 0;
        }
        case CommandLine.Connect(var options, var platform, var chosen) ->
            ConnectCommand.run(config(options), platform, chosen, Manifest::of, out, System.in);
        case CommandLine.PolicyTest test ->
            new PolicyCommand(config(test.options()), out, err).run(test);
        case CommandLine.FreezeStarts(var options, var on, var reason) ->
            new FreezeCommand(config(options), out, err).run(on, reason);
        case CommandLine.TryHook(var options, var name, var sample) ->
            new HookCommand(config(options).settings().hooks(), out, err).run(name, sample);
        case CommandLine.RunCommand command ->
            new RunCommands(
                    config(command.options()),
                    out,
                    err,
                    isWholeProcess && RunsOnTerminal.isThere(environment))
                .run(command);
        case CommandLine.Attach(var options, var id) ->
            new AttachCommand(
                    config(options), Path.of(environment.getOrDefault("HOME", "/")), out, err)
                .run(id);
        case CommandLine.Audit(var options, var verb, var chosen) ->
            new AuditCommand(config(options), InstantSource.system(), out, err).run(verb, chosen);
        case CommandLine.Backup(var options, var folder) ->
            new BackupCommand(config(options), Version.current(), InstantSource.system(), out, err)
                .run(folder);
        case CommandLine.Restore(var options, var folder) ->
            new RestoreCommand(config(options), out, err).run(folder);
        case CommandLine.Forget(var options, var kind, var id) ->
            new ForgetCommand(config(options), InstantSource.system(), out, err).run(kind, id);
        case CommandLine.Reload(var options) ->
            new ReloadCommand(config(options), InstantSource.system(), out, err).run();
        case CommandLine.Completion(var shell) -> {
          out.print(Completions.of(shell));
          yield 0;
        }
        case CommandLine.Help _ -> {
          out.print(HELP);
          yield 0;
        }
        case CommandLine.Version _ -> {
          out.println("Runnel " + Version.current());
          yield 0;
        }
        case CommandLine.Wrong(var why) -> {
          err.println(why + " See ./runnel --help.");
          yield 2;
        }
      };
    } catch (SettingsException e) {
      err.println(e.getMessage());
      return 1;
    }
  }

  private Config config(CommandLine.Options options) {
    return Config.of(Settings.read(environment, options.file(), options.overrides()));
  }

  private int serve(CommandLine.Serve serve) {
    // A reload during the start waits until Runnel has started.
    var started = new CompletableFuture<RunnelServer>();
    HangUpSignal.handle(
        () -> {
          var _ = started.thenAccept(Main::reload);
        });
    var config = config(serve.options());
    if (isWholeProcess) {
      RedactingLayout.use(config.log());
    }
    if (!serve.exitWhenReady()) {
      stopAtExit(started, MAX_STOP.plus(config.drain()));
    }
    var runnel = start(config, serve, started);
    if (isWholeProcess && !runnel.isolatesAgents()) {
      // With containers, their own runtime ends the processes.
      ChildSubreaper.become();
    }
    // With JSON logs, the output contains nothing else.
    var banner = config.log().json() ? err : out;
    banner.println("Runnel " + Version.current());
    runnel.lines().forEach(banner::println);
    if (serve.exitWhenReady()) {
      if (Boolean.getBoolean(TRAINING)) {
        new AotTraining(
                runnel.port(),
                environment.getOrDefault("SLACK_SIGNING_SECRET", ""),
                environment.getOrDefault("GITHUB_WEBHOOK_SECRET", ""),
                InstantSource.system())
            .run();
      }
      runnel.close();
      return 0;
    }
    try {
      Thread.currentThread().join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return 0;
  }

  private RunnelServer start(
      Config config, CommandLine.Serve serve, CompletableFuture<RunnelServer> started) {
    try {
      var runnel =
          RunnelServer.start(
              config, environment, InstantSource.system(), () -> config(serve.options()));
      started.complete(runnel);
      return runnel;
    } catch (RuntimeException e) {
      started.completeExceptionally(e);
      throw e;
    }
  }

  /// Reads the settings again after a hang-up; invalid settings change nothing.
  private static void reload(RunnelServer runnel) {
    try {
      var _ = runnel.reload(CommandLinePerson.HANG_UP);
    } catch (RuntimeException e) {
      log.error("settings not reloaded, nothing was changed why={}", e.getMessage());
    }
  }

  /// A signal may come before the start is complete, when the server listens already. It is closed
  /// then as soon as it has started.
  private static void stopAtExit(CompletableFuture<RunnelServer> started, Duration maxStop) {
    Runnable stop =
        () -> {
          try {
            stop(started.get(MAX_START.toSeconds(), TimeUnit.SECONDS), maxStop);
          } catch (ExecutionException _) {
            // Nothing was started.
          } catch (TimeoutException e) {
            log.warn("stopped during the start");
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    Runtime.getRuntime()
        .addShutdownHook(
            SupervisedThread.daemons("shutdown")
                .newThread(SupervisedThread.logged("shutdown", stop::run)));
  }

  /// Stops within a time limit. The process ends when this returns, even if something hangs: the
  /// rows record the remaining work.
  private static void stop(RunnelServer runnel, Duration maxStop) {
    var closing = SupervisedThread.daemon("closing", runnel::close, _ -> {});
    try {
      if (!closing.join(maxStop)) {
        log.error("shutdown timed out, exiting anyway seconds={}", maxStop.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
