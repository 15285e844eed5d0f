package dev.runnel.service.egress;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The proxy speaks TLS to a server whose certificate is for `git.test`.
@Tag("slow")
@Timeout(60)
class GitGatewayTlsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir Path folder;
  private final Queue<String> logins = new ConcurrentLinkedQueue<>();
  private HttpsServer server;
  private SSLContext trusting;

  @BeforeEach
  void serve() throws Exception {
    var file = folder.resolve("keys");
    var keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    var made =
        new ProcessBuilder(
                keytool,
                "-genkeypair",
                "-alias",
                "x",
                "-keyalg",
                "EC",
                "-dname",
                "CN=git.test",
                "-ext",
                "SAN=dns:git.test",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor();
    assertThat(made).isZero();
    var keys = KeyStore.getInstance("PKCS12");
    try (var in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD);
    }
    var own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD);
    var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusted.init(keys);
    trusting = SSLContext.getInstance("TLS");
    trusting.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(trusting));
    server.createContext(
        "/",
        exchange -> {
          logins.add(exchange.getRequestHeaders().getFirst("Authorization"));
          var path = exchange.getRequestURI().toString().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, path.length);
          exchange.getResponseBody().write(path);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void theServerGetsTheLoginOverTls() throws IOException {
    assertThat(fetch("git.test", trusting.getSocketFactory()))
        .startsWith("HTTP/1.1 200 OK")
        .endsWith("/shop.git/info/refs?service=git-upload-pack");
    assertThat(logins).singleElement().asString().startsWith("Basic ");
  }

  @Test
  void serverWithACertificateForAnotherNameGetsNoLogin() throws IOException {
    assertThat(fetch("other.test", trusting.getSocketFactory())).startsWith("HTTP/1.1 502");
    assertThat(logins).isEmpty();
  }

  @Test
  void serverWithAnUntrustedCertificateGetsNoLogin() throws IOException {
    assertThat(fetch("git.test", (SSLSocketFactory) SSLSocketFactory.getDefault()))
        .startsWith("HTTP/1.1 502");
    assertThat(logins).isEmpty();
  }

  private String fetch(String host, SSLSocketFactory tls) throws IOException {
    var authority = host + ":" + server.getAddress().getPort();
    var gateway = new GitGateway(URI.create("https://" + authority + "/shop.git"), "s3cret");
    var request =
        "GET %s/info/refs?service=git-upload-pack HTTP/1.1\r\n\r\n".formatted(gateway.address());
    var socket = folder.resolve("proxy");
    try (var _ =
            EgressProxy.listen(
                socket,
                new EgressRules(List.of("internal:" + authority)),
                new EgressProxy.Extras(List.of(gateway), List.of(), List.of()),
                tls,
                _ -> List.of(InetAddress.getLoopbackAddress()),
                _ -> {});
        var client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      client.connect(UnixDomainSocketAddress.of(socket));
      Channels.newOutputStream(client).write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(Channels.newInputStream(client).readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
