package dev.runnel.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.testkit.MockServers;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import mockwebserver3.MockResponse;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MeteredCallsTest {
  @ParameterizedTest
  @CsvSource({
    "200, X-Nothing, 1, '{}', 200",
    "403, X-Nothing, 1, '{\"message\": \"Resource not accessible\"}', 403",
    "403, x-ratelimit-remaining, 12, '{}', 403",
    "403, x-ratelimit-remaining, 0, '{}', 429",
    "403, Retry-After, 30, '{}', 429",
    "403, X-Nothing, 1, '{\"message\": \"You exceeded a secondary Rate Limit.\"}', 429",
  })
  void rateLimitRefusalIsCountedAsARateLimit(
      int status, String header, String value, String body, String counted) throws Exception {
    var registry = new SimpleMeterRegistry();
    try (var platform = MockServers.create()) {
      platform.start();
      platform.enqueue(
          new MockResponse.Builder().code(status).addHeader(header, value).body(body).build());
      var client =
          new OkHttpClient.Builder()
              .addInterceptor(new MeteredCalls(new SurfaceId("github"), () -> registry))
              .build();
      try (var response =
          client.newCall(new Request.Builder().url(platform.url("/")).build()).execute()) {
        assertThat(response.body().string()).isEqualTo(body);
      }
    }

    assertThat(registry.get("runnel.platform.requests").tag("status", counted).timer().count())
        .isEqualTo(1);
  }
}
