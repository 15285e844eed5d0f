package dev.runnel.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.runnel.client.HttpRequest.Effect;
import dev.runnel.testkit.MockServers;
import dev.runnel.wire.ArtifactContent;
import dev.runnel.wire.Golden;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import mockwebserver3.MockResponse;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okio.ByteString;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/// What runs made, and the transcripts that are kept elsewhere like it.
class ArtifactsTest extends GroupFixture {
  @Test
  void artifactIsReadWithItsContentOrItsSignedAddress() throws Exception {
    answerGolden("artifact-content");

    assertThat(sends(client.artifacts().get("a-3"), "GET /agent/artifacts/a-3"))
        .isEqualTo(Golden.read("artifact-content", ArtifactContent.class));
  }

  @Test
  void failedArtifactCallThrowsTheMatchingException() {
    isRefused(
        client.artifacts().get("a-1"), 404, "resource_not_found", RunsException.NotFound.class);
    isRefused(
        client.artifacts().download("a-1"), 403, "not_authorized", RunsException.Forbidden.class);
  }

  @Test
  void emptyIdsAreNeverSent() {
    areNeverSent(() -> client.artifacts().get(""), () -> client.artifacts().download(" "));
  }

  @Nested
  class Redirects {
    @Test
    void aDownloadIsFollowedToAnotherHostWithoutKeyAndTeam() throws Exception {
      isFollowedWithoutSecrets(client.artifacts().download("a-1"), "/agent/artifacts/a-1/download");
    }

    @Test
    void aTranscriptIsFollowedToAnotherHostWithoutKeyAndTeam() throws Exception {
      isFollowedWithoutSecrets(client.runs().transcript("r1"), "/agent/runs/r1/transcript");
    }

    private void isFollowedWithoutSecrets(Call<byte[]> call, String path) throws Exception {
      try (var elsewhere = MockServers.create()) {
        elsewhere.start();
        elsewhere.enqueue(answer(200, "the content", "text/plain").build());
        server.enqueue(to(elsewhere.url("/bucket/x?signature=s%2Bs").toString()));

        var content =
            call.withOptions(it -> it.withTeam("t-1").withHeader("X-Trace", "secret")).send();

        assertThat(content).asString(UTF_8).isEqualTo("the content");
        var first = server.takeRequest();
        assertThat(first.getTarget()).isEqualTo("/api/v1" + path);
        assertThat(first.getHeaders().get("Authorization")).isEqualTo("Bearer " + KEY);
        assertThat(first.getHeaders().get("X-Warp-Team-Uid")).isEqualTo("t-1");
        var second = elsewhere.takeRequest();
        assertThat(second.getTarget()).isEqualTo("/bucket/x?signature=s%2Bs");
        assertThat(second.getHeaders().names())
            .doesNotContain("Authorization", "X-Warp-Team-Uid", "X-Trace");
      }
    }

    @Test
    void redirectToTheSameHostKeepsTheKey() throws Exception {
      server.enqueue(to("/elsewhere"));
      server.enqueue(answer(200, "x", "text/plain").build());

      client.artifacts().download("a-1").send();

      assertThat(server.takeRequest().getTarget()).endsWith("/download");
      var second = server.takeRequest();
      assertThat(second.getTarget()).isEqualTo("/elsewhere");
      assertThat(second.getHeaders().get("Authorization")).isEqualTo("Bearer " + KEY);
    }

    @Test
    void redirectLoopEndsAfterFiveHops() {
      for (int i = 0; i < 10; i++) {
        server.enqueue(to("/round-and-round"));
      }

      assertThatExceptionOfType(RunsException.OtherStatus.class)
          .isThrownBy(() -> client.artifacts().download("a-1").send())
          .satisfies(failure -> assertThat(failure.status()).hasValue(302));
      assertThat(server.getRequestCount()).isEqualTo(6);
    }

    @Test
    void redirectWithoutALocationIsAnError() {
      server.enqueue(new MockResponse.Builder().code(302).build());

      assertThatExceptionOfType(RunsException.OtherStatus.class)
          .isThrownBy(() -> client.artifacts().download("a-1").send());
    }

    @Test
    void redirectFromHttpsToHttpIsNotFollowed() {
      assertThat(hops("https://api.example/a", "http://files.example/x"))
          .containsExactly("https://api.example/a");
      assertThat(hops("https://api.example/a", "http://api.example/a"))
          .containsExactly("https://api.example/a");
      assertThat(hops("https://api.example/a", "https://files.example/x"))
          .containsExactly("https://api.example/a", "https://files.example/x");
      assertThat(hops("https://api.example/a", "file:///etc/passwd"))
          .containsExactly("https://api.example/a");
    }

    /// The addresses that are asked when the first answers with the redirect.
    private Iterable<String> hops(String from, String location) {
      var asked = new ArrayList<String>();
      var transport =
          new RedirectingTransport(
              new Transport() {
                @Override
                public HttpResponse send(HttpRequest call, Duration timeout) {
                  asked.add(call.url().toString());
                  var first = asked.size() == 1;
                  var headers = first ? Headers.of("Location", location) : Headers.EMPTY;
                  return HttpResponse.whole(first ? 302 : 200, headers, ByteString.EMPTY, NOW);
                }

                @Override
                public void close() {}
              },
              time);
      var call =
          new HttpRequest(
              "download",
              "GET",
              HttpUrl.get(from),
              Headers.EMPTY,
              Optional.empty(),
              Effect.SAFE,
              false,
              new HttpRequest.Limits(Optional.empty(), Duration.ofSeconds(20), 0));
      transport.send(call, Duration.ofMinutes(1));
      transport.close();
      return asked;
    }

    private static MockResponse to(String address) {
      return new MockResponse.Builder().code(302).setHeader("Location", address).build();
    }
  }
}
