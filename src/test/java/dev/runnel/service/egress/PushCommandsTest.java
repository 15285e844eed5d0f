package dev.runnel.service.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PushCommandsTest {
  private static final String NONE = "0".repeat(40);
  private static final String NEW = "a".repeat(40);
  private static final String BODY =
      packet("%s %s refs/heads/fix\0report-status side-band-64k".formatted(NONE, NEW))
          + packet("%s %s refs/heads/gone".formatted(NEW, NONE))
          + packet("%s %s refs/tags/v1".formatted(NONE, NEW))
          + packet("%s %s refs/heads/feature/x\n".formatted(NEW, "b".repeat(40)))
          + "0000PACK...";

  @Test
  void theBranchesThatAPushSetsAreRead() throws Exception {
    assertThat(updates("Accept: */*", BODY))
        .containsExactly(
            new PushCommands.Update("fix", NEW),
            new PushCommands.Update("feature/x", "b".repeat(40)));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 64, 1000})
  void aBodyInChunksIsReadLikeAWholeOne(int size) throws Exception {
    var chunks = new StringBuilder();
    for (int i = 0; i < BODY.length(); i += size) {
      var chunk = BODY.substring(i, Math.min(i + size, BODY.length()));
      chunks
          .append(Integer.toHexString(chunk.length()))
          .append("\r\n")
          .append(chunk)
          .append("\r\n");
    }

    assertThat(updates("Transfer-Encoding: chunked", chunks + "0\r\n\r\n")).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0000", "00", "zzzz", "ffff", "0005", "PACK", "0000 refs/heads/fix"})
  void aBodyWithoutCommandsSetsNothing(String body) throws Exception {
    assertThat(updates("Accept: */*", body)).isEmpty();
    assertThat(updates("Transfer-Encoding: chunked", body)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Content-Encoding: gzip", "Expect: 100-continue"})
  void aBodyThatCannotBeReadSetsNothing(String header) throws Exception {
    assertThat(updates(header, BODY)).isEmpty();
  }

  private static List<PushCommands.Update> updates(String header, String body) throws Exception {
    return PushCommands.updates(
        RequestHead.parse(List.of("POST /x HTTP/1.1", header)),
        new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)));
  }

  private static String packet(String text) {
    return "%04x%s".formatted(text.length() + 4, text);
  }
}
