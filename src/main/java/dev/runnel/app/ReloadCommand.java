package dev.runnel.app;

import dev.runnel.app.data.BotDatabase;
import dev.runnel.app.data.CommandLinePerson;
import dev.runnel.app.data.DataFolder;
import dev.runnel.app.server.Platforms;
import dev.runnel.app.server.ReloadRoute;
import dev.runnel.app.settings.Config;
import dev.runnel.database.DatabaseException;
import dev.runnel.store.SqlSessions;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;

/// `./runnel reload`: lets the running server read its settings again, and prints what it applied.
/// The file is checked here first; a file that is not valid changes nothing.
record ReloadCommand(Config config, InstantSource clock, PrintStream out, PrintStream err) {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private static final int SECRET_BYTES = 24;

  /// @return the exit code
  int run() {
    Platforms.require(config.settings());
    try {
      // The link can open a session, so it is not sent to whatever took the port of a server that
      // has ended.
      if (!DataFolder.isInUse(config.data())) {
        return notRunning();
      }
    } catch (IOException e) {
      err.println(
          "The data folder %s cannot be used. Run the command as the user that Runnel runs as."
              .formatted(config.data()));
      return 1;
    }
    try (var http = HttpClient.newHttpClient()) {
      var address = Files.readString(config.data().resolve(DataFolder.SERVER_ADDRESS)).strip();
      var answer =
          http.send(
              HttpRequest.newBuilder(URI.create(address + ReloadRoute.PATH))
                  .timeout(TIMEOUT)
                  .POST(BodyPublishers.ofString(link() + "\n" + CommandLinePerson.account()))
                  .build(),
              BodyHandlers.ofString());
      if (answer.statusCode() == 200) {
        out.print(answer.body());
        return 0;
      }
      err.print(refusal(answer.statusCode(), answer.body()));
      return 1;
    } catch (NoSuchFileException e) {
      err.println("The server is starting. Repeat the command when it is ready.");
      return 1;
    } catch (IOException e) {
      err.println(
          "The server did not answer, and may have changed nothing: %s. Look at its log."
              .formatted(e));
      return 1;
    } catch (DatabaseException e) {
      err.println("The request cannot be stored in the database: " + e.problem());
      return 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    }
  }

  private int notRunning() {
    err.println(
        "No Runnel runs on %s. It reads its settings when it starts.".formatted(config.data()));
    return 1;
  }

  /// @param body the server's message
  static String refusal(int status, String body) {
    return switch (status) {
      case 422 -> "Nothing was changed. " + body;
      case 401 ->
          "The server did not accept the request, and changed nothing. Check that this command uses"
              + " the server's database (RUNNEL_DATABASE_URL, --data).\n";
      case 404, 405 -> "The server does not know this command. Restart it in this version.\n";
      default ->
          "The server answered with status %d, and may have changed nothing. Look at its log.\n"
              .formatted(status);
    };
  }

  private String link() {
    var bytes = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(bytes);
    var secret = HexFormat.of().formatHex(bytes);
    try (var database = BotDatabase.open(config)) {
      new SqlSessions(database, clock).offer(secret, clock.instant().plus(TIMEOUT));
    }
    return secret;
  }
}
