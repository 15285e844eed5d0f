package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.testkit.RunnelProcess;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@Timeout(120)
class ConsoleLinkTest {
  private static final String TOKEN = "sesame-of-sixteen-letters";

  @TempDir private Path folder;

  @Test
  void consoleAcceptsALinkOrTheTokenButTrustsNoAddress() throws Exception {
    try (var runnel =
        RunnelProcess.start(
            folder, RunnelProcess.freePort(), Map.of("RUNNEL_CONSOLE_TOKEN", TOKEN))) {
      assertThat(runnel.get("/").statusCode()).isEqualTo(401);
      assertThat(runnel.send(to(runnel, "/").header("Authorization", "Bearer " + TOKEN)).body())
          .contains("No runs yet");

      var printed = linkIn(runnel.log());
      var signedIn = enters(runnel, printed);
      assertThat(signedIn.statusCode()).isEqualTo(303);
      assertThat(runnel.send(to(runnel, "/").header("Cookie", cookieOf(signedIn))).statusCode())
          .isEqualTo(200);
      assertThat(enters(runnel, printed).statusCode()).isEqualTo(401);

      var fresh = linkIn(console("--data", runnel.data().toString()));
      assertThat(fresh).hasPort(URI.create(runnel.url()).getPort());
      assertThat(enters(runnel, fresh).statusCode()).isEqualTo(303);
      assertThat(enters(runnel, fresh).statusCode()).isEqualTo(401);
    }
  }

  private static String console(String... options) {
    var out = new ByteArrayOutputStream();
    var words = new ArrayList<>(List.of("console"));
    words.addAll(List.of(options));
    assertThat(new Main(new PrintStream(out), System.err, Map.of()).run(words)).isZero();
    return out.toString(StandardCharsets.UTF_8);
  }

  private static URI linkIn(String text) {
    return text.lines()
        .filter(line -> line.contains("/enter?link="))
        .map(line -> URI.create(line.substring(line.indexOf("http"))))
        .findFirst()
        .orElseThrow(() -> new AssertionError("No link in:\n" + text));
  }

  private static HttpResponse<String> enters(RunnelProcess runnel, URI link) throws Exception {
    assertThat(runnel.get(link.getPath() + "?" + link.getQuery()).body()).contains("Open");
    return runnel.send(
        to(runnel, link.getPath())
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(link.getQuery())));
  }

  private static HttpRequest.Builder to(RunnelProcess runnel, String path) {
    return HttpRequest.newBuilder(URI.create(runnel.url() + path));
  }

  private static String cookieOf(HttpResponse<String> answer) {
    return answer.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
  }
}
