package dev.runnel.service.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.service.egress.RequestHead.Header;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestHeadTest {
  @Test
  void aRequestHasItsFirstLineAndItsHeadersInOrder() throws Exception {
    var head = read("POST /a?b=c HTTP/1.1\r\nX-Key: a: b \r\nEmpty:\r\nx-key:c\r\n\r\nbody");

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
    assertThat(head.get().length()).isZero();
    assertThat(head.get().isChunked()).isFalse();
  }

  @Test
  void bodyHasALengthOrChunks() throws Exception {
    assertThat(withHeaders("Content-Length: 12").length()).isEqualTo(12);
    assertThat(withHeaders("transfer-encoding: Chunked").isChunked()).isTrue();
  }

  @Test
  void headerMayHaveAnyTokenAsItsNameAndAnyBytesAsItsValue() throws Exception {
    // The bytes of a capital A with a ring in UTF-8.
    assertThat(withHeaders("X.Trace!: \u00c3\u0085\tsa").headers())
        .containsExactly(new Header("X.Trace!", "\u00c3\u0085\tsa"));
  }

  @Test
  void connectionClosedWithinTheHeadIsNoRequest() throws Exception {
    for (var text :
        List.of("", "GET / HTTP/1.1", "GET / HTTP/1.1\r", "GET / HTTP/1.1\r\nA: b\r\n")) {
      assertThat(read(text)).as(text).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        " folded: line",
        "\ttab: line",
        "Transfer-Encoding : chunked",
        "no colon",
        ": no name",
        "two words: x",
        "Nul: a\0b",
        "Escape: a\u001bb",
        "Bare-Return: a\rContent-Length: 5",
        "Bare-Feed: a\nContent-Length: 5",
        "Content-Length: 5\r\nContent-Length: 5",
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: 5, 5",
        "Content-Length: +5",
        "Content-Length: -5",
        "Content-Length: 0x5",
        "Content-Length:",
        "Content-Length: 9999999999999999999",
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunked\u000b",
        "Host: a\r\nHost: b"
      })
  void headersThatServersReadDifferentlyAreRefused(String lines) {
    assertThatThrownBy(() -> withHeaders(lines)).isInstanceOf(MalformedRequestException.class);
  }

  @Test
  void chunksInHttp10AreRefused() {
    assertThatThrownBy(() -> read("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"))
        .isInstanceOf(MalformedRequestException.class);
  }

  @Test
  void headThatIsTooLongIsRefused() {
    assertThatThrownBy(() -> withHeaders("A: " + "x".repeat(RequestHead.MAX_BYTES)))
        .hasMessage("The head of the request is longer than 16,384 bytes.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "GET /",
        "GET  / HTTP/1.1",
        "GET / HTTP/2",
        "GET / HTTP/1.1\t",
        "GET / HTTP/1.9",
        "GET / HTTP/1.1 x",
        "G(T / HTTP/1.1",
        "\u0016\u0003\u0001"
      })
  void anotherFirstLineIsNoRequest(String line) {
    assertThatThrownBy(() -> read(line + "\r\n\r\n")).isInstanceOf(MalformedRequestException.class);
  }

  @Test
  void theServerGetsThePathItsOwnNameAndOneRequestOnTheConnection() throws Exception {
    var head = read("GET http://a.test/b HTTP/1.1\r\nHost: x\r\n\r\n").orElseThrow();

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

  private static RequestHead withHeaders(String lines) throws Exception {
    return read("POST / HTTP/1.1\r\n" + lines + "\r\n\r\n").orElseThrow();
  }

  private static Optional<RequestHead> read(String text) throws Exception {
    return RequestHead.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)));
  }
}
