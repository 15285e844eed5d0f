package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.testkit.RunnelProcess;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@Timeout(120)
class AdminPortTest {
  private static final String TOKEN = "sesame-of-sixteen-letters";

  @TempDir Path folder;

  private static int status(RunnelProcess runnel, int port, String method, String path)
      throws Exception {
    return runnel
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", "Bearer " + TOKEN)
                .method(method, BodyPublishers.ofString("x")))
        .statusCode();
  }

  @Test
  void adminPortServesTheConsoleApiAndMetricsSeparately() throws Exception {
    var port = RunnelProcess.freePort();
    var admin = RunnelProcess.freePort();
    try (var runnel =
        RunnelProcess.start(
            folder,
            port,
            Map.of(
                "RUNNEL_ADMIN_PORT",
                Integer.toString(admin),
                "RUNNEL_PUBLIC_URL",
                "https://runnel.example",
                "RUNNEL_CONSOLE_TOKEN",
                TOKEN,
                "SLACK_SIGNING_SECRET",
                "8f742231b10e8888abcd99eeeaaa85a5",
                "SLACK_BOT_TOKEN",
                "xoxb-1-2-three",
                "SLACK_API_URL",
                "http://127.0.0.1:9/api/",
                "RUNNEL_AGENT_COMMAND",
                "echo done"))) {
      for (var path : List.of("/", "/enter", "/metrics", "/api/v1/agent/runs", "/attention")) {
        assertThat(status(runnel, port, "GET", path)).as(path).isEqualTo(404);
        assertThat(status(runnel, admin, "GET", path)).as(path).isNotEqualTo(404);
      }
      for (var path :
          List.of(
              "//metrics",
              "/%6detrics",
              "/metrics/",
              "/healthz/../metrics",
              "/healthz/..;/metrics",
              "/healthz%2f..%2fmetrics",
              "/slack/events/../../enter",
              "/mcp",
              "/reload")) {
        for (var method : List.of("GET", "HEAD", "POST", "OPTIONS")) {
          assertThat(status(runnel, port, method, path)).as(method + " " + path).isIn(400, 404);
        }
      }
      for (var path : List.of("/", "/runs", "/audit", "/api/v1/agent/runs")) {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + admin + path)).HEAD();
        assertThat(runnel.send(request).statusCode()).as(path).isEqualTo(401);
      }
      assertThat(status(runnel, port, "POST", "/webhooks/console")).isEqualTo(404);
      assertThat(status(runnel, admin, "POST", "/webhooks/console")).isEqualTo(400);
      assertThat(status(runnel, port, "POST", "/slack/events")).isEqualTo(401);
      assertThat(status(runnel, admin, "POST", "/slack/events")).isEqualTo(404);
      for (var path : List.of("/healthz", "/readyz")) {
        assertThat(status(runnel, port, "GET", path)).as(path).isEqualTo(200);
        assertThat(status(runnel, admin, "GET", path)).as(path).isEqualTo(200);
      }
      // Another address of this machine.
      assertThatThrownBy(() -> new Socket("127.0.0.2", admin).close())
          .isInstanceOf(ConnectException.class);
      assertThat(runnel.log()).contains("http://localhost:" + admin + "/enter?link=");
      assertThat(
              new Main(
                      System.out,
                      System.err,
                      Map.of(
                          "PORT",
                          Integer.toString(port),
                          "RUNNEL_ADMIN_PORT",
                          Integer.toString(admin)))
                  .run(List.of("run", "start", "go", "--wait", "--data", runnel.data().toString())))
          .isZero();
    }
  }
}
