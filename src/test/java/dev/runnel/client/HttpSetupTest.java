package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.ConnectionPool;
import okhttp3.Credentials;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What is set up on OkHttp itself.
@Tag("slow")
@Timeout(60)
class HttpSetupTest extends ClientFixture {
  @Test
  void requestsGoThroughAProxy() throws Exception {
    server.enqueue(json(200, RUN));
    try (var client = proxied().build()) {
      assertThat(client.runs().get("r1").send().runId()).isEqualTo("r1");
    }

    assertThat(server.takeRequest().getRequestLine())
        .isEqualTo("GET http://runs.example/api/v1/agent/runs/r1 HTTP/1.1");
  }

  @Test
  void proxyLoginIsSentOnRequest() throws Exception {
    server.enqueue(
        answer(407, "", "text/plain").setHeader("Proxy-Authenticate", "Basic realm=x").build());
    server.enqueue(json(200, RUN));
    try (var client =
        proxied()
            .http(
                it ->
                    it.proxyAuthenticator(
                        (_, response) ->
                            response
                                .request()
                                .newBuilder()
                                .header("Proxy-Authorization", Credentials.basic("me", "pw"))
                                .build()))
            .build()) {
      client.runs().get("r1").send();
    }

    server.takeRequest();
    assertThat(server.takeRequest().getHeaders().get("Proxy-Authorization")).startsWith("Basic ");
  }

  @Test
  void interceptorsSeeTheRequestAndMayChangeIt() throws Exception {
    server.enqueue(json(200, RUN));
    try (var client =
        builder()
            .http(
                it ->
                    it.addInterceptor(
                        chain ->
                            chain.proceed(
                                chain.request().newBuilder().header("X-Hook", "1").build())))
            .build()) {
      client.runs().get("r1").send();
    }

    assertThat(server.takeRequest().getHeaders().get("X-Hook")).isEqualTo("1");
  }

  @Test
  void connectionPoolCanBeSetByTheCaller() throws Exception {
    server.enqueue(json(200, RUN));
    server.enqueue(json(200, RUN));
    try (var client =
        builder()
            .http(it -> it.connectionPool(new ConnectionPool(0, 1, TimeUnit.MINUTES)))
            .build()) {
      client.runs().get("r1").send();
      client.runs().get("r1").send();
    }

    server.takeRequest();
    assertThat(server.takeRequest().getConnectionIndex()).isOne();
  }

  @Nested
  class Tls {
    private static final String PASSWORD = "changeit";

    private static KeyStore own = emptyStore();

    @BeforeAll
    static void makeACertificate(@TempDir Path folder) throws Exception {
      var file = folder.resolve("own.p12");
      var keytool =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                  "-genkeypair",
                  "-alias",
                  "own",
                  "-keyalg",
                  "EC",
                  "-dname",
                  "CN=runs.example",
                  "-ext",
                  "SAN=dns:runs.example",
                  "-validity",
                  "2",
                  "-storetype",
                  "PKCS12",
                  "-keystore",
                  file.toString(),
                  "-storepass",
                  PASSWORD)
              .redirectErrorStream(true)
              .start();
      assertThat(keytool.waitFor()).isZero();
      own = KeyStore.getInstance("PKCS12");
      try (var stream = Files.newInputStream(file)) {
        own.load(stream, PASSWORD.toCharArray());
      }
    }

    @Test
    void anOwnTrustAndHostnameVerifierAreUsed() throws Exception {
      serveHttps();
      server.enqueue(json(200, RUN));
      try (var client = trusting().http(it -> it.hostnameVerifier((_, _) -> true)).build()) {
        assertThat(client.runs().get("r1").send().runId()).isEqualTo("r1");
      }
      assertThat(server.takeRequest().getHandshake()).isNotNull();
    }

    @Test
    void aCertificateForAnotherHostIsRefused() throws Exception {
      serveHttps();
      try (var client = trusting().build()) {
        isRefused(client);
      }
    }

    @Test
    void anUnknownCertificateIsRefused() throws Exception {
      serveHttps();
      try (var client = builder().maxRetries(0).build()) {
        isRefused(client);
      }
    }

    private void isRefused(RunsClient client) {
      assertThatThrownBy(() -> client.runs().get("r1").send())
          .isInstanceOfSatisfying(
              RunsException.ConnectionFailed.class,
              failure -> assertThat(failure.wasSent()).isFalse())
          .hasMessage(
              "Could not read run r1: no secure connection to the run service could be made");
      assertThat(server.getRequestCount()).isZero();
    }

    private void serveHttps() throws Exception {
      var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(own, PASSWORD.toCharArray());
      var tls = SSLContext.getInstance("TLS");
      tls.init(keys.getKeyManagers(), null, null);
      server.useHttps(tls.getSocketFactory());
    }

    private RunsClientBuilder trusting() throws Exception {
      var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(own);
      var tls = SSLContext.getInstance("TLS");
      tls.init(null, trust.getTrustManagers(), null);
      return builder()
          .maxRetries(0)
          .http(
              it ->
                  it.sslSocketFactory(
                      tls.getSocketFactory(), (X509TrustManager) trust.getTrustManagers()[0]));
    }

    private static KeyStore emptyStore() {
      try {
        return KeyStore.getInstance("PKCS12");
      } catch (java.security.KeyStoreException impossible) {
        throw new AssertionError(impossible);
      }
    }
  }

  private RunsClientBuilder proxied() {
    return builder()
        .baseUrl(URI.create("http://runs.example/api/v1"))
        .proxy(server.getProxyAddress());
  }
}
