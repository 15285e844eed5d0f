package dev.runnel.surface.slack.receive;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SlackFormTest {
  @Test
  void formKeepsOnlyTheFieldsThatAreRead() {
    var others =
        IntStream.range(0, 100_000)
            .mapToObj(i -> "f" + i + "=%41")
            .collect(Collectors.joining("&"));

    var fields =
        SlackPayloads.form(
            ("token=secret&text=fix+it%21&" + others + "&user%5fid=U1&text=again&command=")
                .getBytes(StandardCharsets.UTF_8));

    assertThat(fields)
        .containsOnly(
            Map.entry("text", "fix it!"), Map.entry("user_id", "U1"), Map.entry("command", ""));
  }
}
