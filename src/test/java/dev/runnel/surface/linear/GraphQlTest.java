package dev.runnel.surface.linear;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.surface.kit.JsonHttp.JsonResponse;
import dev.runnel.testkit.Samples;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import okhttp3.Headers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GraphQlTest {
  private static final String LIMITED =
      "{'errors': [{'message': 'Rate limit', 'extensions': {'code': 'RATELIMITED'}}]}";

  private final GraphQl graphQl = new GraphQl(InstantSource.fixed(Samples.NINE));

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "AUTHENTICATION_ERROR, no, 401",
        "FORBIDDEN, no, 403",
        "INPUT_ERROR, Entity not found, 404",
        "INPUT_ERROR, too long, 400",
        "INTERNAL_SERVER_ERROR, oops, 503",
      })
  void errorInASuccessfulResponseGetsAStatus(String code, String message, int status) {
    var body =
        "{'data': null, 'errors': [{'message': '%s', 'extensions': {'code': '%s'}}]}"
            .formatted(message, code);

    assertThat(read(200, body).status()).isEqualTo(status);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 400, 429})
  void rateLimitErrorIsRecognizedAtAnyStatus(int status) {
    assertThat(read(status, LIMITED).status()).isEqualTo(429);
    assertThat(read(status, LIMITED).header("Retry-After")).contains("60");
  }

  @Test
  void rateLimitLastsUntilTheSpentBudgetIsFullAgain() {
    var answer =
        read(
            400,
            LIMITED,
            "X-RateLimit-Requests-Remaining",
            "12",
            "X-RateLimit-Requests-Reset",
            String.valueOf(Samples.NINE.plusSeconds(3_600).toEpochMilli()),
            "X-RateLimit-Complexity-Remaining",
            "0",
            "X-RateLimit-Complexity-Reset",
            String.valueOf(Samples.NINE.plusSeconds(89).toEpochMilli()));

    assertThat(answer.header("Retry-After")).contains("90");
  }

  @Test
  void partialDataIsReadIfAPartFailed() {
    var answer =
        read(
            200,
            "{'data': {'issue': {'comments': {'nodes': [1]}}}, 'errors': [{'message': 'a part'}]}");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body().path(0).asInt()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      delimiter = '|',
      value = {
        "{'data': {'issue': null}} | 404",
        "{'data': {'issue': {'success': false}}} | 422",
        "{'data': null} | 502",
        "{} | 502",
      })
  void responseWithoutTheRequestedDataGetsAnErrorStatus(String body, int status) {
    assertThat(read(200, body).status()).isEqualTo(status);
  }

  @Test
  void responseWithoutErrorsKeepsItsStatus() {
    assertThat(read(503, "{}").status()).isEqualTo(503);
    assertThat(read(401, "{}").status()).isEqualTo(401);
  }

  private JsonResponse read(int status, String body, String... headers) {
    try {
      return graphQl.read(
          new JsonResponse(
              status, Headers.of(headers), new JsonMapper().readTree(body.replace('\'', '"'))),
          "issue",
          "comments",
          "nodes");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
