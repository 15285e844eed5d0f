package dev.runnel.service.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.egress.RequestHead.Header;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestHeadTest {
  @Test
  void aRequestHasItsFirstLineAndItsHeadersInOrder() {
    var head =
        RequestHead.parse(List.of("POST /a?b=c HTTP/1.1", "X-Key: a: b ", "Empty:", "x-key:c"));

    assertThat(head)
        .contains(
            new RequestHead(
                "POST",
                "/a?b=c",
                "HTTP/1.1",
                List.of(
                    new Header("X-Key", "a: b"),
                    new Header("Empty", ""),
                    new Header("x-key", "c"))));
    assertThat(head.orElseThrow().values("x-key")).containsExactly("a: b", "c");
  }

  @Test
  void headerMayHaveAnyTokenAsItsNameAndAnyBytesAsItsValue() {
    // The bytes of a capital A with a ring in UTF-8.
    var head = RequestHead.parse(List.of("GET / HTTP/1.1", "X.Trace!: \u00c3\u0085sa"));

    assertThat(head.orElseThrow().headers())
        .containsExactly(new Header("X.Trace!", "\u00c3\u0085sa"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        " folded: line",
        "\ttab: line",
        "Transfer-Encoding : chunked",
        "no colon",
        ": no name",
        "two words: x"
      })
  void aLineThatServersReadDifferentlyIsLeftOut(String line) {
    assertThat(RequestHead.parse(List.of("GET / HTTP/1.1", line)).orElseThrow().headers())
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /",
        "GET  / HTTP/1.1",
        "GET / HTTP/2",
        "GET / HTTP/1.1\t",
        "GET / HTTP/1.9",
        "GET / HTTP/1.1 x",
        "\u0016\u0003\u0001"
      })
  void anotherFirstLineIsNoRequest(String line) {
    assertThat(RequestHead.parse(List.of(line))).isEmpty();
    assertThat(RequestHead.parse(List.of())).isEmpty();
  }

  @Test
  void theServerGetsThePathItsOwnNameAndOneRequestOnTheConnection() {
    var head = RequestHead.parse(List.of("GET http://a.test/b HTTP/1.1", "Host: x")).orElseThrow();

    assertThat(head.forwarded("a.test:8080", "/b", List.of(new Header("Accept", "text/plain"))))
        .isEqualTo(
            """
            GET /b HTTP/1.1\r
            Host: a.test:8080\r
            Connection: close\r
            Accept: text/plain\r
            \r
            """);
  }
}
