package dev.runnel.client.guide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.client.RunsClient;
import dev.runnel.wire.CreateRun;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509TrustManager;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import okhttp3.OkHttpClient;

/// Examples of building a client, and of testing with one.
public final class BuildExamples {
  private BuildExamples() {}

  public static RunsClient clientOptions(URI url, String key) {
    // guide: clientOptions
    var client =
        RunsClient.builder()
            .baseUrl(url)
            .apiKey(key)
            .deadline(Duration.ofSeconds(30))
            .maxRetries(4)
            .options(
                options ->
                    options
                        .withConnectTimeout(Duration.ofSeconds(3))
                        .withReadTimeout(Duration.ofSeconds(10))
                        .withHeader("X-Caller", "nightly-build"))
            .build();
    // end
    return client;
  }

  public static RunsClient observed(URI url, String key) {
    // guide: observed
    var client =
        RunsClient.builder()
            .baseUrl(url)
            .apiKey(key)
            .onAttempt(
                attempt ->
                    System.out.println(
                        attempt.action()
                            + (attempt.status().isPresent() ? " was answered" : " was not answered")
                            + (attempt.next().isPresent() ? ", is tried again" : "")))
            .build();
    // end
    return client;
  }

  public static RunsClient proxyAndTls(
      URI url,
      String key,
      InetSocketAddress proxyAddress,
      SSLContext tls,
      X509TrustManager trusted) {
    // guide: proxyAndTls
    var client =
        RunsClient.builder()
            .baseUrl(url)
            .apiKey(key)
            .proxy(new Proxy(Proxy.Type.HTTP, proxyAddress))
            .http(http -> http.sslSocketFactory(tls.getSocketFactory(), trusted))
            .build();
    // end
    return client;
  }

  public static RunsClient ownHttpClient(URI url, String key, OkHttpClient yours) {
    // guide: ownHttpClient
    var client = RunsClient.builder().baseUrl(url).apiKey(key).httpClient(yours).build();
    // end
    return client;
  }

  public static void testing() throws Exception {
    // guide: testing
    try (var server = new MockWebServer()) {
      server.start();
      server.enqueue(
          new MockResponse.Builder().body("{\"run_id\": \"r1\", \"state\": \"QUEUED\"}").build());
      var url = server.url("/api/v1").uri();
      try (var client = RunsClient.builder().baseUrl(url).apiKey("any").build()) {
        var created = client.runs().create(CreateRun.of("Fix it")).send();

        assertThat(created.runId()).isEqualTo("r1");
        assertThat(server.takeRequest().getTarget()).isEqualTo("/api/v1/agent/run");
      }
    }
    // end
  }
}
