package dev.runnel.app.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.DatabaseException;
import dev.runnel.web.RequestThreadPool;
import dev.runnel.web.WebServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.SQLTransientConnectionException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DatabaseOutageTest {
  @Test
  void stalledDatabaseIsAnsweredWithARequestToTryAgain() throws Exception {
    var stalled =
        new DatabaseException("no turn", new SQLTransientConnectionException("took too long"));
    try (var server =
            WebServer.start(
                "127.0.0.1",
                0,
                1_000,
                new RequestThreadPool(),
                Map.of(),
                routes -> {
                  DatabaseOutage.routes(routes);
                  routes.get(
                      "/page",
                      _ -> {
                        throw stalled;
                      });
                });
        var http = HttpClient.newHttpClient()) {
      var page = URI.create("http://127.0.0.1:" + server.port() + "/page");

      var response = http.send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString());

      assertThat(response.statusCode()).isEqualTo(503);
      assertThat(response.headers().firstValue("Retry-After")).contains("5");
      assertThat(response.body()).contains("cannot be reached");
    }
  }
}
