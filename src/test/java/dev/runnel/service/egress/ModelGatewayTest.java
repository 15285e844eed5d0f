package dev.runnel.service.egress;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class ModelGatewayTest {
  private static final Pattern CALLS =
      Pattern.compile("POST /v1/messages(/count_tokens)?|GET /v1/models(/[a-z][a-z0-9.-]*)?");
  private static final String PLACEHOLDER = "added-by-runnel-anthropic-api-key";

  @TempDir Path folder;
  private final Queue<EgressProxy.Request> asked = new ConcurrentLinkedQueue<>();
  private final ModelGateway gateway = gateway("https://api.anthropic.com/");

  private static ModelGateway gateway(String provider) {
    return new ModelGateway(URI.create(provider), CALLS, Map.of(PLACEHOLDER, "s3cret-of-model"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /api.anthropic.com/v1/messages",
        "POST /api.anthropic.com/v1/messages?beta=true",
        "POST /api.anthropic.com/v1/messages/count_tokens",
        "GET /api.anthropic.com/v1/models",
        "GET /api.anthropic.com/v1/models/claude-4.5"
      })
  void modelRequestsGetTheKey(String request) {
    assertThat(accepts(gateway, request)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /api.anthropic.com/v1/messages",
        "POST /api.anthropic.com/v1/files",
        "GET /api.anthropic.com/v1/organizations/api_keys",
        "GET /api.anthropic.com/v1/models/../organizations",
        "GET /api.anthropic.com/v1/models/..",
        "GET /api.anthropic.com/v1/models/%2e%2e",
        "POST /api.anthropic.com//v1/messages",
        "POST /api.anthropic.com/v1/messages/",
        "POST /api.anthropic.com/v1/messages?key=x",
        "POST /api.anthropic.com/v1/messages?beta=true&x=y",
        "POST /api.anthropic.com/v1/messages#x",
        "POST /api.anthropic.com.evil.test/v1/messages",
        "POST /evil.test/v1/messages",
        "POST http://api.anthropic.com/v1/messages",
        "POST /v1/messages",
        "DELETE /api.anthropic.com/v1/messages"
      })
  void otherRequestsGetNoKey(String request) {
    assertThat(accepts(gateway, request)).isFalse();
  }

  private static RequestHead head(String... lines) throws MalformedRequestException {
    return RequestHead.parse(List.of(lines));
  }

  private static boolean accepts(ModelGateway gateway, String request) {
    var parts = request.split(" ", 2);
    return gateway.accepts(parts[0], parts[1]);
  }

  @Test
  void providerGetsTheKeyAndNoHeaderThatChangesTheRequest() throws Exception {
    var sent =
        gateway("https://models.test:8443/anthropic/")
            .forwarded(
                head(
                    "POST /models.test:8443/anthropic/v1/messages HTTP/1.1",
                    "Host: 127.0.0.1:3129",
                    "X-Api-Key: " + PLACEHOLDER,
                    "Authorization: Bearer of-another-account",
                    "anthropic-version: 2023-06-01",
                    "X-HTTP-Method-Override: DELETE",
                    "X_HTTP_METHOD_OVERRIDE: DELETE",
                    "X_HTTP_METHOD: DELETE",
                    "OpenAI-Organization: org-other",
                    "OpenAI-Project: proj-other",
                    "ChatGPT-Account-Id: other",
                    "X-Goog-User-Project: other",
                    "X-Original-URL: /admin",
                    "X-Forwarded-Host: other",
                    "Content_Length: 7",
                    "Cookie: a=b",
                    "Connection: keep-alive",
                    "Content-Length: 2"));

    assertThat(sent)
        .contains(
            """
            POST /anthropic/v1/messages HTTP/1.1\r
            Host: models.test:8443\r
            Connection: close\r
            x-api-key: s3cret-of-model\r
            anthropic-version: 2023-06-01\r
            Content-Length: 2\r
            \r
            """);
    assertThat(gateway.toString()).doesNotContain("s3cret");
    assertThat(gateway.address()).isEqualTo("http://127.0.0.1:3129/api.anthropic.com");
  }

  /// As Claude Code, Codex and Gemini CLI send them.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "anthropic-beta: x",
        "anthropic-dangerous-direct-browser-access: true",
        "x-app: cli",
        "X-Stainless-Retry-Count: 0",
        "X-Claude-Code-Session-Id: x",
        "originator: codex_exec",
        "session_id: x",
        "session-id: x",
        "thread-id: x",
        "version: 0.98.0",
        "OpenAI-Beta: responses=v1",
        "x-codex-turn-metadata: {}",
        "x-client-request-id: x",
        "x-goog-api-client: x",
        "Content-Encoding: zstd",
        "Transfer-Encoding: chunked"
      })
  void headersThatDescribeTheProgramAndTheBodyAreForwarded(String header) throws Exception {
    var sent =
        gateway.forwarded(
            head(
                "POST /api.anthropic.com/v1/messages HTTP/1.1",
                "x-api-key: " + PLACEHOLDER,
                header));

    assertThat(sent.orElseThrow()).contains("\r\n" + header + "\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x-api-key: of-another-account",
        "Authorization: Bearer of-another-account",
        "x-api-key:",
        "Authorization:",
        "X-Custom: " + PLACEHOLDER
      })
  void requestWithoutThePlaceholderIsNotForwarded(String header) throws Exception {
    assertThat(
            gateway.forwarded(
                head("POST /api.anthropic.com/v1/messages HTTP/1.1", "Host: x", header)))
        .isEmpty();
  }

  @Test
  void anAnswerArrivesPieceByPieceAndEndsWithTheProxy() throws IOException {
    try (var provider = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      var gateway = gateway("http://127.0.0.1:" + provider.getLocalPort());
      var socket = folder.resolve("proxy");
      // The rules permit nothing: only the gateway reaches the provider.
      var proxy =
          EgressProxy.listen(
              socket,
              new EgressRules(List.of()),
              new EgressProxy.Extras(List.of(), List.of(gateway), List.of()),
              EgressProxy.Resolver.system(),
              asked::add);
      client.connect(UnixDomainSocketAddress.of(socket));
      var path = URI.create(gateway.address()).getRawPath();
      Channels.newOutputStream(client)
          .write(
              """
              CONNECT %s HTTP/1.1\r
              \r
              POST %s/v1/messages HTTP/1.1\r
              x-api-key: %s\r
              Content-Length: 2\r
              \r
              {}\
              """
                  .formatted(ModelGateway.SERVICE, path, PLACEHOLDER)
                  .getBytes(US_ASCII));
      var in = new BufferedReader(new InputStreamReader(Channels.newInputStream(client), US_ASCII));
      assertThat(in.readLine()).startsWith("HTTP/1.1 200");
      assertThat(in.readLine()).isEmpty();

      try (var connection = provider.accept()) {
        var got = new BufferedReader(new InputStreamReader(connection.getInputStream(), US_ASCII));
        assertThat(got.lines().takeWhile(line -> !line.isEmpty()))
            .contains("POST /v1/messages HTTP/1.1", "x-api-key: s3cret-of-model");
        var out = connection.getOutputStream();
        for (var piece : List.of("HTTP/1.1 200 OK", "data: one", "data: two")) {
          out.write((piece + "\n").getBytes(US_ASCII));
          out.flush();
          // The next piece is only sent when this one has arrived.
          assertThat(in.readLine()).isEqualTo(piece);
        }
        proxy.close();

        assertThat(in.readLine()).isNull();
        assertThat(connection.getInputStream().readAllBytes()).isNotNull();
      }
      assertThat(asked).extracting(EgressProxy.Request::permitted).containsExactly(true);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET /127.0.0.1/v1/files, 403", "POST /127.0.0.1/v1/messages, 401"})
  void refusalExplainsWhatIsMissing(String row) throws IOException {
    var parts = row.split(", ", -1);
    var socket = folder.resolve("proxy");
    try (var _ =
            EgressProxy.listen(
                socket,
                new EgressRules(List.of()),
                new EgressProxy.Extras(List.of(), List.of(gateway("http://127.0.0.1")), List.of()),
                EgressProxy.Resolver.system(),
                asked::add);
        var client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      client.connect(UnixDomainSocketAddress.of(socket));
      Channels.newOutputStream(client)
          .write(
              "CONNECT %s HTTP/1.1\r\n\r\n%s HTTP/1.1\r\nHost: x\r\n\r\n"
                  .formatted(ModelGateway.SERVICE, parts[0])
                  .getBytes(US_ASCII));

      assertThat(new String(Channels.newInputStream(client).readAllBytes(), US_ASCII))
          .contains("\r\n\r\nHTTP/1.1 " + parts[1]);
      assertThat(asked).isEmpty();
    }
  }
}
