package dev.runnel.service.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonLinesTest {
  private static final int MEGABYTE = 1024 * 1024;

  @ParameterizedTest
  @ValueSource(strings = {"{},", "[],", "{\"\":0},"})
  void lineOfAMegabyteOfSmallObjectsIsNotParsed(String small) {
    var line = "{\"a\":[" + small.repeat(MEGABYTE / small.length()) + "0]}";

    assertThat(JsonLines.parse(line).isMissingNode()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{\"a\":"})
  void lineThatNestsWithoutEndIsNotParsed(String open) {
    assertThat(JsonLines.parse("{\"a\":" + open.repeat(MEGABYTE / open.length())).isMissingNode())
        .isTrue();
  }

  @Test
  void lineWithAMegabyteOfTextIsParsed() {
    var text = "x".repeat(MEGABYTE);

    assertThat(JsonLines.parse("{\"a\":{\"b\":\"" + text + "\"}}").at("/a/b").textValue())
        .isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "no JSON", "[1]", "{", "{} {}"})
  void lineThatIsNotOneObjectIsNotParsed(String line) {
    assertThat(JsonLines.parse(line).isMissingNode()).isTrue();
  }
}
