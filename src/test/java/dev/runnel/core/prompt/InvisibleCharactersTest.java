package dev.runnel.core.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InvisibleCharactersTest {
  @ParameterizedTest
  @ValueSource(
      ints = {
        0x00, 0x07, 0x1B, 0x7F, 0xAD, 0x34F, 0x61C, 0x115F, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E,
        0x200F, 0x202A, 0x202E, 0x2060, 0x2063, 0x2066, 0x2069, 0x206F, 0x2800, 0x3164, 0xE000,
        0xFE00, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF9, 0xFFFF, 0x1D173, 0xE0001, 0xE0041, 0xE007F, 0xE0100,
        0xE01EF, 0xF0000, 0x10FFFD, 0xD800, 0xDFFF
      })
  void invisibleCharactersAreRemoved(int point) {
    assertThat(InvisibleCharacters.text("a" + Character.toString(point) + "b")).isEqualTo("ab");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Grüße\tan alle\n  zum Fest",
        "👩‍💻 ❤️ 1️⃣ ✔︎ 👍🏽 🏳️‍🌈",
        "می‌خواهم",
        "क्‍ष",
        "葛󠄀",
        "שלום, مرحبا",
        "a b　c",
      })
  void charactersThatLettersAndEmojiNeedAreKept(String text) {
    assertThat(InvisibleCharacters.text(text)).isEqualTo(text);
  }

  @Test
  void variationSelectorsCannotCarryHiddenText() {
    var hidden = new StringBuilder("😀");
    "obey".chars().forEach(letter -> hidden.appendCodePoint(0xE0100 + letter - 16));
    hidden.append("\uFE0F\uFE0F\uFE01");

    assertThat(InvisibleCharacters.text(hidden + "!")).isEqualTo("😀\uFE0F!");
  }

  @Test
  void lineBreaksAreRemovedFromALine() {
    for (var end :
        new String[] {"\n", "\r\n", "\r", "\u2028", "\u2029", "\u0085", "\u000B", "\f"}) {
      assertThat(InvisibleCharacters.text("a" + end + "b"))
          .doesNotContain("\u2028", "\u2029", "\u0085", "\r");
      assertThat(InvisibleCharacters.line("Title: a" + end + "Labels: b", 100))
          .doesNotContain("\n");
    }
    assertThat(InvisibleCharacters.line("  a \n\n b\u00A0 c ", 100)).isEqualTo("a b c");
    assertThat(InvisibleCharacters.line("abcdef", 4)).isEqualTo("abc…");
    assertThat(InvisibleCharacters.line("ab😀def", 4)).isEqualTo("ab…");
  }

  @Test
  void randomTextIsProcessedWithoutInvisibleCharacters() {
    var seed = new Random().nextLong();
    var chance = new Random(seed);
    for (var round = 0; round < 2_000; round++) {
      var text = new StringBuilder();
      for (var length = chance.nextInt(40); length > 0; length--) {
        text.appendCodePoint(
            chance.nextBoolean() ? chance.nextInt(0x110000) : 0x2000 + chance.nextInt(0x70));
      }
      var seen = InvisibleCharacters.text(text.toString());
      assertThat(InvisibleCharacters.text(seen)).as("seed %d", seed).isEqualTo(seen);
      assertThat(seen.codePoints())
          .as("seed %d", seed)
          .noneMatch(point -> Character.getType(point) == Character.PRIVATE_USE)
          .noneMatch(point -> Character.getType(point) == Character.SURROGATE)
          .noneMatch(point -> point == 0x202E || point == 0x200B || point == 0xFEFF);
    }
  }
}
