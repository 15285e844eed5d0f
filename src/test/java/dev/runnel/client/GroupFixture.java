package dev.runnel.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.wire.ErrorCode;
import dev.runnel.wire.Golden;
import java.io.IOException;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// What the tests of the groups of calls share: each call is looked at as it was sent.
abstract class GroupFixture extends ClientFixture {
  RunsClient client;

  @BeforeEach
  void build() {
    client = builder().build();
  }

  @AfterEach
  void close() {
    client.close();
  }

  void answerGolden(String name) throws IOException {
    server.enqueue(json(200, Golden.text(name)));
  }

  /// Sends the call and looks at what came over the wire: method, path and query, with the key and
  /// without a body.
  <T> T sends(Call<T> call, String line) throws Exception {
    var answer = call.send();
    var request = taken(line);
    var body = request.getBody();
    assertThat(body == null ? 0 : body.size()).isZero();
    assertThat(request.getHeaders().get("Content-Type")).isNull();
    return answer;
  }

  /// The same, with this body.
  <T> T sends(Call<T> call, String line, JsonNode body) throws Exception {
    var answer = call.send();
    var request = taken(line);
    assertThat(ClientJson.tree(requireNonNull(request.getBody()).utf8())).isEqualTo(body);
    assertThat(request.getHeaders().get("Content-Type")).isEqualTo("application/json");
    return answer;
  }

  private RecordedRequest taken(String line) throws InterruptedException {
    var request = server.takeRequest();
    var path = line.replace(" /", " /api/v1/");
    assertThat(request.getMethod() + " " + request.getTarget()).isEqualTo(path);
    assertThat(request.getHeaders().get("Authorization")).isEqualTo("Bearer " + KEY);
    return request;
  }

  <E extends RunsException> void isRefused(Call<?> call, int status, String code, Class<E> type) {
    server.enqueue(problem(status, code));

    assertThatExceptionOfType(type)
        .isThrownBy(() -> call.withOptions(it -> it.withMaxRetries(0)).send())
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(new ErrorCode(code)))
        .satisfies(failure -> assertThat(failure.status()).hasValue(status));
  }

  @FunctionalInterface
  interface Making {
    Call<?> call();
  }

  /// None of the calls can even be made.
  void areNeverSent(Making... calls) {
    assertThat(calls)
        .allSatisfy(it -> assertThatIllegalArgumentException().isThrownBy(() -> it.call().send()));
    assertThat(server.getRequestCount()).isZero();
  }
}
