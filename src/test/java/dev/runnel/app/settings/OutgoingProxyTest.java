package dev.runnel.app.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.core.port.ProxyRefused;
import dev.runnel.testkit.LoginProxy;
import dev.runnel.testkit.MockServers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import mockwebserver3.MockResponse;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The proxy of a company, as `HTTPS_PROXY` and `NO_PROXY` describe it.
class OutgoingProxyTest {
  private static final char[] STORE_PASSWORD = "changeit".toCharArray();
  private static final String VALID = "http://ann:s3cret-1@proxy.corp:3128";

  private static Settings settings(String proxy, String direct) {
    return Settings.read(
        Map.of("HTTPS_PROXY", proxy, "NO_PROXY", direct), Optional.empty(), Map.of());
  }

  private static List<Proxy> select(String proxy, String direct, String address) {
    var settings = settings(proxy, direct);
    return OutgoingProxy.of(settings, false)
        .apply(new OkHttpClient.Builder())
        .build()
        .proxySelector()
        .select(URI.create(address));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {VALID, "http://proxy.corp:3128/", "proxy.corp:3128", "http://ann@proxy.corp:3128"})
  void proxyIsUsedForHttpsAddresses(String proxy) {
    assertThat(select(proxy, "", "https://slack.com/api"))
        .singleElement()
        .hasToString("HTTP @ proxy.corp/<unresolved>:3128");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://gitea:3000",
        "https://localhost:8443",
        "https://127.0.0.1:8443",
        "https://[::1]:8443",
        "https://gitlab.corp",
        "https://deep.gitlab.corp",
        "https://JIRA.lan",
        "https://10.1.2.3"
      })
  void proxyIsNotUsedForLocalHostsAndHostsInNoProxy(String address) {
    assertThat(select(VALID, "gitlab.corp, .lan,10.1.2.3", address))
        .containsExactly(Proxy.NO_PROXY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://notgitlab.corp", "https://gitlab.corp.example.com"})
  void proxyIsUsedForHostsSimilarToThoseInNoProxy(String address) {
    assertThat(select(VALID, "gitlab.corp,", address)).doesNotContain(Proxy.NO_PROXY);
  }

  @Test
  void asteriskInNoProxyDisablesTheProxy() {
    assertThat(select(VALID, "*", "https://slack.com")).containsExactly(Proxy.NO_PROXY);
  }

  @Test
  void javaProxyOptionsOverrideTheProxySetting() {
    var plain = new OkHttpClient.Builder();
    var own = plain.build().proxySelector();

    assertThat(OutgoingProxy.of(settings(VALID, ""), true).apply(plain).build().proxySelector())
        .isSameAs(own);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://ann:s3cret-1@proxy.corp:3128",
        "socks5://ann:s3cret-1@proxy.corp:1080",
        "http://ann:s3cret-1@proxy.corp",
        "http://ann:s3cret-1@proxy.corp:0",
        "http://ann:s3cret-1@proxy.corp:70000",
        "http://ann:s3cret-1#@proxy.corp:3128",
        "http://ann:s3cret-1 @proxy.corp:3128",
        "http://ann:s3cret-1%zz@proxy.corp:3128",
        "http://ann:s3cret-1/2@proxy.corp:3128",
        "http://:3128"
      })
  void invalidProxyAddressIsRefusedWithoutShowingItsValue(String proxy) {
    assertThatThrownBy(() -> Config.of(settings(proxy, "")))
        .isInstanceOf(SettingsException.class)
        .hasMessageStartingWith("HTTPS_PROXY")
        .hasMessageContaining("http://USER:PASSWORD@proxy.corp:3128")
        .message()
        .doesNotContain("s3cret-1");
  }

  @Test
  void proxyPasswordsAreTreatedAsSecrets() {
    var settings = settings("http://ann:p%40ss+w0rd@proxy.corp:3128", "");

    assertThat(Secrets.of(settings)).contains("p%40ss+w0rd", "p@ss+w0rd");
    assertThat(OutgoingProxy.of(settings, false).toString()).doesNotContain("w0rd", "ann");
  }

  @Test
  void gitGetsTheProxySettings() {
    var named = settings(VALID, "corp");

    assertThat(named.withoutSecrets(Map.of("PATH", "/bin")))
        .containsEntry("HTTPS_PROXY", VALID)
        .containsEntry("NO_PROXY", "corp");
    assertThat(
            Settings.read(Map.of(), Optional.empty(), Map.of())
                .withoutSecrets(Map.of("PATH", "/bin")))
        .containsOnlyKeys("PATH");
  }

  @Nested
  class ALogin {
    private LoginProxy proxy;

    @BeforeEach
    void listen() throws IOException {
      proxy = new LoginProxy();
    }

    @AfterEach
    void close() {
      proxy.close();
    }

    /// The proxy ends each tunnel at once, so every call fails.
    private String calls(String url, boolean isSetForJava) {
      var outgoing = OutgoingProxy.of(settings(url, ""), isSetForJava);
      var client = outgoing.apply(new OkHttpClient.Builder());
      if (isSetForJava) {
        client.proxy(
            new Proxy(
                Proxy.Type.HTTP, InetSocketAddress.createUnresolved("127.0.0.1", proxy.port())));
      }
      var request = new Request.Builder().url("https://slack.com/api").build();
      try (var _ = client.build().newCall(request).execute()) {
        throw new AssertionError("The proxy leads nowhere");
      } catch (IOException problem) {
        return ProxyRefused.in(problem).orElse("");
      }
    }

    @Test
    void proxyLoginOpensTheTunnelAtTheFirstRequest() {
      assertThat(calls(proxy.url(), false)).isEmpty();
      assertThat(proxy.opened).contains("slack.com:443");
      assertThat(proxy.refused).isEmpty();
    }

    @Test
    void proxyLoginAppliesToTheSameProxyInTheJavaOptions() {
      assertThat(calls(proxy.url(), true)).isEmpty();
      assertThat(proxy.opened).contains("slack.com:443");
    }

    @Test
    void proxyLoginIsNotSentToAnotherProxy() {
      assertThat(calls("http://ann:s3cret-1@proxy.corp:3128", true)).contains("requires a login");
      assertThat(proxy.opened).isEmpty();
    }

    /// A company may lock an account after some wrong attempts.
    @Test
    void wrongProxyLoginIsSentOnceAndReported() {
      assertThat(calls("http://ann:s3cret-1@" + proxy.name(), false))
          .isEqualTo(
              "the proxy %s refuses the login (407): correct the user and the password in HTTPS_PROXY"
                  .formatted(proxy.name()));
      assertThat(proxy.refused).hasSize(1);
    }

    @Test
    void missingProxyLoginIsReportedWithTheSettingToUse() {
      assertThat(calls("http://" + proxy.name(), false))
          .contains("requires a login (407): set HTTPS_PROXY=http://USER:PASSWORD@");
    }

    /// The server's certificate is for `runs.test`.
    @Test
    @Tag("slow")
    void proxyLoginConnectsToTheServerOverTls(@TempDir Path folder) throws Exception {
      var keys = keysFor("runs.test", folder.resolve("keys"));
      var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trusted.init(keys);
      var own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      own.init(keys, STORE_PASSWORD);
      var tls = SSLContext.getInstance("TLS");
      tls.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
      try (var server = MockServers.create()) {
        server.useHttps(tls.getSocketFactory());
        server.enqueue(new MockResponse.Builder().body("from behind the proxy").build());
        server.start(InetAddress.getLoopbackAddress(), 0);
        try (var leading =
            new LoginProxy(
                Optional.of(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort())))) {
          var client =
              OutgoingProxy.of(settings(leading.url(), ""), false)
                  .apply(new OkHttpClient.Builder())
                  .sslSocketFactory(
                      tls.getSocketFactory(), (X509TrustManager) trusted.getTrustManagers()[0])
                  .build();
          var request = new Request.Builder().url("https://runs.test/api").build();
          try (var answer = client.newCall(request).execute()) {
            assertThat(answer.body().string()).isEqualTo("from behind the proxy");
          }
          assertThat(server.takeRequest().getHeaders().names())
              .doesNotContain("Proxy-Authorization");
        }
      }
    }

    private static KeyStore keysFor(String host, Path file) throws Exception {
      var command =
          "keytool -genkeypair -alias x -keyalg EC -dname CN=%s -ext SAN=dns:%s -storetype PKCS12"
              .formatted(host, host);
      var words = new ArrayList<>(List.of(command.split(" ")));
      words.set(0, Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
      words.addAll(List.of("-keystore", file.toString(), "-storepass", new String(STORE_PASSWORD)));
      assertThat(new ProcessBuilder(words).inheritIO().start().waitFor()).isZero();
      return KeyStore.getInstance(file.toFile(), STORE_PASSWORD);
    }

    @Test
    void unsupportedProxyLoginSchemeIsReported() {
      proxy.scheme = "Negotiate";

      assertThat(calls("http://" + proxy.name(), false)).contains("only logins by Negotiate");
    }
  }

  @Test
  void proxyRefusalIsFoundAmongTheCausesOfAnException() {
    var refused = new IllegalStateException(new IOException(new ProxyRefused("the proxy x")));

    assertThat(ProxyRefused.why(refused)).isEqualTo("the proxy x");
    assertThat(Stream.of(new IOException("secret")).map(ProxyRefused::why))
        .containsExactly("IOException");
  }
}
