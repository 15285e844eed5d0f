package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import okio.Buffer;
import okio.GzipSink;
import okio.Okio;
import org.junit.jupiter.api.Test;

class RawResponseTest extends ClientFixture {
  @Test
  void anOpenBodyHasItsStatusAndHeadersAlready() {
    try (var client = builder().build()) {
      var open = client.runs().transcript("r1").withStreamedBody();

      assertThatThrownBy(open::withRawResponse).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void rawResponseHasStatusHeadersTimeAndAttempts() {
    server.enqueue(problem(429, "resource_unavailable"));
    server.enqueue(answer(203, RUN, "application/json").setHeader("X-Region", "eu").build());
    try (var client = builder().build()) {
      var raw = client.runs().get("r1").withRawResponse().send();

      assertThat(raw.status()).isEqualTo(203);
      assertThat(raw.headers().firstValue("x-region")).contains("eu");
      assertThat(raw.attempts()).isEqualTo(2);
      // The test's clock moves only with the wait.
      assertThat(raw.elapsed()).isEqualTo(Duration.ofMillis(500));
      assertThat(raw.parse().runId()).isEqualTo("r1");
      assertThat(raw.toString()).doesNotContain("fix it").doesNotContain("eu");
    }
  }

  @Test
  void rawResponseGivesTheBodyAsBytesTextAndJson() {
    server.enqueue(json(200, "{\"a\": null, \"ü\": [1]}"));
    try (var client = builder().build()) {
      var raw = client.get("agent/x").withRawResponse().send();

      assertThat(raw.bytes())
          .isEqualTo("{\"a\": null, \"ü\": [1]}".getBytes(StandardCharsets.UTF_8));
      assertThat(raw.text()).isEqualTo("{\"a\": null, \"ü\": [1]}");
      assertThat(raw.json().has("a")).isTrue();
      assertThat(raw.json().path("a").isNull()).isTrue();
      assertThat(raw.json().has("b")).isFalse();
    }
  }

  @Test
  void compressedRawResponseIsDecompressed() throws Exception {
    var packed = new Buffer();
    try (var sink = Okio.buffer(new GzipSink(packed))) {
      sink.writeUtf8(RUN);
    }
    server.enqueue(
        answer(200, "", "application/json")
            .setHeader("Content-Encoding", "gzip")
            .body(packed)
            .build());
    try (var client = builder().build()) {
      assertThat(client.runs().get("r1").withRawResponse().send().text()).isEqualTo(RUN);
    }
  }

  @Test
  void rawResponseIsParsedOnlyOnRequest() {
    server.enqueue(json(200, "<html>"));
    try (var client = builder().build()) {
      var raw = client.runs().get("r1").withRawResponse().send();

      assertThat(raw.text()).isEqualTo("<html>");
      assertThatThrownBy(raw::parse).isInstanceOf(RunsException.MalformedResponse.class);
      assertThatThrownBy(raw::json).isInstanceOf(RunsException.MalformedResponse.class);
    }
  }

  @Test
  void rawResponseThrowsOnAnErrorStatus() {
    server.enqueue(problem(404, "resource_not_found"));
    try (var client = builder().build()) {
      assertThatThrownBy(() -> client.runs().get("r1").withRawResponse().send())
          .isInstanceOf(RunsException.NotFound.class);
    }
  }

  @Test
  void rawResponseKeepsUnknownMembers() {
    server.enqueue(json(200, RUN));
    try (var client = builder().build()) {
      var raw = client.runs().get("r1").withRawResponse().send();

      assertThat(raw.json().at("/a_member_of_next_year/x").intValue()).isOne();
      assertThat(raw.parse().more().get("a_member_of_next_year")).hasToString("{\"x\":1}");
    }
  }
}
