package dev.runnel.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TerminalTextTest {
  private static final int MEBI = 1024 * 1024;

  private static final Pattern UNICODE = Pattern.compile("\\\\u([0-9a-f]{4})");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain\ttext\nof two lines\n",
        "",
        "👩🏽‍💻 👨‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ 1️⃣",
        "e\u0301 ñ क्‍ष می\u200Cخواهم",
        "שלום עולם \u200Fمرحبا\u200E",
        "日本語 ｆｕｌｌ \uE0A0",
        "[31m is no colour, and 50% [K neither",
        "C:\\dir\\file \\u001b[0m",
      })
  void plainTextIsKept(String text) {
    assertThat(TerminalText.plain(text)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '¦',
      ignoreLeadingAndTrailingWhitespace = false,
      textBlock =
          """
          \\e[1;31mred\\e[0m and \\e[38;5;200mpink\\e[m¦red and pink
          \\e]0;a title\\u0007text¦text
          \\e]8;;https://a.test/x\\e\\\\link\\e]8;;\\e\\\\ end¦link end
          \\eP1$r0m\\e\\\\after\\e_app\\e\\\\ \\e^private\\e\\\\ \\eXstring\\e\\\\¦after\\s\\s
          \\e(B\\e)0\\e=\\e7text\\e8\\ec¦text
          \\u009b31mred\\u009d0;title\\u009ctext¦redtext
          \\e[?25l\\e[2J\\e[Hshown\\e[?25h¦shown
          \\e[ qblock \\e[>4;2m\\e[!p¦block\\s
          cut \\e[31¦cut\\s
          cut \\e¦cut\\s
          cut \\e]0;title that nothing ends¦cut 0;title that nothing ends
          bell\\u0007 nul\\u0000 del\\u007f nel\\u0085 vt\\u000b¦bell nul del nel vt
          \\u202eexe.gpj\\u202c \\u2066a\\u2069¦exe.gpj a
          """)
  void terminalSequencesAreRemoved(String written, String seen) {
    assertThat(TerminalText.plain(unescaped(written))).isEqualTo(unescaped(seen));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '¦',
      ignoreLeadingAndTrailingWhitespace = false,
      textBlock =
          """
          10%\\r50%\\r100%¦100%
          10%\\r50%\\r100%\\r¦100%
          12345\\rab¦ab345
          Building shop\\r\\e[KDone¦Done
          Building shop\\e[2K\\e[1GDone¦Done
          \\r\\e[2KBuilding\\e[0K\\r\\e[2KBuilt¦Built
          abc\\b\\bX¦aXc
          abcdef\\e[3G\\e[1KX¦\\s\\sXdef
          abcdef\\e[5G\\e[1K\\e[2G\\e[1Kab¦\\sab\\s\\sf
          abcdef\\e[2GX\\e[4G\\e[1K\\e[6GY¦\\s\\s\\s\\seY
          ab\\e[1Kcd\\nef¦\\s\\scd\\nef
          \\b\\babc¦abc
          one\\r\\ntwo\\r\\n¦one\\ntwo\\n
          one\\rtwo\\nthree¦two\\nthree
          Wörk 👩🏽‍💻\\rDone!¦Done!👩🏽‍💻
          """)
  void overwrittenTerminalTextKeepsTheLast(String written, String seen) {
    assertThat(TerminalText.plain(unescaped(written))).isEqualTo(unescaped(seen));
  }

  @Test
  void unpairedSurrogateIsRemoved() {
    assertThat(TerminalText.plain("a\uD83Db\uDE00c")).isEqualTo("abc");
  }

  @Test
  void randomTerminalOutputBecomesPlainText() {
    var pieces =
        List.of(
            "\u001B", "[", "]", "P", "\\", "\u0007", "\u009B", "\u009C", "\u009D", "0;1", "31m",
            "K", "2K", "5G", "\r", "\n", "\b", "\t", "word", "é", "👩🏽‍💻", "\u202E", "\uD83D",
            " ");
    for (var seed = 0; seed < 20_000; seed++) {
      var random = new Random(seed);
      var written =
          IntStream.range(0, random.nextInt(30))
              .mapToObj(_ -> pieces.get(random.nextInt(pieces.size())))
              .collect(Collectors.joining());

      var seen = TerminalText.plain(written);

      assertThat(seen.codePoints())
          .as("seed %d", seed)
          .noneMatch(point -> Character.isISOControl(point) && point != '\n' && point != '\t')
          .noneMatch(point -> point == 0x202E || Character.getType(point) == Character.SURROGATE);
      assertThat(TerminalText.plain(seen)).as("seed %d", seed).isEqualTo(seen);
      assertThat(seen.chars().filter(it -> it == '\n').count())
          .as("seed %d", seed)
          .isEqualTo(written.chars().filter(it -> it == '\n').count());
    }
  }

  /// One that grew with the square of the length would take minutes.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u001B",
        "\u001B]",
        "\u001B[",
        "\u001B[1;",
        "\u009D",
        "\r",
        "\ra",
        "\b",
        "a\u001B[K",
        "a\u001B[1K",
        "\ra\u001B[999999G\u001B[1K"
      })
  void processingTimeIsLinearInTheTextLength(String piece) {
    var text = piece.repeat(1_000_000 / piece.length());

    Assertions.assertTimeoutPreemptively(Duration.ofSeconds(20), () -> TerminalText.plain(text));
  }

  @ParameterizedTest
  @CsvSource({
    "'word ', 0.1",
    "'\u001B[31mred\u001B[0m \u001B[K', 4",
    "'50%\r', 20",
    "'a\u001B[1K', 30"
  })
  void memoryForALineOfOneMebibyteIsASmallMultipleOfItsBytes(String piece, double bytesPerByte) {
    var text = piece.repeat(MEBI / piece.length());
    TerminalText.plain(text);

    assertThat(allocatedBy(() -> TerminalText.plain(text)))
        .isLessThan((long) (bytesPerByte * MEBI));
  }

  private static long allocatedBy(Runnable work) {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    var before = threads.getCurrentThreadAllocatedBytes();
    work.run();
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  private static String unescaped(String text) {
    return UNICODE
        .matcher(text.replace("\\e", "\u001B"))
        .replaceAll(it -> Character.toString(Integer.parseInt(it.group(1), 16)))
        .translateEscapes();
  }
}
