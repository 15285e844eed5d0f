package dev.runnel.service.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestBodyTest {
  private static final String SECOND = "DELETE /all HTTP/1.1\r\nHost: x\r\n\r\n";

  @Test
  void requestBehindTheBodyIsNotForwarded() throws Exception {
    assertThat(copied("Content-Length: 5", "hello" + SECOND)).isEqualTo("hello");
    assertThat(copied("Content-Length: 0", SECOND)).isEmpty();
    assertThat(copied("Accept: */*", SECOND)).isEmpty();
    assertThat(copied("Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n" + SECOND))
        .isEqualTo("5\r\nhello\r\n0\r\n\r\n");
  }

  @Test
  void largeBodyIsCopiedWhole() throws Exception {
    var body = "x".repeat(1_000_000);

    assertThat(copied("Content-Length: 1000000", body)).isEqualTo(body);
    assertThat(copied("Transfer-Encoding: chunked", "000F4240\r\n" + body + "\r\n0\r\n\r\n"))
        .isEqualTo("f4240\r\n" + body + "\r\n0\r\n\r\n");
  }

  @Test
  void trailersAreNotForwarded() throws Exception {
    assertThat(copied("Transfer-Encoding: chunked", "0\r\nContent-Length: 9\r\n\r\n"))
        .isEqualTo("0\r\n\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "5",
        "5\nhello\n0\n\n",
        "5\rhello\r\n0\r\n\r\n",
        "5;a=b\r\nhello\r\n0\r\n\r\n",
        "+5\r\nhello\r\n0\r\n\r\n",
        "0x5\r\nhello\r\n0\r\n\r\n",
        " 5\r\nhello\r\n0\r\n\r\n",
        "100000000\r\n",
        "5\r\nhello!\r\n0\r\n\r\n",
        "5\r\nhel"
      })
  void malformedChunksEndTheConnection(String body) {
    assertThatThrownBy(() -> copied("Transfer-Encoding: chunked", body))
        .isInstanceOf(IOException.class);
  }

  @Test
  void bodyThatEndsEarlyEndsTheConnection() {
    assertThatThrownBy(() -> copied("Content-Length: 5", "hel")).isInstanceOf(IOException.class);
  }

  @Test
  void trailersAreBounded() {
    assertThatThrownBy(
            () -> copied("Transfer-Encoding: chunked", "0\r\n" + "A: b\r\n".repeat(200) + "\r\n"))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(
            () ->
                copied("Transfer-Encoding: chunked", "0\r\nA: " + "b".repeat(10_000) + "\r\n\r\n"))
        .isInstanceOf(IOException.class);
  }

  private static String copied(String header, String body) throws Exception {
    var out = new ByteArrayOutputStream();
    RequestBody.copy(
        RequestHead.parse(List.of("POST / HTTP/1.1", header)),
        new ByteArrayInputStream(body.getBytes(StandardCharsets.ISO_8859_1)),
        out);
    return out.toString(StandardCharsets.ISO_8859_1);
  }
}
